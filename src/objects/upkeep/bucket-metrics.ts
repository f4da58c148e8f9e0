// The content and traffic of a contract's buckets, for central monitoring. Buckets belong to no location, so the
// catalogue's home region reports them.
import type { MetricSource } from '../../core/resource-metrics.ts';
import type { Store } from '../../core/store.ts';
import { type Buckets, bucketPath, byteCounter, objectCounter } from '../metadata/bucket.ts';
import type { StorageUsage } from './usage.ts';

// Only current values are known, so only the last of the requested minutes has them.
export function bucketMetrics(store: Store, buckets: Buckets, usage: StorageUsage, home: string): MetricSource {
  return async function* (contract, region, ends) {
    if (region !== home) return;
    const all = await buckets.list(contract);
    const counters = await store.engine.counters(
      contract,
      all.flatMap((one) => [objectCounter(one), byteCounter(one)]),
    );
    for (const bucket of all) {
      const { requests, bytesIn, bytesOut } = usage.totalsOf(bucketPath(bucket));
      const values = {
        bucket_objects: counters.get(objectCounter(bucket)) ?? 0,
        bucket_size_bytes: counters.get(byteCounter(bucket)) ?? 0,
        bucket_requests_total: requests,
        bucket_in_bytes_total: bytesIn,
        bucket_out_bytes_total: bytesOut,
      };
      for (const [name, value] of Object.entries(values))
        yield {
          name,
          labels: { bucket: bucket.name },
          values: ends.map((_, at) => (at === ends.length - 1 ? value : undefined)),
        };
    }
  };
}
