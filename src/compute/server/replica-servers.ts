// Servers that are parts of another product's operation: the same drafts and decisions as those of the servers' own
// routes, so that they are created, removed and undone together with the operation.
import { isUuid } from '../../base/ids.ts';
import type { Values } from '../../base/json.ts';
import { maySee } from '../../core/access.ts';
import { busy } from '../../core/operation/busy.ts';
import { changeOf, decide, draftOf, removalOf } from '../../core/operation/draft.ts';
import type { Draft } from '../../core/resource.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Machinery } from '../../surface/machinery.ts';
import type { ReplicaNic, ReplicaServers, ReplicaTarget } from '../../surface/ports.ts';
import type { MachineEngine } from '../machine/engine.ts';
import { demandSimulated } from '../machine/lab.ts';
import { loadFrom, type SentLoad } from '../machine/load.ts';
import { setLoad } from '../machine/load-rows.ts';
import type { MachineMeter } from '../machine/meter.ts';

export function replicasOf(
  { store, model }: Pick<Machinery, 'store' | 'model'>,
  meter: MachineMeter,
  machines: MachineEngine,
): ReplicaServers {
  const rowAt = async (contract: number, place: string, id: string): Promise<Row | undefined> => {
    const row = isUuid(id) ? await store.get(contract, place, id) : undefined;
    return row?.state === 'DELETING' ? undefined : row;
  };
  return {
    datacenter: (contract, id) => rowAt(contract, 'datacenters', id),
    find: (contract, datacenterId, id) => rowAt(contract, `datacenters/${datacenterId}/servers`, id),
    creation(whole, datacenter, id, sent) {
      const resource = model.get('server');
      const input = {
        resource,
        way: 'create',
        caller: whole.caller,
        parents: [datacenter],
        sent,
        at: '(root)',
      } as const;
      const draft = draftOf(model, input);
      draft.id = id;
      belongTo(draft, whole);
      return draft;
    },
    check: (draft) => decide(model, draft),
    plannedNics: ({ children }) =>
      children.filter(({ resource }) => resource.name === 'nic').map(({ id, values }) => nicOf(id, values)),
    async nics(server) {
      const rows = await store.children(server.contract, `${pathOf(server)}/nics`);
      return rows
        .filter(({ state }) => state !== 'DELETING')
        .map(({ id, body }) => nicOf(id, JSON.parse(body) as Values));
    },
    async removal(whole, datacenter, server, deleteVolumes) {
      if (server.state !== 'AVAILABLE' || (await store.changing(server.contract, pathOf(server)))) throw busy(server);
      const flags = new Set(deleteVolumes ? ['deleteVolumes'] : []);
      const draft = removalOf(model.get('server'), whole.caller, [datacenter], server, flags);
      draft.top = whole;
      await decide(model, draft);
      return draft;
    },
    async hasTargetGroup(caller, id) {
      const row = await rowAt(caller.contract, 'targetgroups', id);
      return row !== undefined && maySee(caller, row);
    },
    async retarget(caller, id, add, remove) {
      const row = await rowAt(caller.contract, 'targetgroups', id);
      if (!row) return undefined;
      const { targets } = JSON.parse(row.body) as { targets: (ReplicaTarget & Values)[] };
      const leaving = new Set(remove.map(keyOf));
      const kept = targets.filter((one) => !leaving.has(keyOf(one)));
      const there = new Set(kept.map(keyOf));
      const fresh = add.filter((one) => !there.has(keyOf(one)));
      if (fresh.length === 0 && kept.length === targets.length) return undefined;
      if (row.state !== 'AVAILABLE' || (await store.changing(row.contract, pathOf(row)))) throw busy(row);
      const draft = changeOf(model.get('targetgroup'), caller, [], row);
      draft.values.targets = [...kept, ...fresh.map(({ ip, port, weight }) => ({ ip, port, weight, ...usualTarget }))];
      return draft;
    },
    async usage(server, from, to) {
      return (await meter.usage(server, from, to)) ?? noUsage;
    },
    setLoad: async (server, sent, now) => {
      demandSimulated(machines);
      const loads = await setLoad(store, server, loadFrom(sent as SentLoad), now);
      return (loads.at(-1) ?? {}) as Values;
    },
  };
}

const usualTarget = { proxyProtocol: 'none', healthCheckEnabled: true, maintenanceEnabled: false };

const noUsage = {
  runningMs: 0,
  cpuPercent: 0,
  networkInBytes: 0,
  networkOutBytes: 0,
  networkInPackets: 0,
  networkOutPackets: 0,
};

const keyOf = ({ ip, port }: ReplicaTarget): string => `${ip} ${port}`;

function nicOf(id: string, { lan, ips }: Values): ReplicaNic {
  const ip = (Array.isArray(ips) ? ips.map(String) : []).find((address) => !address.includes(':'));
  return { id, lan: Number(lan), ...(ip !== undefined && { ip }) };
}

// Parts ask the operation for what its other parts create, such as a LAN that several NICs name.
function belongTo(draft: Draft, whole: Draft): void {
  draft.top = whole;
  for (const part of [...draft.children, ...draft.related]) belongTo(part, whole);
}
