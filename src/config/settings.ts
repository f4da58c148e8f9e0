// The settings as text, from an option or from the config file. Their names are those of the long options; each writes
// one field of its section.
import { type Config, defaultPort, defaultSecurePort, defaults } from './sections.ts';
import {
  flagOf,
  isMetrics,
  isObjects,
  isState,
  isWebAddress,
  mostContract,
  numberOf,
  portOf,
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
      config.monitoring.grafana = text.replace(/\/$/, '');
    },
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
