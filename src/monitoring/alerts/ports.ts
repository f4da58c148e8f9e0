// The parts of the platform that alerting needs.
import type { AlertPipeline } from '../../surface/alerting/source.ts';
import type { SeriesData } from '../series.ts';
import type { DeliveryTools } from './channels/deliveries.ts';
import type { AlertSources } from './sources.ts';

// The owner of metrics: a pipeline, or the central monitoring of a contract.
export type MetricOwner = Pick<AlertPipeline, 'id' | 'contract'>;
export type PushSeries = (owner: MetricOwner, series: readonly SeriesData[]) => Promise<void>;

export interface AlertTools extends DeliveryTools {
  sources: AlertSources;
  push: PushSeries;
  defaultRegion: string; // of channels that are created without a region: de-txl
}
