// The settings that belong to no product. Their names are those of the long options; each writes one field.
import { assign, type Setting } from './section.ts';
import { type Config, defaultPort, defaultSecurePort, defaults } from './sections.ts';
import {
  collectorUrl,
  flagOf,
  isWebAddress,
  mostContract,
  numberOf,
  originOf,
  portOf,
  stateAddress,
  textOf,
  withoutPassword,
  wrong,
} from './setting-values.ts';

const realPaceMs = 4000;
const longestStopS = 86_400;

export const settings: Readonly<Record<string, Setting<Config>>> = {
  data: {
    takes: 'DIR',
    help: 'the data folder (./data); also set by CUMULET_DATA',
    set: (config, text) => assign(config, { data: textOf('data', text, 'a folder') }),
  },
  state: {
    takes: 'URL',
    help:
      'the state engine: postgres://… for several nodes of one region, or sqlite:FOLDER; by default, SQLite in ' +
      'the data folder. CUMULET_STATE sets it too, and hides its password from the list of processes',
    set: (config, text) => assign(config, { state: stateAddress(text) }),
  },
  key: {
    takes: 'FILE',
    help: "the key that seals the state's secrets (region.key in the data folder); all nodes of a region share it",
    set: (config, text) => assign(config, { key: textOf('key', text, 'a file') }),
  },
  catalogue: {
    takes: 'FILE',
    help:
      'a catalogue of locations, CPU families, images and templates, instead of the built-in one; also set by ' +
      'CUMULET_CATALOGUE',
    set: (config, text) => assign(config, { catalogue: textOf('catalogue', text, 'a file') }),
  },
  port: {
    takes: 'PORT',
    help: `of the gateway and the proxy (${defaultPort}); with another port, all other listeners use free ports; 0: a free port`,
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
    help: `the platform's own domain, in addition to the ones built into clients (${defaults.gateway.domain})`,
    set: (config, text) => {
      if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) throw wrong('domain', 'a domain name', text);
      config.gateway.domain = text.toLowerCase();
    },
  },
  'public-url': {
    takes: 'URL',
    help: 'the URL of the gateway for clients on other machines, such as https://cloud.example:7443',
    set: (config, text) => assign(config.gateway, { publicUrl: originOf('public-url', text) }),
  },
  'node-url': {
    takes: 'URL',
    help: 'the URL of this node for the other nodes of the region, such as http://10.0.0.5:7070',
    set: (config, text) => {
      if (!/^http:\/\/[^/]+\/?$/.test(text)) throw wrong('node-url', 'http://host[:port]', text);
      config.gateway.nodeUrl = text.replace(/\/$/, '');
    },
  },
  grafana: {
    takes: 'URL',
    help: 'the URL of a Grafana that pipelines link to, instead of the pages of the console',
    set: (config, text) => {
      if (!isWebAddress(text)) throw wrong('grafana', 'http(s)://…', withoutPassword(text));
      config.grafana = text.replace(/\/$/, '');
    },
  },
  traces: {
    takes: 'URL',
    help:
      'send traces of calls and operations by OTLP over HTTP to a collector, such as http://HOST:4318; also set by ' +
      'OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    set: (config, text) => assign(config, { traces: collectorUrl(text) }),
  },
  pace: {
    takes: 'MS|real',
    help: 'the duration of each provisioning step (20); real: seconds, as in a datacenter',
    set: (config, text) => {
      const expected = 'milliseconds a step, or real';
      config.operations.paceMs = text === 'real' ? realPaceMs : numberOf('pace', text, 0, 3_600_000, expected);
    },
  },
  hold: {
    takes: 'MS',
    help: 'how long the status call of a pending request waits for its end (250)',
    set: (config, text) => assign(config.operations, { holdMs: numberOf('hold', text, 0, 60_000, 'milliseconds') }),
  },
  'proxy-passthrough': {
    help: 'forward proxy requests to other public hosts too, instead of refusing them',
    set: (config, text) => assign(config.gateway, { proxyPassthrough: flagOf('proxy-passthrough', text) }),
  },
  'rate-limit': {
    takes: 'N',
    help: 'calls per minute and contract (600000)',
    set: (config, text) =>
      assign(config.gateway, { rateLimit: numberOf('rate-limit', text, 1, 1e9, 'calls a minute') }),
  },
  'rate-burst': {
    takes: 'N',
    help: 'burst of calls per contract (2000)',
    set: (config, text) => assign(config.gateway, { rateBurst: numberOf('rate-burst', text, 1, 1e9, 'calls at once') }),
  },
  'max-connections': {
    takes: 'N',
    help: 'open connections (10000)',
    set: (config, text) =>
      assign(config.gateway, { mostConnections: numberOf('max-connections', text, 1, 1_000_000, 'connections') }),
  },
  drain: {
    takes: 'SECONDS',
    help:
      'how long a stopping node answers /ready with 503 and still serves all calls, so that load balancers stop using ' +
      'it (0; on PostgreSQL 1)',
    set: (config, text) =>
      assign(config.gateway, { drainMs: 1000 * numberOf('drain', text, 0, longestStopS, 'seconds') }),
  },
  'stop-limit': {
    takes: 'SECONDS',
    help: 'how long running calls, downloads and uploads of a stopping node may take, after its --drain (5)',
    set: (config, text) =>
      assign(config.gateway, { stopLimitMs: 1000 * numberOf('stop-limit', text, 0, longestStopS, 'seconds') }),
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
