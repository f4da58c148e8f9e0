// The settings of log pipelines.
import { assign, type Section } from '../config/section.ts';
import { engineAddress, portOf, wrong } from '../config/setting-values.ts';
import { logEngines } from './engine/open.ts';

export interface LoggingSettings {
  engine: string; // embedded, here, loki+http(s)://… or victorialogs+http(s)://…
  port: number | undefined;
  publicAddress: PublicAddress | undefined; // absent: the host of the gateway and the port
}

export interface PublicAddress {
  host: string | undefined; // absent: that of the gateway
  port: number;
}

export const loggingSettings: Section<LoggingSettings> = {
  defaults: { engine: 'embedded', port: undefined, publicAddress: undefined },
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
    'logs-public-address': {
      takes: 'ADDRESS',
      help:
        'the address of the forward protocol for agents on other machines, such as :24224 or logs.cloud.example:24224; ' +
        'by default the host of --domain or --public-url with the port of this node',
      set: (values, text) => assign(values, { publicAddress: publicAddressOf(text) }),
    },
  },
};

function publicAddressOf(text: string): PublicAddress {
  const name = 'logs-public-address';
  const [, host = '', port = ''] = /^([^\s:/@]*|\[[0-9a-f:.]+\]):(\d+)$/i.exec(text) ?? [];
  if (port === '') throw wrong(name, 'host:port or :port', text);
  return { host: host === '' ? undefined : host, port: portOf(name, port) };
}
