// The billed usage of clusters: bytes in and out and requests. The existence of a cluster is recorded at its creation.
import type { GatheredUsage } from '../../core/metering/gathered-usage.ts';
import { pathOf } from '../../core/resource.ts';
import { cluster } from '../clusters/cluster.ts';
import type { Readings } from './readings.ts';

export async function writeUsage(readings: Readings, usage: GatheredUsage): Promise<void> {
  await readings.read();
  for (const { cluster: row, traffic } of readings.takeTraffic()) {
    const { bytesIn, bytesOut, requests } = traffic;
    usage.add(row.contract, { path: pathOf(row), kind: cluster.name, amounts: { bytesIn, bytesOut, requests } });
  }
  await usage.flush();
}
