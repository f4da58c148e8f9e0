// `seed`: fills a running region from files, or writes such a file of what is there.
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, jsonOption } from '../command.ts';
import { print, printJson } from '../terminal.ts';
import { readSeeds } from './seed-source.ts';

export const seed: Command = {
  name: 'seed',
  operands: 'FILE|FOLDER',
  mostOperands: 1,
  about:
    'Makes in the running region what a seed file asks for and is not there yet: YAML or JSON in the shapes of the API, ' +
    'with names instead of ids. Of a folder, all seed files in the order of their names. `up --seed` does the same at ' +
    'the start. With --dump, writes what is in the region as such a file.',
  options: [{ name: 'dump', help: 'write a seed of what is in the region to standard output' }, jsonOption, dataOption],
  examples: [
    ['cumulet seed shop.yaml', 'fill the region'],
    ['cumulet seed --dump > shop.yaml', 'keep what is there'],
  ],
  async run(input) {
    const [path] = input.operands;
    if (input.has('dump')) {
      if (path !== undefined) throw new Fault('refused', 'Either a file or --dump, not both.');
      const asJson = input.has('json');
      const { text, notes } = await askRegion(input.data, 'seed/dump', { asJson }, 0);
      process.stdout.write(text);
      if (asJson) for (const note of notes) process.stderr.write(`cumulet: ${note}\n`); // it has no comments
      return 0;
    }
    if (path === undefined) throw new Fault('refused', 'The seed file or folder is missing.');
    readSeeds(path); // tells what is wrong with the files at once
    const done = await askRegion(input.data, 'seed/apply', { path: resolve(path) }, 0);
    if (input.has('json')) printJson(done);
    else print(seededLine(done));
    return 0;
  },
};

const seededLine = ({ made, found, keysFile }: { made: number; found: number; keysFile?: string }): string =>
  `Made ${made} things; ${found} were there already.${keysFile === undefined ? '' : ` Keys of pipelines are in ${keysFile}.`}`;
