// A replica of a group: a server of the group's datacenter, under its own id.
import type { Values } from '../base/json.ts';
import { resource } from '../core/resource.ts';
import { shape, text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import type { Reader } from '../core/tree.ts';
import { autoscaling } from './dialect/dialect.ts';
import { group } from './group.ts';
import { groupValues, replicaState, replicaStatus } from './group-row.ts';
import type { AutoscalingTools } from './tools.ts';

export const replica = resource<AutoscalingTools>({
  name: 'autoscalingserver',
  shown: { title: 'Replica', type: 'server', phrase: 'a replica of a group', columns: ['name'] },
  plural: 'servers',
  root: 'autoscaling/',
  dialect: autoscaling,
  parents: [group],
  verbs: ['list', 'get'],
  rights: { create: 'none' },
  actions: 'autoscaling.server',
  properties: {
    name: text({ serverFilled: true }),
    datacenterServer: shape({ id: text(), type: text(), href: text() }, { derived: true }),
  },
  async derive(row, values, { store }, href): Promise<Values> {
    const { server } = replicaState(row);
    const path = await serverPath(row, store);
    return { name: values().name ?? '', datacenterServer: { id: server, type: 'server', href: coreHref(href, path) } };
  },
  noted: {
    read: async (row, store) => ({
      state: replicaStatus(row, await store.at(row.contract, await serverPath(row, store))),
    }),
  },
});

async function serverPath(replica: Row, store: Reader): Promise<string> {
  const group = await store.at(replica.contract, replica.place.slice(0, replica.place.lastIndexOf('/')));
  const datacenter = group ? groupValues(group).datacenter.id : '';
  return `datacenters/${datacenter}/servers/${replicaState(replica).server}`;
}

// Clients parse the ids of the datacenter and the server from it.
const coreHref = (href: (path: string) => string, path: string): string =>
  href(path).replace(/\/autoscaling(\/v1\.ea)?\/datacenters/, '/cloudapi/v6/datacenters');
