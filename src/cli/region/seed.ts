// `seed`: fills a running region from files, or dumps its content as such a file.
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { print, printJson } from '../../command/terminal.ts';
import { readSeeds } from '../../seeds/seed-source.ts';
import { askRegion } from '../admin/operations.ts';

export const seed: Command = {
  name: 'seed',
  operands: 'FILE|FOLDER',
  mostOperands: 1,
  about:
    'Creates the resources of a seed file that the running region does not have yet: YAML or JSON in the shapes of the API, ' +
    'with names instead of IDs. A folder means all its seed files in the order of their names. `up --seed` does the same at ' +
    'the start. With --dump, writes the content of the region as such a file.',
  options: [
    { name: 'dump', help: 'write the content of the region as a seed to standard output' },
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet seed shop.yaml', 'fill the region'],
    ['cumulet seed --dump > shop.yaml', 'dump the region'],
  ],
  async run(input) {
    const [path] = input.operands;
    if (input.has('dump')) {
      if (path !== undefined) throw new Fault('refused', 'Pass either a file or --dump, not both.');
      const asJson = input.has('json');
      const { text, notes } = await askRegion(input.data, 'seed/dump', { asJson }, 0);
      process.stdout.write(text);
      if (asJson) for (const note of notes) process.stderr.write(`cumulet: ${note}\n`); // it has no comments
      return 0;
    }
    if (path === undefined) throw new Fault('refused', 'Name a seed file or folder.');
    readSeeds(path); // reports errors in the files at once
    const done = await askRegion(input.data, 'seed/apply', { path: resolve(path) }, 0);
    if (input.has('json')) printJson(done);
    else print(seededLine(done));
    return 0;
  },
};

const seededLine = ({ made, found, keysFile }: { made: number; found: number; keysFile?: string }): string =>
  `Created ${made} resources; ${found} already existed.${keysFile === undefined ? '' : ` Keys and generated passwords are in ${keysFile}.`}`;
