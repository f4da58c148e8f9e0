// `seed`: fills a running region from files, or dumps its content as such a file.
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, type Input, jsonOption } from '../../command/command.ts';
import { print, printJson } from '../../command/terminal.ts';
import { readSeeds } from '../../seeds/seed-source.ts';
import { askRegion } from '../admin/operations.ts';
import { keepIdsOption, remoteOptions } from './remote-options.ts';

export const seed: Command = {
  name: 'seed',
  operands: 'FILE|FOLDER',
  mostOperands: 1,
  about:
    'Creates the resources of a seed file that the running region does not have yet: YAML or JSON in the shapes of the API, ' +
    'with names instead of IDs. A folder means all its seed files in the order of their names. `up --seed` does the same at ' +
    'the start. With --dump, writes the content of the region as such a file; ' +
    'with --from, that of the platform or of another region, which is only read. The token is not stored.',
  options: [
    keepIdsOption,
    { name: 'dump', help: 'write the content of the region as a seed to standard output' },
    ...remoteOptions,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet seed shop.yaml', 'fill the region'],
    ['cumulet seed --dump > shop.yaml', 'dump the region'],
    ['cumulet seed --dump --from https://api.ionos.com --token-file token --output cloud.yaml', 'copy the real cloud'],
  ],
  async run(input) {
    const [path] = input.operands;
    if (input.has('dump')) {
      if (path !== undefined) throw new Fault('refused', 'Pass either a file or --dump, not both.');
      await dump(input);
      return 0;
    }
    const [option] = remoteOptions.filter(({ name }) => input.has(name));
    if (option) throw new Fault('refused', `--${option.name} needs --dump.`);
    if (path === undefined) throw new Fault('refused', 'Name a seed file or folder.');
    readSeeds(path); // reports errors in the files at once
    const keepsIds = input.has('keep-ids');
    const done = await askRegion(input.data, 'seed/apply', { path: resolve(path), keepsIds }, 0);
    if (input.has('json')) printJson(done);
    else print(seededLine(done));
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

const seededLine = ({ made, found, keysFile }: { made: number; found: number; keysFile?: string }): string =>
  `Created ${made} resources; ${found} already existed.${keysFile === undefined ? '' : ` Keys and generated passwords are in ${keysFile}.`}`;
