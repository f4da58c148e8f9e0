// `lab load`: shows what a simulated machine is busy with, or sets it.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, type Input, jsonOption } from '../command.ts';
import { contractOption, wholeNumber } from '../option-values.ts';
import { columns, print, printJson } from '../terminal.ts';

// Option → property of the lab's API.
const rates = { in: 'networkInBytesPerSecond', out: 'networkOutBytesPerSecond' } as const;

export const load: Command = {
  name: 'lab load',
  operands: 'SERVER_ID',
  mostOperands: 1,
  about:
    'Shows the machine of a server and what it used in the last minute, or sets what it is busy with from now on. What ' +
    'is left out is idle.',
  options: [
    { name: 'cpu', takes: 'PERCENT', help: 'of all cores together' },
    { name: 'in', takes: 'BYTES', help: 'received from the network each second' },
    { name: 'out', takes: 'BYTES', help: 'sent to the network each second' },
    { name: 'idle', help: 'nothing at all' },
    contractOption,
    jsonOption,
    dataOption,
  ],
  examples: [['cumulet lab load ID --cpu 80', 'a busy machine, for alerts and autoscaling']],
  async run(input) {
    const [server] = input.operands;
    if (server === undefined) throw new Fault('refused', 'The id of a server is missing.');
    const set = loadOf(input);
    const contract = wholeNumber(input, 'contract');
    const asked = { server, ...(set && { load: set }), ...(contract !== undefined && { contract }) };
    const told = await askRegion(input.data, 'lab/load', asked);
    if (input.has('json')) printJson(told);
    else print(columns(rowsOf(told)));
    return 0;
  },
};

function loadOf(input: Input): Values | undefined {
  const cpu = input.get('cpu');
  if (cpu !== undefined && !/^\d+(\.\d+)?$/.test(cpu))
    throw new Fault('refused', `--cpu expects a percentage, not '${cpu}'.`);
  const load: Values = cpu === undefined ? {} : { cpuPercent: Number(cpu) };
  for (const [name, property] of Object.entries(rates)) {
    const bytes = wholeNumber(input, name);
    if (bytes !== undefined) load[property] = bytes;
  }
  const isSet = Object.keys(load).length > 0;
  if (isSet && input.has('idle')) throw new Fault('refused', 'Either --idle or a load, not both.');
  return isSet || input.has('idle') ? load : undefined;
}

const rowsOf = (told: Values, indent = ''): [string, string][] =>
  Object.entries(told).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null
      ? [[`${indent}${name}`, ''], ...rowsOf(value as Values, `${indent}  `)]
      : [[`${indent}${name}`, String(value)]],
  );
