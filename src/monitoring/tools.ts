// The dependencies of decisions about pipelines.
import type { Store } from '../core/store.ts';
import type { AddressSettings } from '../surface/pipelines/addresses.ts';
import { PipelineNumbers } from '../surface/pipelines/numbers.ts';
import { scope } from './names.ts';

// The part of the metric engine that management needs.
export interface MetricPort {
  drop(tenant: string): Promise<void>;
}

export interface MonitoringTools {
  metrics: MetricPort;
  addresses: AddressSettings;
  products: readonly string[]; // products that push their own metrics with central monitoring enabled
  numbers: PipelineNumbers;
}

export const monitoringTools = (store: Store, given: Omit<MonitoringTools, 'numbers'>): MonitoringTools => ({
  ...given,
  numbers: new PipelineNumbers(store, scope),
});
