// The settings of metric pipelines.
import { assign, type Section } from '../config/section.ts';
import { engineAddress } from '../config/setting-values.ts';
import { metricEngines } from './engine/open.ts';

export interface MonitoringSettings {
  engine: string; // embedded, here, or prometheus+http(s)://…
}

export const monitoringSettings: Section<MonitoringSettings> = {
  defaults: { engine: 'embedded' },
  engineOption: 'metrics',
  options: {
    metrics: {
      takes: 'URL',
      help:
        'where metrics are stored: embedded (in the data folder of one node), here (moves them to this node), ' +
        'or prometheus+http://… for a server with remote write and PromQL',
      set: (values, text) => assign(values, { engine: engineAddress('metrics', text, metricEngines) }),
    },
  },
};
