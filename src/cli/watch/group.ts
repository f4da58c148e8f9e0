// `watch group`: shows the replicas of an auto scaling group, its metric and its actions as they change.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { contractOption, seconds, wholeNumber } from '../../command/option-values.ts';
import { print } from '../../command/terminal.ts';
import { askRegion } from '../admin/operations.ts';
import { frameOf } from './group-frame.ts';
import { linesOf, Seen } from './group-lines.ts';

const clearScreen = '\u001b[H\u001b[2J';

export const watchGroup: Command = {
  name: 'watch group',
  operands: 'GROUP_ID',
  mostOperands: 1,
  about:
    'Shows the replicas of an auto scaling group, its metric with the thresholds, and its actions, until Ctrl-C. If ' +
    'the output is not a terminal, it writes a line for each change.',
  options: [
    { name: 'every', takes: 'TIME', help: 'polling interval (default: 1s)' },
    { name: 'once', help: 'show it once and exit' },
    contractOption,
    { ...jsonOption, help: 'as lines of JSON' },
    dataOption,
  ],
  examples: [
    ['cumulet watch group ID', 'watch it scale while you set a load in another terminal'],
    ['cumulet lab load --group ID --total 300%', 'a load that is spread over its replicas'],
    ['cumulet lab clock --advance 1h --step 1m', 'let an hour pass, minute by minute'],
  ],
  async run(input) {
    const [group] = input.operands;
    if (group === undefined) throw new Fault('refused', 'Pass the ID of a group.');
    const every = seconds(input.get('every') ?? '1s');
    if (!every) throw new Fault('refused', `--every expects a time such as 1s, not '${input.get('every')}'.`);
    const contract = wholeNumber(input, 'contract');
    const request = { group, ...(contract !== undefined && { contract }) };
    const seen = new Seen();
    const isScreen = process.stdout.isTTY && !input.has('json');
    for (;;) {
      const view = await askRegion(input.data, 'lab/group', request).catch(orEnd);
      if (!view) return 0;
      const text = isScreen ? screenOf(view, seen) : linesOf(view, seen, input.has('json'));
      if (text !== '') print(text);
      if (input.has('once')) return 0;
      await new Promise((resolve) => setTimeout(resolve, every * 1000));
    }
  },
};

function screenOf(view: Values, seen: Seen): string {
  seen.take(view);
  const { columns = 80, rows = 24 } = process.stdout;
  return `${clearScreen}${frameOf(view, seen.samples, columns, rows)}`;
}

// The region was stopped, or the group was deleted while it is watched.
function orEnd(error: unknown): undefined {
  if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
  return undefined;
}
