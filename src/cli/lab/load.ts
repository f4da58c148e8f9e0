// `lab load`: shows what a simulated machine, or all replicas of a group, are busy with, or sets it.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, type Input, jsonOption } from '../command.ts';
import { contractOption, wholeNumber } from '../option-values.ts';
import { columns, print, printJson } from '../terminal.ts';
import { frameOf } from '../watch/group-frame.ts';

// Option → property of the lab's API.
const rates = { in: 'networkInBytesPerSecond', out: 'networkOutBytesPerSecond' } as const;

export const load: Command = {
  name: 'lab load',
  operands: '[SERVER_ID]',
  mostOperands: 1,
  about:
    'Shows the machine of a server and what it used in the last minute, or sets what it is busy with from now on. What ' +
    'is left out is idle. With --group it is for all replicas of an auto scaling group together, evenly spread over ' +
    'those that there are.',
  options: [
    { name: 'cpu', takes: 'PERCENT', help: 'of all cores together' },
    { name: 'in', takes: 'BYTES', help: 'received from the network each second' },
    { name: 'out', takes: 'BYTES', help: 'sent to the network each second' },
    { name: 'group', takes: 'ID', help: 'an auto scaling group, instead of a server' },
    { name: 'total', takes: 'PERCENT', help: 'with --group: CPU of all replicas together; 300% keeps three busy' },
    { name: 'idle', help: 'nothing at all' },
    contractOption,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet lab load ID --cpu 80', 'a busy machine, for alerts and autoscaling'],
    ['cumulet lab load --group ID --total 300%', 'a load that is spread over the replicas of a group'],
  ],
  async run(input) {
    const [server] = input.operands;
    const group = input.get('group');
    if (server === undefined && group === undefined)
      throw new Fault('refused', 'The id of a server is missing, or of a group: --group ID.');
    if (server !== undefined && group !== undefined)
      throw new Fault('refused', 'Either the id of a server or --group, not both.');
    const set = loadOf(input, group === undefined ? 'cpu' : 'total');
    const contract = wholeNumber(input, 'contract');
    const more = { ...(set && { load: set }), ...(contract !== undefined && { contract }) };
    const told =
      group === undefined
        ? await askRegion(input.data, 'lab/load', { server: server ?? '', ...more })
        : await askRegion(input.data, 'lab/group', { group, ...more });
    if (input.has('json')) printJson(told);
    else print(group === undefined ? columns(rowsOf(told)) : frameOf(told, [], 80));
    return 0;
  },
};

// `cpu`: the option of the processors.
function loadOf(input: Input, cpu: 'cpu' | 'total'): Values | undefined {
  const other = cpu === 'cpu' ? 'total' : 'cpu';
  if (input.has(other))
    throw new Fault('refused', `--${other} is ${other === 'cpu' ? 'for a server' : 'for a --group'}: use --${cpu}.`);
  const text = input.get(cpu);
  const load: Values = text === undefined ? {} : { cpuPercent: percentageOf(cpu, text) };
  for (const [name, property] of Object.entries(rates)) {
    const bytes = wholeNumber(input, name);
    if (bytes !== undefined) load[property] = bytes;
  }
  const isSet = Object.keys(load).length > 0;
  if (isSet && input.has('idle')) throw new Fault('refused', 'Either --idle or a load, not both.');
  return isSet || input.has('idle') ? load : undefined;
}

// One machine has at most all of its processors; several have more together.
function percentageOf(option: 'cpu' | 'total', text: string): number {
  const percent = Number(text.replace(/%$/, ''));
  if (!/^\d+(\.\d+)?%?$/.test(text) || (option === 'cpu' && percent > 100))
    throw new Fault(
      'refused',
      `--${option} expects a percentage${option === 'cpu' ? ' up to 100' : ''}, not '${text}'.`,
    );
  return percent;
}

const rowsOf = (told: Values, indent = ''): [string, string][] =>
  Object.entries(told).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null
      ? [[`${indent}${name}`, ''], ...rowsOf(value as Values, `${indent}  `)]
      : [[`${indent}${name}`, String(value)]],
  );
