// `lab brokers`: shows the brokers of a cluster, stops one, or starts it again.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { type Command, dataOption, type Input, jsonOption } from '../../command/command.ts';
import { contractOption, wholeNumber } from '../../command/option-values.ts';
import { columns, print, printJson } from '../../command/terminal.ts';
import { askRegion } from '../admin/operations.ts';

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
    'Shows the brokers of an event streaming cluster, and how many partitions each broker leads. Name the cluster by its ' +
    'ID or name. A stopped broker is unreachable: the others lead its partitions until it or the region is ' +
    'started again.',
  options: [
    { name: 'stop', takes: 'BROKER', help: 'the broker to stop: 1, 2 or 3' },
    { name: 'start', takes: 'BROKER', help: 'the broker to start again' },
    contractOption,
    jsonOption,
    dataOption,
  ],
  examples: [
    ['cumulet lab brokers orders --stop 2', 'clients continue with the other two'],
    ['cumulet lab brokers orders --start 2', 'it leads its partitions again'],
  ],
  async run(input) {
    const [cluster] = input.operands;
    if (cluster === undefined) throw new Fault('refused', 'Name the cluster by its ID or name.');
    const contract = wholeNumber(input, 'contract');
    const result = await askRegion(input.data, 'lab/brokers', {
      cluster,
      ...changeOf(input),
      ...(contract !== undefined && { contract }),
    });
    if (input.has('json')) printJson(result);
    else print(columns(rowsOf(result)));
    return 0;
  },
};

function changeOf(input: Input): { broker?: number; serving?: boolean } {
  const [stop, start] = [wholeNumber(input, 'stop'), wholeNumber(input, 'start')];
  if (stop !== undefined && start !== undefined) throw new Fault('refused', 'Pass either --stop or --start, not both.');
  const broker = stop ?? start;
  return broker === undefined ? {} : { broker, serving: start !== undefined };
}

const rowsOf = ({ brokers: all }: Values): [string, string][] =>
  (all as unknown as Broker[]).map(({ id, address, serving, leads }) => [
    `${id}  ${address}`,
    serving ? `leads ${leads}` : 'stopped',
  ]);
