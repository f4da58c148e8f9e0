// `reset`: an empty region with the same accounts, running or not.
import { Fault } from '../../base/fault.ts';
import { configOf } from '../../config/config.ts';
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, type Input, jsonOption, type Option } from '../command.ts';
import { confirm, yesOption } from '../confirmation.ts';
import { locationOf, openOffline } from '../state/location.ts';
import { type Emptied, emptyRegion } from '../state/reset.ts';
import { print, printJson } from '../terminal.ts';
import { isLocked } from './data-folder.ts';

const stoppedOption = (name: 'state' | 'metrics'): Option => ({
  name,
  takes: 'URL',
  help: `of a stopped region: the --${name} that it was started with`,
});

export const reset: Command = {
  name: 'reset',
  about:
    'Removes everything in the region but its accounts: contracts, users with their passwords, groups, tokens and S3 ' +
    'keys stay, and so do the certificate authority and the clock. Resources, buckets, requests, shares, activity, ' +
    'planted faults, metrics and log lines are gone for good; metrics in an engine elsewhere too, if it deletes any. ' +
    'Save points stay. A region that runs is stopped for it, and starts again on the same ports.',
  options: [yesOption, stoppedOption('state'), stoppedOption('metrics'), jsonOption, dataOption],
  examples: [['cumulet reset --yes', 'between two test runs']],
  async run(input) {
    await confirm(input, `Everything in the region on ${input.data} but its accounts`, 'be gone');
    const emptied = isServed(input) ? await askRegion(input.data, 'reset', {}, 0) : await resetStopped(input);
    if (input.has('json')) printJson(emptied);
    else {
      const { removed, kept, metrics } = emptied;
      print(
        `Emptied the region on ${input.data}: ${removed} rows are gone, ${kept} rows of its accounts stay. ${metrics}`,
      );
    }
    return 0;
  },
};

function isServed(input: Input): boolean {
  if (!isLocked(input.data)) return false;
  if (input.has('state') || input.has('metrics'))
    throw new Fault(
      'refused',
      'A region runs on the data folder, and knows its --state and --metrics: leave them out.',
    );
  return true;
}

async function resetStopped(input: Input): Promise<Emptied> {
  const names = ['data', 'state', 'metrics'].filter((name) => input.has(name));
  const { data, state, monitoring, logging } = configOf(new Map(names.map((name) => [name, input.get(name) ?? ''])));
  const place = await openOffline(await locationOf('state', state), 'source');
  try {
    const engines = { metrics: monitoring.engine, logs: logging.engine };
    return await emptyRegion(place.engine, { data, engines });
  } finally {
    await place.close();
  }
}
