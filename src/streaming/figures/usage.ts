// What clusters used up, for the bills: bytes in and out and requests, written every minute. A crash loses a minute of
// it at most. That a cluster exists is marked with its creation.
import { consumptionEntry } from '../../core/meter.ts';
import { pathOf } from '../../core/resource.ts';
import type { Store } from '../../core/store.ts';
import { cluster } from '../clusters/cluster.ts';
import type { Readings } from './readings.ts';

export async function writeUsage(store: Store, readings: Readings, now: number): Promise<void> {
  await readings.read();
  const writes = readings
    .takeTraffic()
    .map(({ cluster: row, traffic: { bytesIn, bytesOut, requests } }) =>
      consumptionEntry(
        row.contract,
        { path: pathOf(row), kind: cluster.name, amounts: { bytesIn, bytesOut, requests } },
        now,
      ),
    );
  if (writes.length > 0) await store.must(writes);
}
