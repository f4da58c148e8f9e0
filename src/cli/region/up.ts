// `up`: reads the settings. serve.ts, which starts the region, is loaded only if they are valid.
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { type Command, type Input, jsonOption, type Option } from '../../command/command.ts';
import { configOf, settingsOf as settingsFor } from '../../config/config.ts';
import { environment } from '../../config/environment.ts';
import { products } from '../../products.ts';
import { outputModeOf } from './output-mode.ts';
import { keepIdsOption } from './remote-options.ts';

const settings = settingsFor(products);

const settingOptions = Object.entries(settings).map(([name, { takes, help, isOnByDefault }]): Option => {
  if (isOnByDefault) return { name: `no-${name}`, help: `without ${help}` };
  return { name, help, ...(takes !== undefined && { takes }) };
});

export const up: Command = {
  name: 'up',
  about:
    'Starts the region and shows its addresses. Ctrl-C stops it; all data stays in the data folder for the next ' +
    'start. The first start creates a contract with an owner, shows the password once and writes it to ' +
    'owner.json in the data folder; CUMULET_OWNER_PASSWORD sets it instead.',
  options: [
    ...settingOptions,
    { name: 'config', takes: 'FILE', help: 'a JSON object with these settings by name; options override it' },
    {
      name: 'seed',
      takes: 'FILE',
      help: 'fill a region with a seed file, or a folder of them, unless it was already applied',
    },
    keepIdsOption,
    {
      name: 'ephemeral',
      help: 'for a test run: uses a temporary data folder, and ends with the process that started it',
    },
    { name: 'detach', help: 'run in the background, and return when it is ready (`down` stops it)' },
    { ...jsonOption, help: 'JSON lines: events on standard output, logs on standard error' },
    { name: 'background', help: '', hidden: true },
  ],
  examples: [
    ['cumulet up', 'on the default ports, data in ./data'],
    ['cumulet up --port 8080 --data /tmp/second', 'a second region on the same machine'],
    ['cumulet up --detach --json --port 0 --pace 0', 'for a test run: in the background, on free ports, no waiting'],
  ],
  async run(input) {
    const ephemeral = input.has('ephemeral');
    if (ephemeral && ['data', 'state', 'detach'].some((name) => input.has(name)))
      throw new Fault('refused', '--ephemeral uses a temporary data folder. Omit --data, --state and --detach.');
    const chosen = settingsIn(input);
    const checked = configOf(chosen, products);
    const path = input.get('seed');
    const keepsIds = input.has('keep-ids');
    if (keepsIds && path === undefined) throw new Fault('refused', '--keep-ids needs --seed.');
    if (path !== undefined) (await import('../../seeds/plan/seed-source.ts')).readSeeds(path); // refuses bad files before anything is created
    const seed = path === undefined ? undefined : { path: resolve(path), keepsIds };
    environment.ownerPassword(); // refuses a bad one before anything is created
    if (input.has('detach')) return (await import('./detach.ts')).detach(checked, input, seed);
    const temporary = ephemeral ? (await import('./ephemeral.ts')).temporaryFolder() : undefined;
    const config = temporary === undefined ? checked : configOf(chosen.set('data', temporary), products);
    return (await import('./serve.ts')).serve(config, outputModeOf(input, config), { seed, ephemeral });
  },
};

function settingsIn(input: Input): Map<string, string> {
  const chosen = new Map<string, string>();
  for (const [name, [text = '']] of input.values) {
    const turnedOff = name.replace(/^no-/, '');
    if (settings[turnedOff]?.isOnByDefault) chosen.set(turnedOff, 'false');
    else if (name === 'config') chosen.set(name, text);
    else if (name in settings) chosen.set(name, settings[name]?.takes === undefined ? 'true' : text);
  }
  return chosen;
}
