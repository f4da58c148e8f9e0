// The port of the lab to machines: describe a machine, and set its load. The lab knows servers only as rows.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { LabMachines } from '../../surface/ports.ts';
import type { MachineEngine, MachineHandle } from './engine.ts';
import { loadAt, loadFrom, type SentLoad, type Usage } from './load.ts';
import { loadsOf, setLoad } from './load-rows.ts';
import type { MachineMeter } from './meter.ts';

const minuteMs = 60_000;

// `handleOf` finds the machine in the row of its server.
export function machineLab(
  store: Store,
  machines: MachineEngine,
  meter: MachineMeter,
  handleOf: (server: Row) => MachineHandle | undefined,
): LabMachines {
  return {
    find: (contract, serverId) => findServer(store, contract, serverId),
    async look(server, now) {
      const handle = handleOf(server);
      if (!handle) throw new Fault('missing', `Server ${server.id} has no machine yet.`);
      const loads = await loadsOf(store, server);
      const { state, since, boots } = await machines.describe(handle);
      const { from, to, ...used } = (await meter.usage(server, now - minuteMs, now)) as Usage;
      return {
        id: server.id,
        vmState: state,
        since: iso(since),
        boots,
        load: loadAt(loads, now),
        usage: { from: iso(from), to: iso(to), ...used },
        console: await machines.console(handle, now),
      };
    },
    load: async (server, now) => loadAt(await loadsOf(store, server), now),
    setLoad: async (server, sent, now) => {
      demandSimulated(machines);
      return loadAt(await setLoad(store, server, loadFrom(sent as SentLoad), now), Number.POSITIVE_INFINITY);
    },
  };
}

// Measured usage can't be set.
export function demandSimulated({ name, abilities }: MachineEngine): void {
  if (!abilities.measuresUsage) return;
  const why = `The machine engine "${name}" measures the usage of its machines, so no load can be set.`;
  throw new Fault('refused', `${why} Run work in the machine instead.`, { code: '200' });
}

// Servers are stored below their datacenter; the lab knows only the id, so all datacenters are searched.
async function findServer(store: Store, contract: number, serverId: string): Promise<Row | undefined> {
  if (!isUuid(serverId)) return undefined;
  for await (const datacenter of store.each({ contract, place: 'datacenters' })) {
    const row = await store.get(contract, `${pathOf(datacenter)}/servers`, serverId);
    if (row) return row;
  }
  return undefined;
}
