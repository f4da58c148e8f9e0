// The one typed settings object, and the one home of the process' environment. Options of the command line win over
// the config file, and that over the defaults.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { Fault } from './base/fault.ts';
import { isObject, parseJson } from './base/json.ts';

export interface Config {
  data: string;
  host: string;
  port: number;
  securePort: number;
  domain: string;
  publicUrl: string | undefined;
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

export const defaults: Config = {
  data: 'data',
  host: '127.0.0.1',
  port: defaultPort,
  securePort: defaultSecurePort,
  domain: 'cumulet.local',
  publicUrl: undefined,
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

// Each setting as text, from an option or from the config file; the names are those of the long options.
export const settings: Record<string, (config: Config, text: string) => void> = {
  data: (config, text) => {
    config.data = text;
  },
  host: (config, text) => {
    config.host = text;
  },
  port: (config, text) => {
    config.port = portOf('port', text);
  },
  'https-port': (config, text) => {
    config.securePort = portOf('https-port', text);
  },
  domain: (config, text) => {
    if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) throw wrong('domain', 'a domain name', text);
    config.domain = text.toLowerCase();
  },
  'public-url': (config, text) => {
    if (!/^https?:\/\/[^/]+\/?$/.test(text)) throw wrong('public-url', 'http(s)://host[:port]', text);
    config.publicUrl = text.replace(/\/$/, '');
  },
  pace: (config, text) => {
    config.paceMs = text === 'real' ? realPaceMs : numberOf('pace', text, 0, 3_600_000, 'milliseconds a step, or real');
  },
  hold: (config, text) => {
    config.holdMs = numberOf('hold', text, 0, 60_000, 'milliseconds');
  },
  'rate-limit': (config, text) => {
    config.rateLimit = numberOf('rate-limit', text, 1, 1e9, 'calls a minute');
  },
  'rate-burst': (config, text) => {
    config.rateBurst = numberOf('rate-burst', text, 1, 1e9, 'calls at once');
  },
  'max-connections': (config, text) => {
    config.mostConnections = numberOf('max-connections', text, 1, 1_000_000, 'connections');
  },
  owner: (config, text) => {
    if (!/^[^@\s]+@[^@\s]+$/.test(text)) throw wrong('owner', 'an e-mail address', text);
    config.ownerEmail = text;
  },
  contract: (config, text) => {
    config.contract = numberOf('contract', text, 1, 2_147_483_647, 'a contract number');
  },
  lab: (config, text) => {
    config.lab = text !== 'false';
  },
  'proxy-passthrough': (config, text) => {
    config.proxyPassthrough = text !== 'false';
  },
};

export function configOf(options: ReadonlyMap<string, string>): Config {
  const config = { ...defaults };
  const file = options.get('config');
  if (file !== undefined) for (const [name, text] of readFile(file)) set(config, name, text, ` in ${file}`);
  for (const [name, text] of options) if (name !== 'config') set(config, name, text, '');
  // Regions side by side: who chooses the main port leaves the others to the machine.
  if (config.port !== defaultPort && config.securePort === defaultSecurePort) config.securePort = 0;
  config.data = resolve(config.data);
  return config;
}

function set(config: Config, name: string, text: string, where: string): void {
  const setting = settings[name];
  if (!setting) throw new Fault('refused', `There is no setting ${name}${where}. Known: ${Object.keys(settings).join(', ')}.`);
  setting(config, text);
}

function readFile(file: string): [string, string][] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Fault('refused', `The config file ${file} can't be read.`, { cause: error });
  }
  const value = parseJson(bytes);
  if (!isObject(value)) throw new Fault('refused', `The config file ${file} must hold a JSON object.`);
  return Object.entries(value).map(([name, one]) => [name, String(one)]);
}

const wrong = (name: string, expected: string, text: string): Fault =>
  new Fault('refused', `--${name} expects ${expected}, not '${text}'.`);

const portOf = (name: string, text: string): number => numberOf(name, text, 0, 65_535, 'a port');

function numberOf(name: string, text: string, min: number, max: number, expected: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < min || value > max)
    throw wrong(name, `${expected} (${min} to ${max})`, text);
  return value;
}

// What comes from the environment and nowhere else.
export const environment = {
  ownerPassword: (): string | undefined => process.env['CUMULET_OWNER_PASSWORD'] || undefined,
  configFolder: (): string => resolve(process.env['XDG_CONFIG_HOME'] || resolve(homedir(), '.config'), 'cumulet'),
  systemBundle: (): string | undefined => process.env['SSL_CERT_FILE'] || undefined,
  isPlain: (): boolean => process.env['NO_COLOR'] !== undefined || process.env['TERM'] === 'dumb',
};
