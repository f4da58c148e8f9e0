// `state check`
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, jsonOption } from '../command.ts';
import { print, printJson } from '../terminal.ts';
import { openForReading } from './location.ts';
import { disposed, isServed, stateOf, stateOption } from './state.ts';

export const check: Command = {
  name: 'state check',
  about:
    'Reads the whole state and tells which rows are not as they were written, as after a fault of the disk. A running ' +
    'region goes on serving. It ends with 1 if there is damage: restore a backup then.',
  options: [stateOption, jsonOption, dataOption],
  examples: [['cumulet state check', 'of the region on ./data, running or not']],
  async run(input) {
    const found = await (async () => {
      if (isServed(input)) return askRegion(input.data, 'state/check', {}, 0);
      await using place = disposed(await openForReading(await stateOf(input)));
      return await place.engine.check();
    })();
    const { rows, damage, notes } = found;
    if (input.has('json')) printJson(found);
    else {
      if (damage.length === 0) print(`Checked ${rows} rows: all of them are as they were written.`);
      else print(`Checked ${rows} rows. The state is damaged, restore a backup:\n  ${damage.join('\n  ')}`);
      for (const note of notes) print(note);
    }
    return damage.length === 0 ? 0 : 1;
  },
};
