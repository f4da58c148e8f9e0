// `state check`

import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { print, printJson } from '../../command/terminal.ts';
import { type Checked, checkRegion } from '../../region-data/check.ts';
import { openForReading, type StateLocation } from '../../region-data/location.ts';
import type { RegionPlace } from '../../region-data/parts.ts';
import { damageBeforeOpening } from '../../region-data/region-check.ts';
import { askRegion } from '../admin/operations.ts';
import { disposed, isServed, keyOption, leftOut, partOptions, placeOf, stateOf, stateOption } from './state.ts';

export const check: Command = {
  name: 'state check',
  about:
    'Reads the whole state and reports rows that differ from what was written, as after a disk fault; then the ' +
    "region's key, the files of metrics, log lines and event streaming and the content of all objects, and reports which " +
    'are missing or damaged. It also lists DNS zones inside zones of other contracts, which are not damage. A running ' +
    'region keeps serving. ' +
    'Exits with 1 if it finds damage: restore a backup then.',
  options: [...partOptions, stateOption, keyOption, jsonOption, dataOption],
  examples: [['cumulet state check', 'the region on ./data, running or not']],
  async run(input) {
    const leaveOut = leftOut(input);
    const found: Checked = await (async () => {
      if (isServed(input)) return askRegion(input.data, 'state/check', { leaveOut }, 0);
      const from = await stateOf(input);
      return checkStopped(from, placeOf(input, from), leaveOut);
    })();
    const { rows, counts, damage, notes } = found;
    if (input.has('json'))
      printJson({ rows, ...Object.fromEntries(counts.map(({ key, value }) => [key, value])), damage, notes });
    else {
      const some = counts.filter(({ value }) => value > 0);
      const parts = [`${rows} rows`, ...some.map(({ text }) => text)];
      const read = `Checked ${new Intl.ListFormat('en').format(parts)}`;
      if (damage.length === 0) print(`${read}: no damage found.`);
      else print(`${read}. The state is damaged. Restore a backup:\n  ${damage.join('\n  ')}`);
      for (const note of notes) print(note);
    }
    return damage.length === 0 ? 0 : 1;
  },
};

// Without a region.
export async function checkStopped(
  from: StateLocation,
  place: RegionPlace,
  leaveOut: readonly string[],
): Promise<Checked> {
  const damage = damageBeforeOpening(from);
  if (damage !== undefined) {
    const notes = ['The rest was not checked: the first process that opens the state drops the rest of that file.'];
    return { rows: 0, counts: [], damage: [damage], notes };
  }
  await using opened = disposed(await openForReading(from));
  return await checkRegion(opened.engine, place, { isRunning: place.isServed, leaveOut });
}
