// `lab clock`, `lab faults`
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, parseJson } from '../../base/json.ts';
import { cachedTokenExpiry } from '../account/token-cache.ts';
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, jsonOption } from '../command.ts';
import { seconds, standardInput } from '../option-values.ts';
import { duration, print, printJson, quoted, self, table } from '../terminal.ts';

const dayS = 86_400;
const mostDays = 3660; // at once, as in the lab's API

export const clock: Command = {
  name: 'lab clock',
  about:
    "Shows the platform's clock, or moves it forward: tokens expire, retention ends, due work is done. " +
    'It never goes back, and a restart keeps it. Certificates use the machine’s own time.',
  options: [
    { name: 'advance', takes: 'TIME', help: `such as 1d2h, 90m, 45s; ${mostDays}d at most` },
    { name: 'step', takes: 'TIME', help: 'with --advance: in steps of this time, with what is due done after each' },
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet lab clock --advance 36d', 'past the end of the activity log’s retention'],
    ['cumulet lab clock --advance 6h --step 1m', 'six hours for an auto scaling group to follow its load'],
  ],
  async run(input) {
    const text = input.get('advance');
    const advance = text === undefined ? undefined : seconds(text);
    if (text !== undefined && advance === undefined) {
      throw new Fault('refused', `--advance expects a time such as 1d2h, 90m or 45s, not '${text}'.`);
    }
    if (advance !== undefined && advance > mostDays * dayS) {
      throw new Fault('refused', `--advance takes ${mostDays} days at most at once, not '${text}'.`);
    }
    let told = await askRegion(input.data, 'lab/clock', {});
    for (const step of stepsOf(advance ?? 0, input.get('step')))
      told = await askRegion(input.data, 'lab/clock', { advanceMs: step * 1000 });
    if (input.has('json')) printJson(told);
    else {
      print(`${told.now} (${duration(told.offsetMs / 1000)} ahead of the machine's clock)`);
      const end = advance === undefined ? undefined : cachedTokenExpiry(input.data);
      if (end !== undefined && end <= Date.parse(told.now)) print(renewal(input.get('data')));
    }
    return 0;
  },
};

const mostSteps = 100_000;

// Of one advance, in seconds.
function* stepsOf(advance: number, text: string | undefined): Generator<number> {
  const step = text === undefined ? advance : seconds(text);
  if (text !== undefined && !step) throw new Fault('refused', `--step expects a time such as 1m, not '${text}'.`);
  if (text !== undefined && advance === 0) throw new Fault('refused', '--step is for --advance.');
  if (advance > mostSteps * (step ?? 1)) throw new Fault('refused', `That would be more than ${mostSteps} steps.`);
  for (let left = advance; left > 0; left -= step ?? left) yield Math.min(left, step ?? left);
}

function renewal(data: string | undefined): string {
  const where = data === undefined ? '' : ` --data ${quoted(data)}`;
  return `This expired the token of env: run eval "$(${self()} env${where})" again, with the options it had.`;
}

export const faults: Command = {
  name: 'lab faults',
  about:
    'Shows the planted faults, replaces them, or clears them. A fault has a kind (datacenter, *), a ' +
    'step (create.provision, change.*, remove.commit), a mode (fail, stall, crash), and may have times (1), ' +
    'when (before, after) and message.',
  options: [
    { name: 'plant', takes: 'JSON|-', help: 'a fault, or a list of them; -: from standard input' },
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
    if (text !== undefined && input.has('clear')) throw new Fault('refused', 'Either --plant or --clear, not both.');
    const planted = text === undefined ? undefined : faultsIn(text === '-' ? standardInput() : text);
    const asked = input.has('clear') ? { faults: [] } : planted === undefined ? {} : { faults: planted };
    const told = await askRegion(input.data, 'lab/faults', asked);
    const left = told.faults.filter(({ times }) => times > 0);
    if (input.has('json')) printJson({ faults: left });
    else if (left.length === 0) print('No faults are planted.');
    else {
      const rows = left.map((one) => [one.kind, one.step, one.mode, String(one.times), one.when, one.message]);
      print(table(['KIND', 'STEP', 'MODE', 'TIMES', 'WHEN', 'MESSAGE'], rows));
    }
    return 0;
  },
};

// One fault, a list, or the body that PUT /lab/faults takes.
function faultsIn(text: string): Json {
  let value: Json;
  try {
    value = parseJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault('refused', error.message.replace('The body', 'The text of --plant'));
  }
  if (isObject(value) && value.faults !== undefined) return value.faults;
  return Array.isArray(value) ? value : [value];
}
