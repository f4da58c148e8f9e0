// The lab for the operator's commands, in any contract.
import { Fault } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import { type LabCalls, type OperatorLab, operatorAccounts } from '../surface/operator.ts';
import { labBrokers, labGroups, labMachines, labTraffic, type Ports } from '../surface/ports.ts';
import type { Context } from '../surface/product.ts';
import { totalOf } from './groups.ts';
import { advanceOf, clockOf, moveClock, plantFaults } from './index.ts';
import { loadOf } from './machines.ts';
import { sendTraffic } from './traffic.ts';

export function operatorLabOf(context: Context, ports: Ports, isServed: boolean): OperatorLab {
  const demandLab = (): void => {
    if (!isServed) throw new Fault('forbidden', 'The lab of this region is off: it was started with --no-lab.');
  };
  const contractOf = async (number: number | undefined): Promise<number> =>
    number ?? (await ports.use(operatorAccounts).home());
  return {
    async 'lab/clock'(request) {
      if (request.advanceMs === undefined) return clockOf(context.clock) as LabCalls['lab/clock'][1];
      demandLab();
      return (await moveClock(context, advanceOf(request))) as LabCalls['lab/clock'][1];
    },
    async 'lab/faults'(request) {
      if (request.faults !== undefined) {
        demandLab();
        await plantFaults(context, request);
      }
      return { faults: context.faults.list() };
    },
    async 'lab/traffic'({ contract, packet }) {
      demandLab();
      return sendTraffic(ports.use(labTraffic), await contractOf(contract), packet as Json);
    },
    async 'lab/load'({ contract, server, load }) {
      demandLab();
      const machines = ports.use(labMachines);
      const row = await machines.find(await contractOf(contract), String(server));
      if (!row) throw new Fault('missing', missingText('server', server));
      const now = context.clock.now();
      return load === undefined ? machines.look(row, now) : machines.setLoad(row, loadOf(load as Json), now);
    },
    async 'lab/group'({ contract, group, load }) {
      demandLab();
      const groups = ports.use(labGroups);
      const row = await groups.find(await contractOf(contract), String(group));
      if (!row) throw new Fault('missing', missingText('auto scaling group', group));
      if (load !== undefined) await groups.setLoad(row, totalOf(load as Json));
      return groups.look(row);
    },
    async 'lab/brokers'({ contract, cluster, broker, serving }) {
      demandLab();
      const brokers = ports.use(labBrokers);
      const row = await brokers.find(await contractOf(contract), cluster);
      if (!row) throw new Fault('missing', `Cluster ${cluster} does not exist in this contract.`);
      if (broker !== undefined) await brokers.setServing(row, broker, serving === true);
      return brokers.look(row);
    },
  };
}

const missingText = (what: string, id: unknown): string =>
  `No ${what} of the contract has the id '${id}'. Pass an id, not a name.`;
