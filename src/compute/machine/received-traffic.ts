// Packets that the lab sent and that reached or left a machine: they count into its usage in addition to its load. The
// newest are kept.
import type { Reconciler } from '../../core/reconciler.ts';
import { pathOf } from '../../core/resource.ts';
import { type Key, type Row, rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { lastUntil, type Usage } from './load.ts';

export interface Passed {
  inBytes: number;
  inPackets: number;
  outBytes: number;
  outPackets: number;
}

// Each entry has the sums up to it, so that an interval costs two lookups.
export type TrafficEntry = Passed & { at: number };
export type TrafficHistory = readonly TrafficEntry[];

const maxEntries = 512;

export const noTraffic: Passed = { inBytes: 0, inPackets: 0, outBytes: 0, outPackets: 0 };

export function withTraffic(history: TrafficHistory, passed: Passed, at: number): TrafficHistory {
  const last = history.at(-1);
  const sums = added(last ?? noTraffic, passed);
  const time = Math.max(at, last?.at ?? at);
  const before = last?.at === time ? history.slice(0, -1) : history;
  return [...before, { at: time, ...sums }].slice(-maxEntries);
}

export const added = (one: Passed, other: Passed): Passed => ({
  inBytes: one.inBytes + other.inBytes,
  inPackets: one.inPackets + other.inPackets,
  outBytes: one.outBytes + other.outBytes,
  outPackets: one.outPackets + other.outPackets,
});

// A packet at the very end of an interval belongs to the next one.
export function withPassed(usage: Usage, history: TrafficHistory): Usage {
  if (history.length === 0) return usage;
  const until = (at: number): Passed => history[lastUntil(history, at - 1)] ?? noTraffic;
  // Traffic before the oldest kept entry has no known time, so it counts for no interval.
  const oldest = (history[0]?.at ?? 0) - 1;
  const [before, after] = [until(Math.max(usage.from, oldest)), until(usage.to)];
  return {
    ...usage,
    networkInBytes: usage.networkInBytes + after.inBytes - before.inBytes,
    networkInPackets: usage.networkInPackets + after.inPackets - before.inPackets,
    networkOutBytes: usage.networkOutBytes + after.outBytes - before.outBytes,
    networkOutPackets: usage.networkOutPackets + after.outPackets - before.outPackets,
  };
}

// Not among the rows of the contract, whose cached resources would be invalidated.
const place = 'received-traffic';

interface Kept {
  contract: number;
  path: string;
  history: TrafficHistory;
}

export async function recordTraffic(store: Store, server: Key, passed: Passed, now: number): Promise<void> {
  await store.change(async () => {
    const row = await store.get(0, place, server.id);
    const kept: Kept = {
      contract: server.contract,
      path: pathOf(server),
      history: withTraffic(trafficIn(row), passed, now),
    };
    const fresh = rowOf({ contract: 0, place, id: server.id, kind: 'traffic', time: now });
    const next = { ...(row ?? fresh), body: JSON.stringify(kept) };
    return { writes: [{ op: row ? 'update' : 'insert', table: 'resource', row: next }], value: undefined };
  });
}

export const trafficRow = (store: Store, serverId: string): Promise<Row | undefined> => store.get(0, place, serverId);

export const trafficIn = (row: Row | undefined): TrafficHistory => (row ? (JSON.parse(row.body) as Kept).history : []);

// Forgets the entries of deleted servers.
export const trafficRetention = (store: Store): Reconciler => ({
  name: 'received-traffic',
  everyMs: 3_600_000,
  async run() {
    for await (const row of store.each({ contract: 0, place })) {
      const { contract, path } = JSON.parse(row.body) as Kept;
      if (!(await store.at(contract, path)))
        await store.apply([{ op: 'remove', table: 'resource', key: row, version: row.version }]);
    }
  },
});
