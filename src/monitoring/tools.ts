// What decisions about pipelines need.
import type { Store } from '../core/store.ts';
import type { AddressSettings } from '../surface/pipelines/addresses.ts';
import { PipelineNumbers } from '../surface/pipelines/numbers.ts';
import { scope } from './names.ts';

// What management needs of the metric engine.
export interface MetricPort {
  drop(tenant: string): Promise<void>;
}

export interface MonitoringTools {
  metrics: MetricPort;
  addresses: AddressSettings;
  products: readonly string[]; // those that push their own metrics where central monitoring is on
  numbers: PipelineNumbers;
}

export const monitoringTools = (store: Store, given: Omit<MonitoringTools, 'numbers'>): MonitoringTools => ({
  ...given,
  numbers: new PipelineNumbers(store, scope),
});
