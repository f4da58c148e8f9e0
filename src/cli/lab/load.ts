// `lab load`: shows or sets the load of a simulated machine, or of all replicas of a group.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { type Command, dataOption, type Input, jsonOption } from '../../command/command.ts';
import { contractOption, wholeNumber } from '../../command/option-values.ts';
import { columns, print, printJson } from '../../command/terminal.ts';
import { askRegion } from '../admin/operations.ts';
import { frameOf } from '../watch/group-frame.ts';

// Option → property of the lab's API.
const rates = { in: 'networkInBytesPerSecond', out: 'networkOutBytesPerSecond' } as const;

export const load: Command = {
  name: 'lab load',
  operands: '[SERVER_ID]',
  mostOperands: 1,
  about:
    'Shows the machine of a server and its usage in the last minute, or sets its load from now on. Omitted values ' +
    'are idle. With --group, the load is the total of all replicas of an auto scaling group, evenly spread over ' +
    'the existing ones.',
  options: [
    { name: 'cpu', takes: 'PERCENT', help: 'CPU load of all cores together' },
    { name: 'in', takes: 'BYTES', help: 'received from the network per second' },
    { name: 'out', takes: 'BYTES', help: 'sent to the network per second' },
    { name: 'group', takes: 'ID', help: 'an auto scaling group, instead of a server' },
    { name: 'total', takes: 'PERCENT', help: 'with --group: CPU of all replicas together; 300% keeps three busy' },
    { name: 'idle', help: 'no load at all' },
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
      throw new Fault('refused', 'Pass the ID of a server, or --group ID.');
    if (server !== undefined && group !== undefined)
      throw new Fault('refused', 'Pass either the ID of a server or --group, not both.');
    const set = loadOf(input, group === undefined ? 'cpu' : 'total');
    const contract = wholeNumber(input, 'contract');
    const more = { ...(set && { load: set }), ...(contract !== undefined && { contract }) };
    const result =
      group === undefined
        ? await askRegion(input.data, 'lab/load', { server: server ?? '', ...more })
        : await askRegion(input.data, 'lab/group', { group, ...more });
    if (input.has('json')) printJson(result);
    else print(group === undefined ? columns(rowsOf(result)) : frameOf(result, [], 80));
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
  if (isSet && input.has('idle')) throw new Fault('refused', 'Pass either --idle or a load, not both.');
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

const rowsOf = (result: Values, indent = ''): [string, string][] =>
  Object.entries(result).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null
      ? [[`${indent}${name}`, ''], ...rowsOf(value as Values, `${indent}  `)]
      : [[`${indent}${name}`, String(value)]],
  );
