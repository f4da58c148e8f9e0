// `reset`: empties a region and keeps its accounts, running or not.
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, type Input, jsonOption, type Option } from '../../command/command.ts';
import { print, printJson } from '../../command/terminal.ts';
import { configOf, enginesIn } from '../../config/config.ts';
import { products } from '../../products.ts';
import { isLocked } from '../../region-data/data-folder.ts';
import { locationOf, openOffline } from '../../region-data/location.ts';
import { type Emptied, emptyRegion } from '../../region-data/reset.ts';
import { askRegion } from '../admin/operations.ts';
import { confirm, yesOption } from '../confirmation.ts';

// The storage of a stopped region.
const places = ['state', ...products.flatMap(({ settings }) => settings?.engineOption ?? [])];
const stoppedOption = (name: string): Option => ({
  name,
  takes: 'URL',
  help: `for a stopped region: the --${name} that it was started with`,
});

export const reset: Command = {
  name: 'reset',
  about:
    'Deletes everything in the region except its accounts: contracts, users with their passwords, groups, tokens and S3 ' +
    'keys remain, and so does the certificate authority. Resources, buckets, requests, shares, activity, planted ' +
    'faults, metrics and log lines are deleted permanently, and the clock returns to the time of the machine. Metrics in an external engine are deleted if it supports deletion. ' +
    'Save points remain. A running region stops for the reset, and starts again on the same ports.',
  options: [yesOption, ...places.map(stoppedOption), jsonOption, dataOption],
  examples: [['cumulet reset --yes', 'between two test runs']],
  async run(input) {
    await confirm(input, `All data of the region on ${input.data} except its accounts`, 'be deleted');
    const emptied = isServed(input) ? await askRegion(input.data, 'reset', {}, 0) : await resetStopped(input);
    if (input.has('json')) printJson(emptied);
    else {
      const { removed, kept, notes } = emptied;
      print(
        `Emptied the region on ${input.data}: deleted ${removed} rows, kept ${kept} rows of its accounts. ${notes.join(' ')}`,
      );
    }
    return 0;
  },
};

function isServed(input: Input): boolean {
  if (!isLocked(input.data)) return false;
  const known = places.find((name) => input.has(name));
  if (known !== undefined)
    throw new Fault('refused', `A region runs on the data folder and has its own --${known}. Omit the option.`);
  return true;
}

async function resetStopped(input: Input): Promise<Emptied> {
  const names = ['data', ...places].filter((name) => input.has(name));
  const config = configOf(new Map(names.map((name) => [name, input.get(name) ?? ''])), products);
  const { data, key, state } = config;
  const place = await openOffline(await locationOf('state', state), 'source');
  try {
    return await emptyRegion(place.engine, { data, key, engines: enginesIn(config, products), isServed: false });
  } finally {
    await place.close();
  }
}
