// The one typed settings object, and the one home of the process' environment. Options of the command line win over
// the config file, and that over the defaults.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Fault } from './base/fault.ts';
import { isObject, parseJson } from './base/json.ts';

export interface Config {
  data: string;
  state: string; // sqlite:FOLDER or postgres://…
  key: string; // the file of the region's key
  catalogue: string | undefined; // the file of what the region offers; absent: the built-in one
  host: string;
  port: number;
  securePort: number;
  domain: string;
  publicUrl: string | undefined;
  nodeUrl: string | undefined; // how other nodes reach this one; absent: by its host and port
  metrics: string; // embedded, here, or prometheus+http(s)://…
  grafana: string | undefined; // absent: our own dashboards
  paceMs: number;
  holdMs: number;
  lab: boolean;
  proxyPassthrough: boolean;
  rateLimit: number; // calls a minute and contract
  rateBurst: number;
  mostConnections: number;
  ownerEmail: string;
  contract: number;
}

export const defaultPort = 7070;
const defaultSecurePort = 7443;
const realPaceMs = 4000;
export const mostContract = 2_147_483_647; // clients keep contract numbers in 32 bits
export const passwordRule = '5 to 255 characters';
export const isPassword = (text: string): boolean => text.length >= 5 && text.length <= 255;

export const defaults: Config = {
  data: 'data',
  state: '',
  key: '',
  catalogue: undefined,
  host: '127.0.0.1',
  port: defaultPort,
  securePort: defaultSecurePort,
  domain: 'cumulet.local',
  publicUrl: undefined,
  nodeUrl: undefined,
  metrics: 'embedded',
  grafana: undefined,
  paceMs: 20,
  holdMs: 250,
  lab: true,
  proxyPassthrough: false,
  rateLimit: 600_000,
  rateBurst: 2000,
  mostConnections: 10_000,
  ownerEmail: 'owner@cumulet.local',
  contract: 31_000_001,
};

export interface Setting {
  takes?: string; // what its value is called in the help; absent: it is true or false
  help: string;
  set(config: Config, text: string): void;
}

// Each setting as text, from an option or from the config file; the names are those of the long options.
export const settings: Record<string, Setting> = {
  data: {
    takes: 'DIR',
    help: 'where everything is kept (./data)',
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
    set: (config, text) => assign(config, { catalogue: textOf('catalogue', text, 'a file') }),
  },
  port: {
    takes: 'PORT',
    help: `of the gateway and the proxy (${defaultPort}); with another one, all other listeners take free ports; 0: a free one`,
    set: (config, text) => assign(config, { port: portOf('port', text) }),
  },
  'https-port': {
    takes: 'PORT',
    help: `of the gateway's HTTPS (${defaultSecurePort})`,
    set: (config, text) => assign(config, { securePort: portOf('https-port', text) }),
  },
  host: {
    takes: 'ADDRESS',
    help: 'the address to listen on (127.0.0.1); 0.0.0.0: all of this machine',
    set: (config, text) => assign(config, { host: textOf('host', text, 'an address') }),
  },
  domain: {
    takes: 'NAME',
    help: `the platform's own domain, besides the ones clients have built in (${defaults.domain})`,
    set: (config, text) => {
      if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) throw wrong('domain', 'a domain name', text);
      config.domain = text.toLowerCase();
    },
  },
  'public-url': {
    takes: 'URL',
    help: 'how clients elsewhere reach the gateway, such as https://cloud.example:7443',
    set: (config, text) => {
      if (!/^https?:\/\/[^/]+\/?$/.test(text)) throw wrong('public-url', 'http(s)://host[:port]', text);
      config.publicUrl = text.replace(/\/$/, '');
    },
  },
  'node-url': {
    takes: 'URL',
    help: 'how the other nodes of a region reach this one, such as http://10.0.0.5:7070',
    set: (config, text) => {
      if (!/^http:\/\/[^/]+\/?$/.test(text)) throw wrong('node-url', 'http://host[:port]', text);
      config.nodeUrl = text.replace(/\/$/, '');
    },
  },
  metrics: {
    takes: 'URL',
    help:
      'where pushed metrics are kept: embedded (in the data folder of one node), here (in that of this node from now ' +
      'on), or prometheus+http://… for a server that takes remote write and answers PromQL',
    set: (config, text) => {
      if (!isMetrics(text)) throw wrong('metrics', 'embedded, here or prometheus+http(s)://…', withoutPassword(text));
      config.metrics = text;
    },
  },
  grafana: {
    takes: 'URL',
    help: 'a Grafana that pipelines name as their dashboard, instead of the pages of the console',
    set: (config, text) => {
      if (!isWebAddress(text)) throw wrong('grafana', 'http(s)://…', withoutPassword(text));
      config.grafana = text.replace(/\/$/, '');
    },
  },
  pace: {
    takes: 'MS|real',
    help: 'how long each step of provisioning takes (20); real: seconds, as in a datacenter',
    set: (config, text) => {
      const expected = 'milliseconds a step, or real';
      config.paceMs = text === 'real' ? realPaceMs : numberOf('pace', text, 0, 3_600_000, expected);
    },
  },
  hold: {
    takes: 'MS',
    help: "how long a request's status waits for its end before it answers (250)",
    set: (config, text) => assign(config, { holdMs: numberOf('hold', text, 0, 60_000, 'milliseconds') }),
  },
  lab: {
    help: 'the lab at /lab, which moves the clock and plants faults',
    set: (config, text) => assign(config, { lab: flagOf('lab', text) }),
  },
  'proxy-passthrough': {
    help: 'let the proxy through to other public hosts too, instead of refusing them',
    set: (config, text) => assign(config, { proxyPassthrough: flagOf('proxy-passthrough', text) }),
  },
  'rate-limit': {
    takes: 'N',
    help: 'calls a minute and contract (600000)',
    set: (config, text) => assign(config, { rateLimit: numberOf('rate-limit', text, 1, 1e9, 'calls a minute') }),
  },
  'rate-burst': {
    takes: 'N',
    help: 'calls at once and contract (2000)',
    set: (config, text) => assign(config, { rateBurst: numberOf('rate-burst', text, 1, 1e9, 'calls at once') }),
  },
  'max-connections': {
    takes: 'N',
    help: 'open connections (10000)',
    set: (config, text) =>
      assign(config, { mostConnections: numberOf('max-connections', text, 1, 1_000_000, 'connections') }),
  },
  owner: {
    takes: 'EMAIL',
    help: `of the first contract, on the first start only (${defaults.ownerEmail})`,
    set: (config, text) => {
      if (!/^[^@\s]+@[^@\s]+$/.test(text)) throw wrong('owner', 'an e-mail address', text);
      config.ownerEmail = text;
    },
  },
  contract: {
    takes: 'NUMBER',
    help: `of the first contract, on the first start only (${defaults.contract})`,
    set: (config, text) =>
      assign(config, { contract: numberOf('contract', text, 1, mostContract, 'a contract number') }),
  },
};

export function configOf(options: ReadonlyMap<string, string>): Config {
  const config = { ...defaults };
  const file = options.get('config');
  if (file !== undefined) readFile(file, (name, text) => set(config, name, text));
  for (const [name, text] of options) if (name !== 'config') set(config, name, text);
  // Regions side by side: who chooses the main port leaves the others to the machine.
  if (config.port !== defaultPort && config.securePort === defaultSecurePort) config.securePort = 0;
  config.data = resolve(config.data);
  config.state ||= environment.state() ?? `sqlite:${config.data}`;
  config.key = resolve(config.key || join(config.data, 'region.key'));
  config.catalogue ??= environment.catalogue();
  if (config.catalogue !== undefined) config.catalogue = resolve(config.catalogue);
  return config;
}

function set(config: Config, name: string, text: string): void {
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
  if (!setting) throw new Fault('refused', `There is no setting ${name}. Known: ${Object.keys(settings).join(', ')}.`);
  setting.set(config, text);
}

function readFile(file: string, take: (name: string, text: string) => void): void {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const known: Record<string, string> = {
      ENOENT: `There is no file ${file}, which --config names.`,
      EISDIR: `The config file ${file} is a folder, no file.`,
    };
    throw new Fault('refused', known[code] ?? `The config file ${file} can't be read (${code}).`, { cause: error });
  }
  try {
    const value = parseJson(bytes);
    if (!isObject(value)) throw new Fault('refused', 'The body must be a JSON object of settings.');
    for (const [name, one] of Object.entries(value)) take(name, String(one));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // Settings of a file are no options: they stand there without the dashes.
    const why = error.message.replace(/^The body/, 'it').replace(/^--/, '');
    throw new Fault('refused', `The config file ${file} can't be used: ${why}`);
  }
}

const isState = (text: string): boolean => /^(sqlite|postgres|postgresql):./.test(text);
const isWebAddress = (text: string): boolean => /^https?:\/\/[^/\s]/.test(text) && URL.canParse(text);
const isMetrics = (text: string): boolean =>
  text === 'embedded' ||
  text === 'here' ||
  (text.startsWith('prometheus+') && isWebAddress(text.slice('prometheus+'.length)));
const withoutPassword = (text: string): string => text.replace(/:\/\/.*@/, '://…@');

const assign = (config: Config, values: Partial<Config>): void => void Object.assign(config, values);

function textOf(name: string, text: string, expected: string): string {
  if (text === '') throw wrong(name, expected, text);
  return text;
}

const wrong = (name: string, expected: string, text: string): Fault =>
  new Fault('refused', `--${name} expects ${expected}, not '${text}'.`);

function flagOf(name: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw wrong(name, 'true or false', text);
  return text === 'true';
}

const portOf = (name: string, text: string): number => numberOf(name, text, 0, 65_535, 'a port');

function numberOf(name: string, text: string, min: number, max: number, expected: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < min || value > max)
    throw wrong(name, `${expected} (${min} to ${max})`, text);
  return value;
}

// What comes from the environment and nowhere else.
export const environment = {
  state: (): string | undefined => {
    const given = process.env.CUMULET_STATE ?? '';
    if (given === '' || given === 'postgres') return undefined; // the bare word is for `cumulet test`
    if (isState(given)) return given;
    throw wrong('state', 'sqlite:FOLDER or postgres://… in CUMULET_STATE', given.replace(/[:@].*/, ':…'));
  },
  catalogue: (): string | undefined => process.env.CUMULET_CATALOGUE || undefined,
  ownerPassword: (): string | undefined => {
    const given = process.env.CUMULET_OWNER_PASSWORD || undefined;
    if (given !== undefined && !isPassword(given))
      throw new Fault('refused', `CUMULET_OWNER_PASSWORD expects ${passwordRule}, not ${given.length}.`);
    return given;
  },
  configFolder: (): string => resolve(process.env.XDG_CONFIG_HOME || resolve(homedir(), '.config'), 'cumulet'),
  variables: (): Readonly<Record<string, string | undefined>> => process.env, // as the shell has them; for `env`
  isPlain: (): boolean => process.env.NO_COLOR !== undefined || process.env.TERM === 'dumb',
  command: (): string => process.env.CUMULET_COMMAND || 'cumulet', // as the user typed it; the start script tells
  isNpx: (): boolean => process.env.CUMULET_COMMAND === undefined && process.env.npm_command === 'exec',
  isCheckout: (): boolean => process.env.CUMULET_COMMAND !== undefined,
  wantsDetails: (): boolean => (process.env.CUMULET_DEBUG ?? '') !== '',
};
