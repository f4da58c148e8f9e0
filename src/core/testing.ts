// For tests of operations: a real store in a temporary folder with a model and a runner, and the proof that an
// operation broken at any of its steps leaves a clean slate.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uuid } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import { silent } from '../base/log.ts';
import type { Caller } from './access.ts';
import { Model } from './model.ts';
import { Node } from './nodes/node.ts';
import { decide, draftOf, removalOf } from './operation/draft.ts';
import { accept } from './operation/operation.ts';
import { PlantedFaults } from './operation/planted-faults.ts';
import { type RequestInfo, Waiters } from './operation/request.ts';
import { insideScope } from './operation/revisions.ts';
import { Runner } from './operation/runner.ts';
import { pathOf, type Resource } from './resource.ts';
import { type Row, tables } from './state/engine.ts';
import { openSqlite } from './state/sqlite/engine.ts';
import { Store } from './store.ts';
import type { SpanSink } from './tracing/span.ts';

export const testCaller: Caller = {
  user: 'u',
  email: 'u@test',
  contract: 1,
  contracts: [1],
  role: 'owner',
  privileges: new Set(),
  shares: new Map(),
};

export interface Workbench {
  store: Store;
  model: Model;
  faults: PlantedFaults;
  runner: Runner;
  waiters: Waiters;
  now: () => number;
  caller: Caller;
  requestInfo(): RequestInfo; // of a new call
  // Performs a creation, change or removal to its end and returns the outcome. `target`: the path of the resource, or
  // of the parent of a new one.
  perform(way: 'create' | 'change' | 'remove', resource: Resource, sent: Json, target?: string): Promise<Ended>;
  // Every row and counter that is left, but for requests and the audit.
  left(): Promise<string[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Ended {
  path: string;
  status: string;
  message: string;
}

export async function openWorkbench<Tools>(
  resources: Resource<Tools>[],
  tools: (store: Store) => Tools,
  paceMs = 0,
  spans?: SpanSink,
): Promise<Workbench> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-workbench-'));
  let time = 1_800_000_000_000;
  const now = (): number => time++;
  const engine = await openSqlite({ folder, now, checkpoint: false });
  const store = new Store(engine);
  const model = new Model(store, now);
  model.add(resources, tools(store));
  const faults = new PlantedFaults(store, silent);
  const waiters = new Waiters();
  const runner = new Runner({
    store,
    model,
    faults,
    waiters,
    node: new Node(store, silent),
    now,
    paceMs,
    log: silent,
    spans,
  });
  const caller = testCaller;
  const blank = { method: '', url: '', headers: {}, address: '', host: '', service: '', operation: '' };
  const newRequestInfo = (): RequestInfo => ({ id: uuid(), ...blank, caller });
  return {
    store,
    model,
    faults,
    runner,
    waiters,
    now,
    caller,
    requestInfo: newRequestInfo,
    async perform(way, resource, sent, target) {
      const before = target === undefined || way === 'create' ? undefined : await store.at(1, target);
      const above = await parentsOf(store, target ?? '', way, resource);
      const requestInfo = newRequestInfo();
      const accepted = await store.change(async () => {
        const draft =
          way === 'remove' && before
            ? removalOf(resource, caller, above, before)
            : draftOf(model, {
                resource,
                way: way as 'create',
                caller,
                parents: above,
                before,
                sent: { properties: sent },
                at: '(root)',
              });
        await decide(model, draft);
        const value = accept(model, draft, requestInfo, () => undefined, now(), '');
        return { writes: value.writes, value };
      });
      const path = pathOf(accepted.shown[0] as Row);
      if (accepted.journal) {
        const ended = waiters.wait(requestInfo.id, 10_000);
        runner.start(accepted);
        await ended;
      }
      const row = await store.get(1, 'requests', requestInfo.id, 'request');
      return {
        path,
        status: row?.state ?? 'none',
        message: (JSON.parse(row?.hidden ?? '{}') as { message: string }).message,
      };
    },
    async left() {
      const found: string[] = [];
      for (const table of tables) {
        if (table === 'request' || table === 'activity' || table === 'usage') continue;
        for await (const row of store.each({ below: '' }, table))
          if (row.place !== 'lab') found.push(`${table} ${row.place}/${row.id} ${row.state} ${row.body}`);
      }
      for (const [name, value] of await engine.counters(1))
        if (value !== 0 && !name.startsWith(insideScope)) found.push(`counter ${name} ${value}`);
      return found;
    },
    async [Symbol.asyncDispose]() {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// For a creation the rows of the path are its parents; otherwise its own row is the last.
async function parentsOf(store: Store, path: string, way: string, resource: Resource) {
  const rows = [];
  const segments = path.split('/');
  const end = resource.parents.length === 0 ? 0 : segments.length - (way === 'create' ? 0 : 2);
  for (let cut = 2; cut <= end; cut += 2) {
    const row = await store.at(1, segments.slice(0, cut).join('/'));
    if (row) rows.push(row);
  }
  return rows;
}

// Breaks a creation at each of its steps, before and after the step's work: nothing may be left, and the same
// creation works afterwards. `parent`: the path of an existing one.
export async function unwindsFromEveryStep(
  bench: Workbench,
  resource: Resource,
  sample: Json,
  { parent, clean }: { parent?: string; clean?: () => void } = {},
): Promise<void> {
  const slate = await bench.left();
  for (const step of resource.lifecycle.create) {
    for (const when of ['before', 'after'] as const) {
      const fault = {
        kind: resource.name,
        step: `create.${step.name}`,
        mode: 'fail' as const,
        times: 1,
        when,
        message: 'broken',
      };
      await bench.faults.plant([fault]);
      const ended = await bench.perform('create', resource, sample, parent);
      assert.deepEqual([ended.status, ended.message], ['FAILED', 'broken'], `${step.name} ${when}`);
      assert.deepEqual(
        await bench.left(),
        slate,
        `${resource.name} left something behind when ${step.name} broke (${when})`,
      );
      clean?.();
    }
  }
  await bench.faults.plant([]);
  const ended = await bench.perform('create', resource, sample, parent);
  assert.equal(ended.status, 'DONE');
  await bench.perform('remove', resource, null, ended.path);
  assert.deepEqual(await bench.left(), slate, `${resource.name} left something behind when it was removed`);
}
