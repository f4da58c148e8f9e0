// For tests and measurements of auto scaling: groups on real servers in a separate store, with a clock that moves only
// on request.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../base/clock.ts';
import { uuid } from '../base/ids.ts';
import type { Values } from '../base/json.ts';
import { silent } from '../base/log.ts';
import { Model } from '../core/model.ts';
import { Node } from '../core/nodes/node.ts';
import { draftOf } from '../core/operation/draft.ts';
import { performChange } from '../core/operation/perform-change.ts';
import { PlantedFaults } from '../core/operation/planted-faults.ts';
import { Waiters } from '../core/operation/request.ts';
import { Runner } from '../core/operation/runner.ts';
import type { Resource } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import { openSqlite } from '../core/state/sqlite/engine.ts';
import { Store } from '../core/store.ts';
import { testCaller } from '../core/testing.ts';
import type { ReplicaServers } from '../surface/ports.ts';
import type { Context } from '../surface/product.ts';
import { autoscalingResources } from './index.ts';
import { groupPlace, Scaler, type ScalerOptions } from './scaler.ts';

export const begin = 1_800_000_000_000; // a whole minute

export interface ScalingBench {
  store: Store;
  scaler: Scaler;
  options: ScalerOptions;
  faults: PlantedFaults;
  now(): number;
  pass(ms: number): void; // moves the clock
  create(resource: Resource, properties: Values, parents?: Row[]): Promise<Row>;
  addGroup(properties: Values): Promise<Row>; // with its replicas
  group(id: string): Promise<Row>;
  [Symbol.asyncDispose](): Promise<void>;
}

// `compute` declares the servers and what they need, and returns their port: products never import each other.
export async function openScalingBench(
  compute: (context: Pick<Context, 'store' | 'model' | 'now'>) => ReplicaServers,
): Promise<ScalingBench> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-scaling-'));
  const clock = createClock(0, () => begin);
  const engine = await openSqlite({ folder, now: clock.now, checkpoint: false });
  const store = new Store(engine);
  const model = new Model(store, clock.now);
  const servers = compute({ store, model, now: clock.now });
  const plainly = { open: (text: string) => text, close: (text: string) => text };
  const bounds = async () => () => undefined;
  const tools = { servers: () => servers, seal: plainly, bounds };
  model.add(autoscalingResources, tools);
  const faults = new PlantedFaults(store, silent);
  const waiters = new Waiters();
  const node = new Node(store, silent);
  const runner = new Runner({ store, model, faults, waiters, node, now: clock.now, paceMs: 0, log: silent });
  const machinery = { store, model, runner, now: clock.now, bounds };
  const options = { ...machinery, tools, waiters, log: silent, contracts: async () => [1] } as unknown as ScalerOptions;
  const scaler = new Scaler(options);
  const create: ScalingBench['create'] = async (resource, properties, parents = []) => {
    const blank = { method: '', url: '', headers: {}, address: '', host: '', service: '', operation: '' };
    const requestInfo = { id: uuid(), ...blank, caller: testCaller };
    const draft = () => {
      const sent = { properties };
      const made = draftOf(model, { resource, way: 'create', caller: testCaller, parents, sent, at: '(root)' });
      made.sealed.sent = properties;
      return made;
    };
    const bounds = () => undefined;
    const input = { requestInfo, bounds, sentBody: '', wait: { isAbandoned: () => false }, draft };
    const { shown, journal } = await performChange({ store, model, runner, now: clock.now }, input);
    if (journal) await waiters.wait(requestInfo.id, 10_000);
    return shown[0] as Row;
  };
  const group = async (id: string): Promise<Row> => {
    const row = await store.get(1, groupPlace, id);
    assert.ok(row);
    return row;
  };
  return {
    store,
    scaler,
    options,
    faults,
    now: clock.now,
    pass: (ms) => clock.advance(ms),
    create,
    group,
    async addGroup(properties) {
      const { id } = await create(model.get('autoscalinggroup'), properties);
      await scaler.start(1, id);
      return group(id);
    },
    async [Symbol.asyncDispose]() {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
