// `up`: reads the settings. serve.ts, which starts the region, is loaded only if they are valid.
import { Fault } from '../../base/fault.ts';
import { configOf } from '../../config/config.ts';
import { environment } from '../../config/environment.ts';
import { settings } from '../../config/settings.ts';
import { type Command, type Input, jsonOption, type Option } from '../command.ts';
import { outputModeOf } from './output-mode.ts';

// Settings that are on by default are options that turn them off.
const settingOptions = Object.entries(settings).map(([name, { takes, help }]): Option => {
  if (name === 'lab') return { name: 'no-lab', help: `without ${help}` };
  return { name, help, ...(takes !== undefined && { takes }) };
});

export const up: Command = {
  name: 'up',
  about:
    'Starts the region and shows what runs where. Ctrl-C stops it; everything stays in the data folder for the next ' +
    'start. The first start makes a contract with an owner, shows the password once and writes it to ' +
    'owner.json in the data folder; CUMULET_OWNER_PASSWORD sets it instead.',
  options: [
    ...settingOptions,
    { name: 'config', takes: 'FILE', help: 'a JSON object of these settings by their names; options win over it' },
    { name: 'seed', takes: 'FILE', help: 'fill a region that has not had this seed yet: a file, or a folder of them' },
    {
      name: 'ephemeral',
      help: 'for a test run: in a folder of its own that is removed at the end; ends with the process that started it',
    },
    { name: 'detach', help: 'run in the background, and return when it is ready (down stops it)' },
    { ...jsonOption, help: 'JSON lines: events on standard output, logs on standard error' },
    { name: 'background', help: '', hidden: true },
  ],
  examples: [
    ['cumulet up', 'on the usual ports, data in ./data'],
    ['cumulet up --port 8080 --data /tmp/second', 'a second region beside it'],
    ['cumulet up --detach --json --port 0 --pace 0', 'for a test run: in the background, on free ports, no waiting'],
  ],
  async run(input) {
    const ephemeral = input.has('ephemeral');
    if (ephemeral && ['data', 'state', 'detach'].some((name) => input.has(name)))
      throw new Fault('refused', '--ephemeral has a data folder of its own, and takes no --data, --state or --detach.');
    const settings = settingsOf(input);
    const checked = configOf(settings);
    const seed = input.get('seed');
    if (seed !== undefined) (await import('../seed/seed-source.ts')).readSeeds(seed); // refuses bad files before anything is created
    environment.ownerPassword(); // refuses a bad one before anything is created
    if (input.has('detach')) return (await import('./detach.ts')).detach(checked, input, seed);
    const temporary = ephemeral ? (await import('./ephemeral.ts')).temporaryFolder() : undefined;
    const config = temporary === undefined ? checked : configOf(settings.set('data', temporary));
    return (await import('./serve.ts')).serve(config, outputModeOf(input, config), { seed, ephemeral });
  },
};

function settingsOf(input: Input): Map<string, string> {
  const chosen = new Map<string, string>();
  for (const [name, [text = '']] of input.values) {
    if (name === 'no-lab') chosen.set('lab', 'false');
    else if (name === 'config') chosen.set(name, text);
    else if (name in settings) chosen.set(name, settings[name]?.takes === undefined ? 'true' : text);
  }
  return chosen;
}
