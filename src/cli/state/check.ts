// `state check`
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, jsonOption } from '../command.ts';
import { print, printJson } from '../terminal.ts';
import type { BackupPlace } from './backup.ts';
import { withFiles } from './file-checks.ts';
import { openForReading, type StateLocation } from './location.ts';
import { type Checked, checkBytes, notAsked, withObjects } from './object-check.ts';
import { unopened } from './region-check.ts';
import { disposed, isServed, keyOption, objectsOption, placeOf, stateOf, stateOption } from './state.ts';

export const check: Command = {
  name: 'state check',
  about:
    'Reads the whole state and reports rows that are not as they were written, as after a fault of the disk; then the ' +
    "region's key, the files of metrics, log lines and event streaming and the bytes of all objects, and reports which " +
    'are missing or damaged. It also lists DNS zones inside zones of other contracts, which is not damage. A running ' +
    'region continues to serve. ' +
    'It ends with 1 if there is damage: restore a backup then.',
  options: [
    { name: 'no-objects', help: 'the rows alone' },
    stateOption,
    objectsOption,
    keyOption,
    jsonOption,
    dataOption,
  ],
  examples: [['cumulet state check', 'of the region on ./data, running or not']],
  async run(input) {
    const hasObjects = !input.has('no-objects');
    const found: Checked = await (async () => {
      if (isServed(input)) return askRegion(input.data, 'state/check', { objects: hasObjects }, 0);
      const from = await stateOf(input);
      return checkStopped(from, placeOf(input, from), hasObjects);
    })();
    const { rows, objects, logSegments, damage, notes } = found;
    if (input.has('json')) printJson(found);
    else {
      const parts = [`${rows} rows`];
      if (logSegments > 0) parts.push(`${logSegments} files of log lines`);
      if (objects > 0) parts.push(`the bytes of ${objects} objects`);
      const read = `Checked ${new Intl.ListFormat('en').format(parts)}`;
      if (damage.length === 0) print(`${read}: all of them are as they were written.`);
      else print(`${read}. The state is damaged, restore a backup:\n  ${damage.join('\n  ')}`);
      for (const note of notes) print(note);
    }
    return damage.length === 0 ? 0 : 1;
  },
};

// Without a region.
export async function checkStopped(from: StateLocation, place: BackupPlace, hasObjects: boolean): Promise<Checked> {
  const damaged = unopened(from);
  if (damaged) return damaged;
  await using opened = disposed(await openForReading(from));
  const found = await withFiles(await opened.engine.check(), opened.engine, place, place.isServed);
  return withObjects(found, hasObjects ? await checkBytes(opened.engine, place) : notAsked);
}
