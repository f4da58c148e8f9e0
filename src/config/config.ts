// Reads the settings: options of the command line win over the config file, and that over the defaults.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import { fileError } from '../base/file-error.ts';
import { isObject, parseJson } from '../base/json.ts';
import { environment } from './environment.ts';
import type { Section, Setting } from './section.ts';
import { type Config, defaultPort, defaultSecurePort, defaults } from './sections.ts';
import { settings } from './settings.ts';

// The part of a product's declaration that concerns settings.
export interface Configured {
  name: string;
  settings?: Section<object>;
}

// An option, and what it changes.
interface Target extends Setting<object> {
  values(config: Config): object;
}

export function configOf(options: ReadonlyMap<string, string>, products: readonly Configured[]): Config {
  const config = structuredClone<Config>({ ...defaults, products: defaultsOf(products) });
  const targets = targetsOf(products);
  const set = (name: string, text: string): void => change(config, targets, name, text);
  config.data = environment.data() ?? config.data;
  const file = options.get('config');
  if (file !== undefined) readFile(file, set);
  for (const [name, text] of options) if (name !== 'config') set(name, text);
  // A region on another port runs next to a first one: its other listeners take free ports.
  const { gateway } = config;
  if (gateway.port !== defaultPort && gateway.securePort === defaultSecurePort) gateway.securePort = 0;
  config.data = resolve(config.data);
  config.state ||= environment.state() ?? `sqlite:${config.data}`;
  config.key = resolve(config.key || join(config.data, 'region.key'));
  config.traces ??= environment.traces();
  config.catalogue ??= environment.catalogue();
  if (config.catalogue !== undefined) config.catalogue = resolve(config.catalogue);
  for (const { name, settings } of products) settings?.complete?.(valuesIn(config, name));
  return config;
}

const defaultsOf = (products: readonly Configured[]): Record<string, object> =>
  Object.fromEntries(products.map(({ name, settings }) => [name, settings?.defaults ?? {}]));

// The settings of this product, which alone knows their type.
export const valuesIn = (config: Config, product: string): object => config.products[product] ?? {};

// Where the products keep their data, by the options that say it.
export const enginesIn = (config: Config, products: readonly Configured[]): Record<string, string> =>
  Object.fromEntries(
    products.flatMap(({ name, settings }) => {
      const { engine } = valuesIn(config, name) as { engine?: string };
      return settings?.engineOption === undefined || engine === undefined ? [] : [[settings.engineOption, engine]];
    }),
  );

// All options by their names: the region's own, then those of each product.
export const settingsOf = (products: readonly Configured[]): Record<string, Setting<object>> => targetsOf(products);

function targetsOf(products: readonly Configured[]): Record<string, Target> {
  const targets: Record<string, Target> = {};
  for (const [name, setting] of Object.entries(settings)) targets[name] = { ...setting, values: (config) => config };
  for (const product of products)
    for (const [name, setting] of Object.entries(product.settings?.options ?? {}))
      targets[name] = { ...setting, values: (config) => valuesIn(config, product.name) };
  return targets;
}

function change(config: Config, targets: Record<string, Target>, name: string, text: string): void {
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (!target) throw new Fault('refused', `There is no setting ${name}. Known: ${Object.keys(targets).join(', ')}.`);
  target.set(target.values(config), text);
}

function readFile(file: string, take: (name: string, text: string) => void): void {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const known: Record<string, string> = {
      ENOENT: `The config file ${file} does not exist.`,
      EISDIR: `The config file ${file} is a folder, not a file.`,
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
