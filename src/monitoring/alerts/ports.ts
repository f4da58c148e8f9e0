// What alerting needs of the rest of the platform.
import type { Exchange } from '../../surface/http/exchange.ts';
import type { SeriesData } from '../series.ts';
import type { AlertPipeline } from './alert-rows.ts';
import type { DeliveryTools } from './channels/deliveries.ts';

export interface Answer {
  status: number;
  body: Uint8Array; // Prometheus' JSON
  isTooHeavy?: boolean; // it took too much time or memory
}

// Whose metrics: of a pipeline, or of the central monitoring of a contract.
export type MetricOwner = Pick<AlertPipeline, 'id' | 'contract'>;

export interface AlertMetrics {
  query(owner: MetricOwner, path: 'query', parameters: URLSearchParams): Promise<Answer>;
  push(owner: MetricOwner, series: readonly SeriesData[]): Promise<void>;
}

export interface PipelinePort {
  // Undefined: it does not exist any more.
  find(contract: number, id: string): Promise<AlertPipeline | undefined>;
  // The pipeline that a call names, if the caller may see it (and change it, for a change); otherwise a Fault.
  see(x: Exchange, id: string, changes: boolean): Promise<AlertPipeline>;
}

export interface AlertTools extends DeliveryTools {
  metrics: AlertMetrics;
  pipelines: PipelinePort;
  defaultRegion: string; // of channels that are made without naming one: de-txl
}
