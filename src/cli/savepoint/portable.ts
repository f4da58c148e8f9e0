// `savepoint export`, `savepoint import`
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { targetOf } from '../../core/state/dump/dump-file.ts';
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, jsonOption } from '../command.ts';
import { isLocked } from '../region/data-folder.ts';
import { passphraseFor, passphraseOption } from '../state/passphrase.ts';
import { print, printJson, size } from '../terminal.ts';
import { exportHeader } from './export-file.ts';
import { infrastructureOption } from './savepoint.ts';
import { configIn, whileLocked } from './stopped.ts';

export const exportCommand: Command = {
  name: 'savepoint export',
  operands: '[NAME] FILE',
  mostOperands: 2,
  about:
    'Writes a save point, or without a name the region as it is now, to one file that any other region can import. Its ' +
    'secrets are sealed with a passphrase. The file appears when it is complete.',
  options: [
    infrastructureOption,
    passphraseOption,
    { name: 'force', help: 'overwrite the file' },
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet savepoint export filled team.savepoint', 'a save point'],
    ['cumulet savepoint export --infrastructure team.savepoint', 'what is there now, without data'],
  ],
  async run(input) {
    const file = fileOf(input.operands.at(-1));
    const name = input.operands.length > 1 ? { name: String(input.operands[0]) } : {};
    const force = input.has('force');
    targetOf(file, force); // reports problems with the file at once
    const passphrase = await passphraseFor(input, true, 'An export');
    const asked = { ...name, file, force, infrastructure: input.has('infrastructure'), passphrase };
    const made = isLocked(input.data)
      ? await askRegion(input.data, 'savepoint/export', asked, 0)
      : await whileLocked(configIn(input), (savePoints) => savePoints.export(name.name, asked));
    if (input.has('json')) printJson(made);
    else print(`Wrote ${made.rows} rows and ${size(made.dataBytes)} of data to ${file}.`);
    return 0;
  },
};

export const importCommand: Command = {
  name: 'savepoint import',
  operands: 'FILE [NAME]',
  mostOperands: 2,
  about:
    'Makes a save point of a file that savepoint export wrote, in this or another region. The region goes on as it is; ' +
    'savepoint restore makes it what is in the file, with the accounts and passwords of the region that was exported.',
  options: [passphraseOption, jsonOption, dataOption],
  examples: [
    ['cumulet savepoint import team.savepoint', 'under the name it had'],
    ['cumulet savepoint import team.savepoint monday', 'under another name'],
  ],
  async run(input) {
    const [given, name] = input.operands;
    const file = fileOf(given);
    await exportHeader(file); // reports problems with the file at once
    const asked = {
      file,
      ...(name !== undefined && { name }),
      passphrase: await passphraseFor(input, false, 'An export'),
    };
    const made = isLocked(input.data)
      ? await askRegion(input.data, 'savepoint/import', asked, 0)
      : await whileLocked(configIn(input), (savePoints) => savePoints.import(asked));
    if (input.has('json')) printJson(made);
    else
      print(`Made the save point ${made.name} (${size(made.bytes)}): savepoint restore ${made.name} brings it back.`);
    return 0;
  },
};

function fileOf(given: string | undefined): string {
  if (given === undefined) throw new Fault('refused', 'The name of a file is missing.');
  return resolve(given);
}
