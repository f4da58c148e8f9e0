// Reads the settings: options of the command line win over the config file, and that over the defaults.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import { fileError } from '../base/file-error.ts';
import { isObject, parseJson } from '../base/json.ts';
import { environment } from './environment.ts';
import { type Config, defaultPort, defaultSecurePort, defaults } from './sections.ts';
import { settings } from './settings.ts';

export function configOf(options: ReadonlyMap<string, string>): Config {
  const config = structuredClone<Config>(defaults);
  config.data = environment.data() ?? config.data;
  const file = options.get('config');
  if (file !== undefined) readFile(file, (name, text) => set(config, name, text));
  for (const [name, text] of options) if (name !== 'config') set(config, name, text);
  // A region on another port runs beside a first one: its other listeners take free ports.
  const { gateway, compute } = config;
  if (gateway.port !== defaultPort && gateway.securePort === defaultSecurePort) gateway.securePort = 0;
  config.data = resolve(config.data);
  config.state ||= environment.state() ?? `sqlite:${config.data}`;
  config.key = resolve(config.key || join(config.data, 'region.key'));
  config.inference.key ||= environment.inferenceKey() ?? '';
  compute.catalogue ??= environment.catalogue();
  if (compute.catalogue !== undefined) compute.catalogue = resolve(compute.catalogue);
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
    throw new Fault('refused', known[code] ?? `The config file ${file} can't be read: ${fileError(error)}.`, {
      cause: error,
    });
  }
  try {
    const value = parseJson(bytes);
    if (!isObject(value)) throw new Fault('refused', 'The body must be a JSON object of settings.');
    for (const [name, one] of Object.entries(value)) take(name, String(one));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // In a file, settings are named without the dashes of options.
    const why = error.message.replace(/^The body/, 'it').replace(/^--/, '');
    throw new Fault('refused', `The config file ${file} can't be used: ${why}`);
  }
}
