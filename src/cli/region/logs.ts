// `logs`: the requests that clients send to the running region, reads too.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { RequestEntry } from '../../surface/http/request-feed.ts';
import { askRegion, followRequests } from '../admin/operations.ts';
import { type Command, dataOption } from '../command.ts';
import { wholeNumber } from '../option-values.ts';
import { bold, dim, green, print } from '../terminal.ts';

const mostKept = 1000;

export const logs: Command = {
  name: 'logs',
  about:
    'Shows the last requests that clients sent to the region since its start, reads too, oldest first. The region keeps ' +
    `${mostKept} of them in memory; changes, errors and slow calls are in cumulet.log in the data folder as well.`,
  options: [
    { name: 'follow', short: 'f', help: 'go on with those that come, until Ctrl-C or the end of the region' },
    { name: 'last', takes: 'N', help: `how many of the last ones (100); ${mostKept} at most` },
    { name: 'json', help: 'as lines of JSON' },
    dataOption,
  ],
  examples: [
    ['cumulet logs -f', 'watch what a client really sends'],
    ['cumulet logs --json --last 1000 | jq "select(.status >= 400)"', 'what was refused'],
  ],
  async run(input) {
    const last = wholeNumber(input, 'last') ?? 100;
    if (last > mostKept) throw new Fault('refused', `--last takes ${mostKept} at most, not ${last}.`);
    const show = input.has('json') ? asJson : asLine;
    const { requests } = await askRegion(input.data, 'requests/list', { last });
    for (const entry of requests) show(entry);
    if (input.has('follow')) await followRequests(input.data, show).catch(orEnd);
    return 0;
  },
};

// The region was stopped: that is the end of its requests, not an error.
function orEnd(error: unknown): void {
  if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
}

const asJson = ({ time, ...rest }: RequestEntry): void => print(JSON.stringify({ time: iso(time), ...rest }));

function asLine({ time, method, path, status, ms, operation, address, contract }: RequestEntry): void {
  const shown = status < 400 ? green(String(status)) : bold(String(status));
  const more = [operation, contract === undefined ? address : `contract ${contract}`].filter(Boolean).join(', ');
  print(`${dim(iso(time).slice(11, 23))} ${shown} ${method.padEnd(6)} ${path} ${dim(`${ms} ms ${more}`)}`);
}
