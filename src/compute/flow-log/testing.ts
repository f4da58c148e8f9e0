// For tests of flow logs: object storage in memory, and traffic captured on a store of rows, with a clock that the test
// moves.
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import type { Values } from '../../base/json.ts';
import { type Log, silent } from '../../base/log.ts';
import type { Reconciler, ReconcilerHome } from '../../core/reconciler.ts';
import { rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { ObjectWriter } from '../../surface/ports.ts';
import { datacenter, nic } from '../network/contract/samples.ts';
import { SimulatedNetwork } from '../network/simulated-network.ts';
import type { DatacenterSpec, Nic } from '../network/spec.ts';
import { rowsOf, storeFor, writeRows } from '../network/testing.ts';
import { regionRanges, Traffic } from '../network/traffic.ts';
import { type CaptureBounds, FlowCapture } from './capture.ts';
import { intervalMs } from './interval.ts';
import { flowLogPublisher } from './publisher.ts';

export const everywhereHome: ReconcilerHome = { isShared: true, isHere: true, isOnOtherNode: false, follow() {} };

export class MemoryObjects implements ObjectWriter {
  readonly #buckets = new Map<string, Map<string, Buffer>>();
  readonly puts: string[] = []; // the keys, in the order in which they were written

  make(contract: number, bucket: string): void {
    this.#buckets.set(`${contract} ${bucket}`, new Map());
  }

  remove(contract: number, bucket: string): void {
    this.#buckets.delete(`${contract} ${bucket}`);
  }

  // The records of all objects, by key; each record as its fields.
  records(contract: number, bucket: string): Record<string, string[][]> {
    const objects = [...(this.#buckets.get(`${contract} ${bucket}`) ?? [])];
    return Object.fromEntries(objects.map(([key, body]) => [key, recordsIn(body)]));
  }

  home = everywhereHome;

  async canWrite(contract: number, bucket: string): Promise<boolean> {
    return this.#buckets.has(`${contract} ${bucket}`);
  }

  async put(contract: number, bucket: string, key: string, body: Buffer, _: { contentType: string }): Promise<void> {
    const objects = this.#buckets.get(`${contract} ${bucket}`);
    if (!objects) throw new Fault('missing', 'NoSuchBucket');
    this.puts.push(key);
    objects.set(key, body);
  }

  async exists(contract: number, bucket: string, key: string): Promise<boolean> {
    return this.#buckets.get(`${contract} ${bucket}`)?.has(key) ?? false;
  }
}

export const recordsIn = (object: Buffer): string[][] =>
  gunzipSync(object)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '));

export interface FlowLogWorld {
  store: Store;
  objects: ObjectWriter;
  traffic: Traffic;
  clock: { time: number; now(): number };
  publisher: Reconciler;
  publish(): Promise<void>;
  // Of the interface at this path. Returns its path.
  addFlowLog(contract: number, owner: string, values?: Values): Promise<string>;
}

// A NIC with ids like those of the API: it is found by its MAC.
export function nicOf(lanId: number, ip: string, parts: Partial<Nic> = {}): Nic {
  const id = uuid();
  const bytes = id.replaceAll('-', '').slice(-8).match(/../g) ?? [];
  return { ...nic(id, lanId, ip), server: uuid(), mac: `02:01:${bytes.join(':')}`, ...parts };
}

// The clock starts at the beginning of an interval.
export function flowLogWorld(
  store: Store,
  objects: ObjectWriter,
  options: { bounds?: CaptureBounds; log?: Log; time?: number } = {},
): FlowLogWorld {
  const clock = { time: options.time ?? 1_800_000_000_000, now: () => clock.time };
  const network = new SimulatedNetwork({ now: clock.now, ranges: regionRanges });
  const capture = new FlowCapture(store, options.bounds);
  const publisher = flowLogPublisher({ store, clock, log: options.log ?? silent, writer: () => objects });
  return {
    store,
    objects,
    clock,
    traffic: new Traffic(store, network, { now: clock.now, capture: () => capture }),
    publisher,
    publish: () => publisher.run(),
    async addFlowLog(contract, owner, values = {}) {
      const usual = { name: 'web', action: 'ALL', direction: 'BIDIRECTIONAL', bucket: 'logs' };
      const [place, id] = [`${owner}/flowlogs`, uuid()];
      const body = JSON.stringify({ ...usual, ...values });
      const row = rowOf({ contract, place, id, kind: 'flowlog', state: 'AVAILABLE', body });
      await store.must([{ op: 'insert', table: 'resource', row }]);
      return `${place}/${id}`;
    },
  };
}

export interface TestWorld extends FlowLogWorld {
  objects: MemoryObjects;
  datacenter: string; // its path
  nicPath(nic: { id: string; server: string }): string;
  // Ends the interval, and returns the records of all its objects without version and account.
  published(contract?: number): Promise<string[]>;
}

export async function openWorld(
  t: TestContext,
  parts: Partial<DatacenterSpec>,
  options: Parameters<typeof flowLogWorld>[2] = {},
): Promise<TestWorld> {
  const store = await storeFor(t);
  const id = uuid();
  await writeRows(store, rowsOf(datacenter(id, parts), 1));
  const objects = new MemoryObjects();
  for (const contract of [1, 2]) objects.make(contract, 'logs');
  const world = flowLogWorld(store, objects, options);
  const path = `datacenters/${id}`;
  return {
    ...world,
    objects,
    datacenter: path,
    nicPath: (nic) => `${path}/servers/${nic.server}/nics/${nic.id}`,
    async published(contract = 1) {
      const before = new Set(Object.keys(objects.records(contract, 'logs')));
      world.clock.time += intervalMs;
      await world.publish();
      const fresh = Object.entries(objects.records(contract, 'logs')).filter(([key]) => !before.has(key));
      return fresh.flatMap(([, records]) => records.map((fields) => fields.slice(2).join(' ')));
    },
  };
}
