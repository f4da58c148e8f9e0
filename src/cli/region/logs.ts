// `logs`: the requests that clients send to the running region, including reads.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption } from '../../command/command.ts';
import { wholeNumber } from '../../command/option-values.ts';
import { bold, dim, green, print } from '../../command/terminal.ts';
import type { RequestEntry } from '../../surface/http/request-feed.ts';
import { askRegion, followRequests } from '../admin/operations.ts';

const mostKept = 1000;

export const logs: Command = {
  name: 'logs',
  about:
    'Shows the last requests of clients since the start of the region, including reads, oldest first. The region keeps ' +
    `${mostKept} of them in memory; changes, errors and slow calls are in cumulet.log in the data folder as well.`,
  options: [
    { name: 'follow', short: 'f', help: 'also show new requests, until Ctrl-C or the end of the region' },
    { name: 'last', takes: 'N', help: `number of requests (default: 100, at most ${mostKept})` },
    { name: 'json', help: 'as lines of JSON' },
    dataOption,
  ],
  examples: [
    ['cumulet logs -f', 'watch what a client really sends'],
    ['cumulet logs --json --last 1000 | jq "select(.status >= 400)"', 'refused requests'],
  ],
  async run(input) {
    const last = wholeNumber(input, 'last') ?? 100;
    if (last > mostKept) throw new Fault('refused', `--last takes at most ${mostKept}, not ${last}.`);
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
