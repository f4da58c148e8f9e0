// Power actions of a server. Clients wait for its power state. Addresses leased by DHCP are released while it is off,
// and new ones are leased when it starts.

import { Fault } from '../../base/fault.ts';
import type { Json } from '../../base/json.ts';
import { busy } from '../../core/operation/busy.ts';
import { changeOf } from '../../core/operation/draft.ts';
import { type Act, type DecisionContext, type Draft, pathOf, step } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { leaseAddress, releaseAddress, segmentOf } from '../lan/address-claims.ts';
import { leasedAddresses } from '../lan/nic-addresses.ts';
import type { ComputeTools } from '../tools.ts';
import { machineStep } from './machine-steps.ts';
import { boot, operate } from './server-machine.ts';
import { isTemplated } from './server-rules.ts';

// A real system needs time for its shutdown; a simulated one stops at once.
const graceMs = ({ machines }: ComputeTools): number => (machines.abilities.realTime ? 20_000 : 0);

export const serverActions: Record<string, Act<ComputeTools>> = {
  start: {
    steps: [machineStep('boot')],
    decide: async (draft, context) => {
      requireKind(draft, false, 'started', 'resume');
      if (draft.values.vmState !== 'RUNNING') await eachNic(draft, context, lease);
      await boot(draft, context, (machine) => context.tools.machines.start(machine));
      draft.values.vmState = 'RUNNING';
    },
  },
  stop: {
    steps: [machineStep('halt')],
    decide: async (draft, context) => {
      requireKind(draft, false, 'stopped', 'suspend');
      if (draft.values.vmState !== 'SHUTOFF') await eachNic(draft, context, release);
      await operate(draft, (machine) => context.tools.machines.stop(machine, graceMs(context.tools)));
      draft.values.vmState = 'SHUTOFF';
    },
  },
  reboot: {
    steps: [machineStep('reset')],
    decide: async (draft, context) => {
      if (!draft.resource.lifecycle.can.reboot?.includes(String(draft.values.vmState)))
        throw wrongState(draft, 'rebooted');
      if (draft.values.vmState === 'SHUTOFF') await eachNic(draft, context, lease);
      await boot(draft, context, (machine) => context.tools.machines.reset(machine));
      draft.values.vmState = 'RUNNING';
    },
  },
  suspend: {
    steps: [machineStep('save')],
    decide: async (draft, { tools }) => {
      requireKind(draft, true, 'suspended', 'stop');
      await operate(draft, (machine) => tools.machines.suspend(machine));
      draft.values.vmState = 'SUSPENDED';
    },
  },
  resume: {
    steps: [machineStep('load')],
    decide: async (draft, { tools }) => {
      requireKind(draft, true, 'resumed', 'start');
      await operate(draft, (machine) => tools.machines.resume(machine));
      draft.values.vmState = 'RUNNING';
    },
  },
  upgrade: { steps: [step('upgrade')] },
};

function requireKind({ values, id }: Draft, isTemplate: boolean, done: string, instead: string): void {
  if (isTemplated(values.type) === isTemplate) return;
  const kind = values.type === 'CUBE' ? 'A Cube' : `A server of type ${values.type}`;
  throw new Fault('refused', `${kind} can't be ${done}. Use ${instead} for server ${id} instead.`, { code: '200' });
}

const wrongState = ({ values, id }: Draft, done: string): Fault =>
  new Fault('refused', `Server ${id} is ${values.vmState} and can't be ${done}.`, { code: '200' });

type NicWork = (nic: Draft, context: DecisionContext<ComputeTools>, lan: Row) => Promise<boolean> | boolean;

// NICs that change become parts of the operation.
async function eachNic(draft: Draft, context: DecisionContext<ComputeTools>, work: NicWork): Promise<void> {
  const { store } = context;
  const row = draft.before as Row;
  const parents = [...draft.parents, row];
  for (const nic of await store.range({ contract: row.contract, place: `${pathOf(row)}/nics`, limit: 100 })) {
    const change = changeOf(context.resource('nic'), draft.caller, parents, nic);
    const lanPath = change.reservations.links.find(([role]) => role === 'lan')?.[1] ?? '';
    const lan = await store.at(row.contract, lanPath);
    if (!lan || !(await work(change, context, lan))) continue;
    if (nic.state !== 'AVAILABLE') throw busy(nic);
    draft.related.push(change);
  }
}

function release(nic: Draft): boolean {
  const leased = leasedAddresses(nic);
  if (leased.length === 0) return false;
  for (const address of leased) releaseAddress(nic, address);
  nic.values.ips = (nic.values.ips as string[]).filter((address) => !leased.includes(address));
  nic.hidden.waits = true; // for the next start
  return true;
}

async function lease(nic: Draft, context: DecisionContext<ComputeTools>, lan: Row): Promise<boolean> {
  if (!nic.hidden.waits) return false;
  const address = await leaseAddress(
    nic,
    context,
    segmentOf(pathOf(lan), JSON.parse(lan.body) as { [name: string]: Json }),
  );
  nic.values.ips = [...(nic.values.ips as string[]), address];
  delete nic.hidden.waits;
  return true;
}
