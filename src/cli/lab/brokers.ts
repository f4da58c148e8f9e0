// `lab brokers`: shows the brokers of a cluster, stops one, or starts it again.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { askRegion } from '../admin/operations.ts';
import { type Command, dataOption, type Input, jsonOption } from '../command.ts';
import { contractOption, wholeNumber } from '../option-values.ts';
import { columns, print, printJson } from '../terminal.ts';

interface Broker {
  id: number;
  address: string;
  serving: boolean;
  leads: number;
}

export const brokers: Command = {
  name: 'lab brokers',
  operands: 'CLUSTER',
  mostOperands: 1,
  about:
    'Shows the brokers of a cluster of event streaming, which is named by its id or name, and how many partitions each ' +
    'of them leads. One that is stopped can not be reached: the others lead its partitions until it is started again, ' +
    'or the region is.',
  options: [
    { name: 'stop', takes: 'BROKER', help: 'stop this one: 1, 2 or 3' },
    { name: 'start', takes: 'BROKER', help: 'start this one again' },
    contractOption,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet lab brokers orders --stop 2', 'clients go on with the other two'],
    ['cumulet lab brokers orders --start 2', 'it leads its partitions again'],
  ],
  async run(input) {
    const [cluster] = input.operands;
    if (cluster === undefined) throw new Fault('refused', 'The cluster is missing: its id or its name.');
    const contract = wholeNumber(input, 'contract');
    const told = await askRegion(input.data, 'lab/brokers', {
      cluster,
      ...changeOf(input),
      ...(contract !== undefined && { contract }),
    });
    if (input.has('json')) printJson(told);
    else print(columns(rowsOf(told)));
    return 0;
  },
};

function changeOf(input: Input): { broker?: number; serving?: boolean } {
  const [stop, start] = [wholeNumber(input, 'stop'), wholeNumber(input, 'start')];
  if (stop !== undefined && start !== undefined) throw new Fault('refused', 'Either --stop or --start, not both.');
  const broker = stop ?? start;
  return broker === undefined ? {} : { broker, serving: start !== undefined };
}

const rowsOf = ({ brokers: all }: Values): [string, string][] =>
  (all as unknown as Broker[]).map(({ id, address, serving, leads }) => [
    `${id}  ${address}`,
    serving ? `leads ${leads}` : 'stopped',
  ]);
