// `savepoint export`, `savepoint import`
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { print, printJson, size } from '../../command/terminal.ts';
import { targetOf } from '../../core/state/dump/dump-file.ts';
import { isLocked } from '../../region-data/data-folder.ts';
import { exportHeader } from '../../region-data/save-points/export-file.ts';
import { askRegion } from '../admin/operations.ts';
import { passphraseFor, passphraseOption } from '../state/passphrase.ts';
import { infrastructureOption } from './savepoint.ts';
import { configIn, whileLocked } from './stopped.ts';

export const exportCommand: Command = {
  name: 'savepoint export',
  operands: '[NAME] FILE',
  mostOperands: 2,
  about:
    'Writes a save point, or without NAME the current region, to one file that any other region can import. Its ' +
    'secrets are sealed with a passphrase. The file appears only when it is complete.',
  options: [
    infrastructureOption,
    passphraseOption,
    { name: 'force', help: 'overwrite the file' },
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet savepoint export filled team.savepoint', 'a save point'],
    ['cumulet savepoint export --infrastructure team.savepoint', 'the current resources, without data'],
  ],
  async run(input) {
    const file = fileOf(input.operands.at(-1));
    const name = input.operands.length > 1 ? { name: String(input.operands[0]) } : {};
    const force = input.has('force');
    targetOf(file, force); // reports problems with the file at once
    const passphrase = await passphraseFor(input, true, 'An export');
    const request = { ...name, file, force, infrastructure: input.has('infrastructure'), passphrase };
    const made = isLocked(input.data)
      ? await askRegion(input.data, 'savepoint/export', request, 0)
      : await whileLocked(configIn(input), (savePoints) => savePoints.export(name.name, request));
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
    'Creates a save point from a file of savepoint export, of this or another region. The region is unchanged; ' +
    'savepoint restore then applies it, with the accounts and passwords of the exported region.',
  options: [passphraseOption, jsonOption, dataOption],
  examples: [
    ['cumulet savepoint import team.savepoint', 'under its original name'],
    ['cumulet savepoint import team.savepoint monday', 'under another name'],
  ],
  async run(input) {
    const [given, name] = input.operands;
    const file = fileOf(given);
    await exportHeader(file); // reports problems with the file at once
    const request = {
      file,
      ...(name !== undefined && { name }),
      passphrase: await passphraseFor(input, false, 'An export'),
    };
    const made = isLocked(input.data)
      ? await askRegion(input.data, 'savepoint/import', request, 0)
      : await whileLocked(configIn(input), (savePoints) => savePoints.import(request));
    if (input.has('json')) printJson(made);
    else
      print(`Created save point '${made.name}' (${size(made.bytes)}). Restore it with: savepoint restore ${made.name}`);
    return 0;
  },
};

function fileOf(given: string | undefined): string {
  if (given === undefined) throw new Fault('refused', "Name a file, such as 'team.savepoint'.");
  return resolve(given);
}
