// The settings of event streaming.
import { assign, type Section } from '../config/section.ts';
import { engineAddress, numberOf, portOf, wrong } from '../config/setting-values.ts';
import { streamingEngines } from './engine/open.ts';

export interface StreamingSettings {
  engine: string; // embedded, here, kafka+jvm:FOLDER, kafka+list:FILE or kafka://…
  advertised: { host: string; port: number } | undefined; // for clients on other machines; absent: loopback
  flushMs: number; // how often the embedded broker syncs what it acknowledged; 0: before it acknowledges
}

export const streamingSettings: Section<StreamingSettings> = {
  defaults: { engine: 'embedded', advertised: undefined, flushMs: 1000 },
  engineOption: 'streaming',
  options: {
    streaming: {
      takes: 'URL',
      help:
        'the brokers of event streaming: embedded (in a thread of one node, in its data folder), here (moves them ' +
        'to this node), kafka+jvm:FOLDER for Apache Kafka from the jars in that folder, kafka+list:FILE for ' +
        'outside brokers (each line is one cluster: kafka://HOST:PORT,…?ca=FILE&ca-key=FILE), or one such line',
      set: (values, text) => assign(values, { engine: engineAddress('streaming', text, streamingEngines) }),
    },
    advertise: {
      takes: 'HOST[:PORT]',
      help:
        'the name or address by which clients on other machines reach the brokers of new clusters, which listen on ' +
        'all addresses of this machine, each at its own port from PORT (9093) on; without it, on loopback at 9093',
      set: (values, text) => {
        const [, host = '', port = '9093'] = /^([a-z0-9]+(?:[.-][a-z0-9]+)*)(?::(\d+))?$/i.exec(text) ?? [];
        if (host === '') throw wrong('advertise', 'a host name or an IPv4 address, with an optional port', text);
        values.advertised = { host: host.toLowerCase(), port: portOf('advertise', port) };
      },
    },
    flush: {
      takes: 'MS|always',
      help:
        'how often the embedded broker syncs acknowledged records to disk (1000): a power failure loses at most this ' +
        'time, a crash of the process nothing; always: before each acknowledgement',
      set: (values, text) => {
        const expected = 'milliseconds, or always';
        values.flushMs = text === 'always' ? 0 : numberOf('flush', text, 1, 3_600_000, expected);
      },
    },
  },
};
