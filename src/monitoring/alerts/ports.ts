// What alerting needs of the rest of the platform; platform.ts hands it over.
import type { Exchange } from '../../surface/http/exchange.ts';
import type { SeriesData } from '../series.ts';
import type { AlertPipeline } from './alert-rows.ts';
import type { DeliveryTools } from './channels/deliveries.ts';

export interface Answer {
  status: number;
  body: Uint8Array; // Prometheus' JSON
}

export interface AlertMetrics {
  query(tenant: string, path: 'query', parameters: URLSearchParams): Promise<Answer>;
  push(tenant: string, series: readonly SeriesData[]): Promise<void>;
}

export interface PipelinePort {
  // Undefined: there is none such any more.
  find(contract: number, id: string): Promise<AlertPipeline | undefined>;
  // One that a call names, where the caller may see it, and change it if that is what they are about to do; a Fault
  // otherwise.
  see(x: Exchange, id: string, changes: boolean): Promise<AlertPipeline>;
}

export interface AlertTools extends DeliveryTools {
  metrics: AlertMetrics;
  pipelines: PipelinePort;
  defaultRegion: string; // of channels that are made without naming one: de-txl
}
