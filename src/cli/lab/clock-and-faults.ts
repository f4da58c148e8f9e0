// `lab clock`, `lab faults`
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, parseJson } from '../../base/json.ts';
import { type Command, dataOption, jsonOption } from '../../command/command.ts';
import { seconds, standardInput } from '../../command/option-values.ts';
import { duration, print, printJson, table } from '../../command/terminal.ts';
import { quoted, self } from '../../config/command-line.ts';
import { cachedTokenExpiry } from '../account/token-cache.ts';
import { askRegion } from '../admin/operations.ts';

const dayS = 86_400;
const mostDays = 3660; // at once, as in the lab's API

export const clock: Command = {
  name: 'lab clock',
  about:
    "Shows the platform's clock, or moves it forward: tokens expire, retention ends, and due work runs. " +
    'It never moves back, and a restart keeps it. Certificates use the machine’s own time.',
  options: [
    { name: 'advance', takes: 'TIME', help: `such as 1d2h, 90m, 45s; ${mostDays}d at most` },
    { name: 'step', takes: 'TIME', help: 'with --advance: move in steps of this time, and run due work after each' },
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet lab clock --advance 36d', 'beyond the retention of the activity log'],
    ['cumulet lab clock --advance 6h --step 1m', 'let an auto scaling group follow its load for six hours'],
  ],
  async run(input) {
    const text = input.get('advance');
    const advance = text === undefined ? undefined : seconds(text);
    if (text !== undefined && advance === undefined) {
      throw new Fault('refused', `--advance expects a time such as 1d2h, 90m or 45s, not '${text}'.`);
    }
    if (advance !== undefined && advance > mostDays * dayS) {
      throw new Fault('refused', `--advance takes at most ${mostDays} days, not '${text}'.`);
    }
    let result = await askRegion(input.data, 'lab/clock', {});
    for (const step of stepsOf(advance ?? 0, input.get('step')))
      result = await askRegion(input.data, 'lab/clock', { advanceMs: step * 1000 });
    if (input.has('json')) printJson(result);
    else {
      print(`${result.now} (${duration(result.offsetMs / 1000)} ahead of the machine's clock)`);
      const end = advance === undefined ? undefined : cachedTokenExpiry(input.data);
      if (end !== undefined && end <= Date.parse(result.now)) print(renewal(input.get('data')));
    }
    return 0;
  },
};

const mostSteps = 100_000;

// The step of one advance, in seconds.
function* stepsOf(advance: number, text: string | undefined): Generator<number> {
  const step = text === undefined ? advance : seconds(text);
  if (text !== undefined && !step) throw new Fault('refused', `--step expects a time such as 1m, not '${text}'.`);
  if (text !== undefined && advance === 0) throw new Fault('refused', '--step needs --advance.');
  if (advance > mostSteps * (step ?? 1))
    throw new Fault('refused', `--step results in more than ${mostSteps} steps. Pass a longer one.`);
  for (let left = advance; left > 0; left -= step ?? left) yield Math.min(left, step ?? left);
}

function renewal(data: string | undefined): string {
  const where = data === undefined ? '' : ` --data ${quoted(data)}`;
  return `The token of env has expired. Run eval "$(${self()} env${where})" again, with the same options.`;
}

export const faults: Command = {
  name: 'lab faults',
  about:
    'Shows, replaces or clears the planted faults. A fault has a kind (datacenter, *), a ' +
    'step (create.provision, change.*, remove.commit), a mode (fail, stall, crash), and may have times (1), ' +
    'when (before, after) and message.',
  options: [
    { name: 'plant', takes: 'JSON|-', help: 'a fault or a list of faults as JSON; -: read standard input' },
    { name: 'clear', help: 'remove all faults; stalled operations continue' },
    jsonOption,
    dataOption,
  ],
  examples: [
    [
      `cumulet lab faults --plant '{"kind":"datacenter","step":"create.*","mode":"fail","times":2}'`,
      'the next two datacenters fail',
    ],
    ['cumulet lab faults --clear', 'remove all faults'],
  ],
  async run(input) {
    const text = input.get('plant');
    if (text !== undefined && input.has('clear'))
      throw new Fault('refused', 'Pass either --plant or --clear, not both.');
    const planted = text === undefined ? undefined : faultsIn(text === '-' ? standardInput() : text);
    const request = input.has('clear') ? { faults: [] } : planted === undefined ? {} : { faults: planted };
    const result = await askRegion(input.data, 'lab/faults', request);
    const left = result.faults.filter(({ times }) => times > 0);
    if (input.has('json')) printJson({ faults: left });
    else if (left.length === 0) print('No faults are planted.');
    else {
      const rows = left.map((one) => [one.kind, one.step, one.mode, String(one.times), one.when, one.message]);
      print(table(['KIND', 'STEP', 'MODE', 'TIMES', 'WHEN', 'MESSAGE'], rows));
    }
    return 0;
  },
};

// One fault, a list, or the body of PUT /lab/faults.
function faultsIn(text: string): Json {
  let value: Json;
  try {
    value = parseJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(
      'refused',
      `${error.message.replace('The body', 'The text of --plant')} See: ${self()} lab faults --help`,
    );
  }
  if (isObject(value) && value.faults !== undefined) return value.faults;
  return Array.isArray(value) ? value : [value];
}
