// The settings as text, from an option or from the config file. Their names are those of the long options; each writes
// one field of its section.
import { isIP } from 'node:net';
import { type Config, defaultPort, defaultSecurePort, defaults } from './sections.ts';
import {
  flagOf,
  isInference,
  isLogs,
  isMetrics,
  isObjects,
  isState,
  isStreaming,
  isWebAddress,
  mostContract,
  numberOf,
  portOf,
  secretIn,
  textOf,
  withoutPassword,
  wrong,
} from './setting-values.ts';

const realPaceMs = 4000;

export interface Setting {
  takes?: string; // what its value is called in the help; absent: it is true or false
  help: string;
  set(config: Config, text: string): void;
}

export const settings: Record<string, Setting> = {
  data: {
    takes: 'DIR',
    help: 'where everything is kept (./data); CUMULET_DATA says the same',
    set: (config, text) => assign(config, { data: textOf('data', text, 'a folder') }),
  },
  state: {
    takes: 'URL',
    help:
      'where the state is kept: postgres://… for several nodes of one region, or sqlite:FOLDER; without it, SQLite in ' +
      'the data folder. CUMULET_STATE says the same, and hides its password from the list of processes',
    set: (config, text) => {
      // No more of it is repeated: it may hold a password.
      if (!isState(text)) throw wrong('state', 'sqlite:FOLDER or postgres://…', text.replace(/[:@].*/, ':…'));
      config.state = text;
    },
  },
  key: {
    takes: 'FILE',
    help: "the key that seals the state's secrets (region.key in the data folder); all nodes of a region share it",
    set: (config, text) => assign(config, { key: textOf('key', text, 'a file') }),
  },
  catalogue: {
    takes: 'FILE',
    help:
      'what the region offers (locations, CPU families, images, templates), instead of the built-in catalogue; ' +
      'CUMULET_CATALOGUE says the same',
    set: (config, text) => assign(config.compute, { catalogue: textOf('catalogue', text, 'a file') }),
  },
  port: {
    takes: 'PORT',
    help: `of the gateway and the proxy (${defaultPort}); with another one, all other listeners take free ports; 0: a free one`,
    set: (config, text) => assign(config.gateway, { port: portOf('port', text) }),
  },
  'https-port': {
    takes: 'PORT',
    help: `of the gateway's HTTPS (${defaultSecurePort})`,
    set: (config, text) => assign(config.gateway, { securePort: portOf('https-port', text) }),
  },
  host: {
    takes: 'ADDRESS',
    help: 'the address to listen on (127.0.0.1); 0.0.0.0: all of this machine',
    set: (config, text) => assign(config.gateway, { host: textOf('host', text, 'an address') }),
  },
  domain: {
    takes: 'NAME',
    help: `the platform's own domain, besides the ones clients have built in (${defaults.gateway.domain})`,
    set: (config, text) => {
      if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) throw wrong('domain', 'a domain name', text);
      config.gateway.domain = text.toLowerCase();
    },
  },
  'public-url': {
    takes: 'URL',
    help: 'how clients elsewhere reach the gateway, such as https://cloud.example:7443',
    set: (config, text) => {
      if (!/^https?:\/\/[^/]+\/?$/.test(text)) throw wrong('public-url', 'http(s)://host[:port]', text);
      config.gateway.publicUrl = text.replace(/\/$/, '');
    },
  },
  'node-url': {
    takes: 'URL',
    help: 'how the other nodes of a region reach this one, such as http://10.0.0.5:7070',
    set: (config, text) => {
      if (!/^http:\/\/[^/]+\/?$/.test(text)) throw wrong('node-url', 'http://host[:port]', text);
      config.gateway.nodeUrl = text.replace(/\/$/, '');
    },
  },
  metrics: {
    takes: 'URL',
    help:
      'where pushed metrics are kept: embedded (in the data folder of one node), here (in that of this node from now ' +
      'on), or prometheus+http://… for a server that takes remote write and answers PromQL',
    set: (config, text) => {
      if (!isMetrics(text)) throw wrong('metrics', 'embedded, here or prometheus+http(s)://…', withoutPassword(text));
      config.monitoring.engine = text;
    },
  },
  grafana: {
    takes: 'URL',
    help: 'a Grafana that pipelines name as their dashboard, instead of the pages of the console',
    set: (config, text) => {
      if (!isWebAddress(text)) throw wrong('grafana', 'http(s)://…', withoutPassword(text));
      const grafana = text.replace(/\/$/, '');
      assign(config.monitoring, { grafana });
      assign(config.logging, { grafana });
    },
  },
  logs: {
    takes: 'URL',
    help:
      'where pushed log lines are kept: embedded (in the data folder of one node), here (in that of this node from now ' +
      'on), loki+http(s)://… or victorialogs+http(s)://… for a server that keeps and searches them',
    set: (config, text) => {
      const expected = 'embedded, here, loki+http(s)://… or victorialogs+http(s)://…';
      if (!isLogs(text)) throw wrong('logs', expected, withoutPassword(text));
      config.logging.engine = text;
    },
  },
  'logs-port': {
    takes: 'PORT',
    help: 'of the forward protocol of log pipelines, by TLS (9000)',
    set: (config, text) => assign(config.logging, { port: portOf('logs-port', text) }),
  },
  objects: {
    takes: 'URL',
    help:
      'where the bytes of objects are kept: embedded (in the data folder of one node), here (in that of this node from ' +
      'now on), or s3+http(s)://KEY:SECRET@HOST/BUCKET of another object storage',
    set: (config, text) => {
      if (!isObjects(text)) throw wrong('objects', 'embedded, here or s3+http(s)://…', withoutPassword(text));
      config.objects.engine = text;
    },
  },
  'objects-port': {
    takes: 'PORT',
    help: 'of the object storage (7071)',
    set: (config, text) => assign(config.objects, { port: portOf('objects-port', text) }),
  },
  streaming: {
    takes: 'URL',
    help:
      'which brokers serve event streaming: embedded (in a thread of one node, with its data folder), here (of this node ' +
      'from now on), kafka+jvm:FOLDER for Apache Kafka from the jars in that folder, or kafka://HOST:PORT,… for brokers ' +
      'that run elsewhere',
    set: (config, text) => {
      if (!isStreaming(text))
        throw wrong('streaming', 'embedded, here, kafka+jvm:FOLDER or kafka://HOST:PORT,…', withoutPassword(text));
      config.streaming.engine = text;
    },
  },
  advertise: {
    takes: 'HOST[:PORT]',
    help:
      'the name or address by which clients elsewhere reach the brokers of new clusters: these listen on all addresses ' +
      'of this machine, each at a port of its own from PORT (9093) on; without it, on loopback addresses at 9093',
    set: (config, text) => {
      const [, host = '', port = '9093'] = /^([a-z0-9]+(?:[.-][a-z0-9]+)*)(?::(\d+))?$/i.exec(text) ?? [];
      if (host === '') throw wrong('advertise', 'a host name or an IPv4 address, with a port or without', text);
      config.streaming.advertised = { host: host.toLowerCase(), port: portOf('advertise', port) };
    },
  },
  flush: {
    takes: 'MS|always',
    help:
      'how often the embedded broker syncs acknowledged records to the disk (1000): a power failure loses no more than ' +
      'that, the death of the process nothing; always: before each acknowledgement',
    set: (config, text) => {
      const expected = 'milliseconds, or always';
      config.streaming.flushMs = text === 'always' ? 0 : numberOf('flush', text, 1, 3_600_000, expected);
    },
  },
  inference: {
    takes: 'URL',
    help:
      'what serves the models: embedded (files that were added, or else the tiny built-in model), or ' +
      'openai+http(s)://HOST/v1 for an OpenAI-compatible server such as vLLM. CUMULET_INFERENCE_KEY has the key that it ' +
      'asks for: one in the address (KEY@HOST) can be seen in the list of processes',
    set: (config, text) => {
      if (!isInference(text)) throw wrong('inference', 'embedded or openai+http(s)://…', withoutPassword(text));
      config.inference.engine = text;
    },
  },
  'inference-key': {
    takes: 'FILE',
    help: 'a file with that key; CUMULET_INFERENCE_KEY has the key itself',
    set: (config, text) => assign(config.inference, { key: secretIn('inference-key', text) }),
  },
  'inference-models': {
    takes: 'ID=NAME,…',
    help:
      'which models that server has, and under which names; * stands for all others. Without it, all of them under ' +
      'the same names',
    set: (config, text) => {
      const pairs = text.split(',').map((pair) => pair.split('=').map((part) => part.trim()));
      if (!pairs.every((pair) => pair.length === 2 && pair.every(Boolean)))
        throw wrong('inference-models', 'ID=NAME with commas between', text);
      config.inference.names = Object.fromEntries(pairs) as Record<string, string>;
    },
  },
  'inference-rate': {
    takes: 'N',
    help: 'requests a second and contract to models (5); twice as many at once',
    set: (config, text) =>
      assign(config.inference, { perSecond: numberOf('inference-rate', text, 1, 1_000_000, 'requests a second') }),
  },
  'dns-port': {
    takes: 'PORT',
    help: 'of the name server, by UDP and TCP (7053)',
    set: (config, text) => assign(config.dns, { port: portOf('dns-port', text) }),
  },
  'dns-peers': {
    takes: 'ADDRESSES',
    help: 'name servers that may transfer zones and are told of changes, with commas between; a port follows a #',
    set: (config, text) => {
      const peers = text.split(',').map((one) => one.trim());
      const isPeer = (one: string): boolean => /^[^#]+(#\d{1,5})?$/.test(one) && isIP(one.replace(/#.*/, '')) > 0;
      if (!peers.every(isPeer)) throw wrong('dns-peers', 'addresses with commas between', text);
      config.dns.peers = peers;
    },
  },
  'public-acme': {
    help: "ask Let's Encrypt and other public CAs themselves for auto-certificates, not the region's own in their place",
    set: (config, text) => assign(config.certificates, { asksPublic: flagOf('public-acme', text) }),
  },
  'acme-ca': {
    takes: 'FILE',
    help: 'certificates in PEM by which ACME servers are trusted, besides the usual ones',
    set: (config, text) => assign(config.certificates, { acmeCa: textOf('acme-ca', text, 'a file') }),
  },
  prices: {
    takes: 'FILE',
    help: 'the price list of bills (meters, units, prices), instead of the built-in one',
    set: (config, text) => assign(config.billing, { prices: textOf('prices', text, 'a file') }),
  },
  pace: {
    takes: 'MS|real',
    help: 'how long each step of provisioning takes (20); real: seconds, as in a datacenter',
    set: (config, text) => {
      const expected = 'milliseconds a step, or real';
      config.operations.paceMs = text === 'real' ? realPaceMs : numberOf('pace', text, 0, 3_600_000, expected);
    },
  },
  hold: {
    takes: 'MS',
    help: "how long a request's status waits for its end before it answers (250)",
    set: (config, text) => assign(config.operations, { holdMs: numberOf('hold', text, 0, 60_000, 'milliseconds') }),
  },
  lab: {
    help: 'the lab at /lab, which moves the clock and plants faults',
    set: (config, text) => assign(config.lab, { isServed: flagOf('lab', text) }),
  },
  'proxy-passthrough': {
    help: 'let the proxy through to other public hosts too, instead of refusing them',
    set: (config, text) => assign(config.gateway, { proxyPassthrough: flagOf('proxy-passthrough', text) }),
  },
  'rate-limit': {
    takes: 'N',
    help: 'calls a minute and contract (600000)',
    set: (config, text) =>
      assign(config.gateway, { rateLimit: numberOf('rate-limit', text, 1, 1e9, 'calls a minute') }),
  },
  'rate-burst': {
    takes: 'N',
    help: 'calls at once and contract (2000)',
    set: (config, text) => assign(config.gateway, { rateBurst: numberOf('rate-burst', text, 1, 1e9, 'calls at once') }),
  },
  'max-connections': {
    takes: 'N',
    help: 'open connections (10000)',
    set: (config, text) =>
      assign(config.gateway, { mostConnections: numberOf('max-connections', text, 1, 1_000_000, 'connections') }),
  },
  owner: {
    takes: 'EMAIL',
    help: `of the first contract, on the first start only (${defaults.identity.ownerEmail})`,
    set: (config, text) => {
      if (!/^[^@\s]+@[^@\s]+$/.test(text)) throw wrong('owner', 'an e-mail address', text);
      config.identity.ownerEmail = text;
    },
  },
  contract: {
    takes: 'NUMBER',
    help: `of the first contract, on the first start only (${defaults.identity.contract})`,
    set: (config, text) =>
      assign(config.identity, { contract: numberOf('contract', text, 1, mostContract, 'a contract number') }),
  },
};

const assign = <T extends object>(section: T, values: Partial<T>): void => void Object.assign(section, values);
