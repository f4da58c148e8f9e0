// The usage and limits of a contract as metrics: the same figures as in GET /contracts.
import type { MetricSource } from '../../core/resource-metrics.ts';
import type { Store } from '../../core/store.ts';
import { counted, type Limits } from './limits.ts';

// Only current values are known, so only the last of the requested minutes has them. They are the contract's, not a
// region's, so only the home region reports them.
export function contractMetrics(
  store: Store,
  limitsOf: (contract: number) => Promise<Limits> | Limits,
  home: string,
): MetricSource {
  return async function* (contract, region, ends) {
    if (region !== home) return;
    const [counters, limits] = [await store.engine.counters(contract, Object.keys(counted)), await limitsOf(contract)];
    const now = (value: number) => ends.map((_, at) => (at === ends.length - 1 ? value : undefined));
    for (const [counter, limit] of Object.entries(counted)) {
      const labels = { resource: counter };
      yield { name: 'contract_resource_provisioned', labels, values: now(counters.get(counter) ?? 0) };
      if (limit) yield { name: 'contract_resource_limit', labels, values: now(limits[limit]) };
    }
  };
}
