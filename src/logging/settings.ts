// The settings of log pipelines.
import { assign, type Section } from '../config/section.ts';
import { engineAddress, portOf } from '../config/setting-values.ts';
import { logEngines } from './engine/open.ts';

export interface LoggingSettings {
  engine: string; // embedded, here, loki+http(s)://… or victorialogs+http(s)://…
  port: number | undefined;
}

export const loggingSettings: Section<LoggingSettings> = {
  defaults: { engine: 'embedded', port: undefined },
  engineOption: 'logs',
  options: {
    logs: {
      takes: 'URL',
      help:
        'where log lines are stored: embedded (in the data folder of one node), here (moves them to this node), ' +
        'loki+http(s)://… or victorialogs+http(s)://… for a server that stores and searches them',
      set: (values, text) => assign(values, { engine: engineAddress('logs', text, logEngines) }),
    },
    'logs-port': {
      takes: 'PORT',
      help: 'port of the forward protocol of log pipelines, over TLS (9000)',
      set: (values, text) => assign(values, { port: portOf('logs-port', text) }),
    },
  },
};
