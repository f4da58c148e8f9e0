// `seed`: fills a running region from files, or dumps its content as such a file.
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, type Input, jsonOption } from '../../command/command.ts';
import { print, printJson } from '../../command/terminal.ts';
import { readSeeds } from '../../seeds/plan/seed-source.ts';
import { askRegion } from '../admin/operations.ts';
import { keepIdsOption, remoteOptions } from './remote-options.ts';
import { seededLines } from './seeded.ts';

export const seed: Command = {
  name: 'seed',
  operands: 'FILE|FOLDER',
  mostOperands: 1,
  about:
    'Creates the resources of a seed file that the running region does not have yet: YAML or JSON in the shapes of the API, ' +
    'with names instead of IDs. A folder means all its seed files in the order of their names. `up --seed` does the same at ' +
    'the start. With --dump, writes the content of the region as such a file; ' +
    'with --from, that of the platform or of another region, which is only read. With --diff, shows what differs ' +
    'between the region and that contract, and exits with 0 if nothing does, and with 3 if something does. ' +
    'The token is not stored.',
  options: [
    keepIdsOption,
    { name: 'dump', help: 'write the content of the region as a seed to standard output' },
    { name: 'diff', help: 'with --from: show what differs between the region and that contract' },
    ...remoteOptions,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet seed shop.yaml', 'fill the region'],
    ['cumulet seed --dump > shop.yaml', 'dump the region'],
    ['cumulet seed --dump --from https://api.ionos.com --token-file token --output cloud.yaml', 'copy the real cloud'],
    ['cumulet seed --diff --from https://api.ionos.com --token-file token', 'compare the region with the real cloud'],
  ],
  async run(input) {
    const [path] = input.operands;
    const [mode, ...others] = ['dump', 'diff'].filter((name) => input.has(name));
    if (mode !== undefined) {
      if (others.length > 0) throw new Fault('refused', 'Pass either --dump or --diff, not both.');
      if (path !== undefined) throw new Fault('refused', `Pass either a file or --${mode}, not both.`);
      if (mode === 'diff') return (await import('./remote-diff.ts')).diffRemote(input);
      await dump(input);
      return 0;
    }
    const [option] = remoteOptions.filter(({ name }) => input.has(name));
    if (option) throw new Fault('refused', `--${option.name} needs --dump or --diff.`);
    if (path === undefined) throw new Fault('refused', 'Name a seed file or folder.');
    readSeeds(path); // reports errors in the files at once
    const keepsIds = input.has('keep-ids');
    const done = await askRegion(input.data, 'seed/apply', { path: resolve(path), keepsIds }, 0);
    if (input.has('json')) printJson(done);
    else print(seededLines(done).join('\n'));
    return 0;
  },
};

async function dump(input: Input): Promise<void> {
  const remote = await import('./remote-dump.ts'); // it loads the declarations of all products
  if (input.has('from')) return remote.dumpRemote(input);
  const [option] = remoteOptions.filter(({ name }) => name !== 'output' && input.has(name));
  if (option) throw new Fault('refused', `--${option.name} needs --from.`);
  const { text, notes } = await askRegion(input.data, 'seed/dump', { asJson: input.has('json') }, 0);
  remote.write(input, text, notes);
}
