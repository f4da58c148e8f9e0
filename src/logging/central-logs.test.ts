// Central logs of several contracts: a failure in one contract does not affect the lines of another.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { appendEntry, type Entry } from '../core/audit/audit-log.ts';
import { claimRow } from '../core/operation/reservations.ts';
import { placeIn } from '../core/regional.ts';
import type { WriteLogLine } from '../core/resource-logs.ts';
import { madeBy } from '../core/stamps.ts';
import { rowOf } from '../core/state/engine.ts';
import { openSqlite } from '../core/state/sqlite/engine.ts';
import { Store } from '../core/store.ts';
import { central, centralId } from './central.ts';
import { CentralLogs } from './central-logs.ts';
import type { AppendJob } from './engine/engine.ts';
import { packJob } from './engine/packed-job.ts';

const start = 1_800_000_000_000;
const region = 'de-txl';
const contracts = [31, 32, 33];
const maker = { email: 'a@example.com', user: 'u' };
const entry = (message: string): Entry => ({
  type: 'Error',
  user: maker.email,
  userId: maker.user,
  address: '127.0.0.1',
  host: 'localhost',
  service: 'cloudapi',
  method: 'POST',
  uri: 'http://localhost/cloudapi/v6/datacenters',
  operation: 'datacenter_create',
  resources: [],
  message,
});

// Central logging is enabled for all contracts.
async function storeFor(t: TestContext): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'central-logs-'));
  const store = new Store(await openSqlite({ folder, now: () => start, checkpoint: false }));
  t.after(async () => {
    await store.engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const contract of contracts) {
    const place = placeIn(central, region);
    const id = centralId({ contract, region });
    const stamped = { kind: central.name, time: start, owner: maker.user, meta: madeBy(maker, maker.user) };
    await store.must([
      { op: 'insert', table: 'resource', row: rowOf({ contract, place, id, ...stamped, body: '{"enabled":true}' }) },
      { op: 'insert', table: 'claim', row: claimRow(`log-central ${id}`, contract, `${place}/${id}`) },
    ]);
  }
  return store;
}

test('[LOG-07] a line that is too long, or a full contract, does not affect the lines of others', async (t) => {
  const store = await storeFor(t);
  const kept = new Map<string, string[]>();
  const full = centralId({ contract: 32, region });
  let write: WriteLogLine | undefined;
  const logs = new CentralLogs({
    store,
    logs: {
      async append(jobs: readonly AppendJob[]) {
        for (const job of jobs) {
          packJob(job); // refuses lines that are too long
          if (job.tenant === full) throw new Fault('throttled', 'A pipeline has at most 5000 streams.');
          const lines = kept.get(job.tenant) ?? [];
          kept.set(job.tenant, [...lines, ...job.streams.flatMap((stream) => stream.lines)]);
        }
      },
    },
    log: { info() {}, warn() {}, error() {} } as never,
    now: () => start + 1000,
    isHere: () => true,
    sources: () => [
      {
        tag: 'test',
        product: 'test',
        begin(given) {
          write = given;
        },
      },
    ],
  });
  logs.begin();
  for (const contract of contracts) {
    await store.must([appendEntry(contract, entry(`${contract} ${'ü'.repeat(200_000)}`), start + 1)]);
    await store.must([appendEntry(contract, entry(`${contract} short`), start + 2)]);
    write?.({ contract }, { timeMs: start + 3, line: `${contract} happened` });
  }
  await logs.reconciler().run();
  await logs.close();
  for (const contract of [31, 33]) {
    const [long = '', short = '', own] = kept.get(centralId({ contract, region })) ?? [];
    assert.ok(long.includes(`${contract} üü`) && long.endsWith('ü…'), long.slice(-20));
    assert.ok(Buffer.byteLength(long) > 250_000);
    assert.match(short, new RegExp(`${contract} short`));
    assert.equal(own, `${contract} happened`);
  }
});
