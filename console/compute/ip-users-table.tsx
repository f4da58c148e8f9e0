// The addresses of an IP block, and what has each of them.
import { call } from '../api.ts';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import type { Item } from '../resources/model.ts';
import { resourceUrl } from '../urls.ts';
import { type Holder, ipUsersOf, unnamedIn } from './ip-users.ts';

const collections = ['natgateways', 'networkloadbalancers', 'applicationloadbalancers'];

async function holdersIn(datacenter: string, signal: AbortSignal): Promise<Holder[]> {
  const found = collections.map(async (collection): Promise<Holder[]> => {
    const path = `/cloudapi/v6/datacenters/${datacenter}/${collection}?depth=1&limit=1000`;
    const { items } = await call<{ items: Item[] }>('GET', path, { signal });
    return items.map((item) => ({ collection, datacenter, item }));
  });
  return (await Promise.all(found)).flat();
}

export function IpUsersTable({ block }: { block: Item }) {
  const users = useResource(async (signal) => {
    const holders = await Promise.all(unnamedIn(block).map((id) => holdersIn(id, signal)));
    return ipUsersOf(block, holders.flat());
  });
  return (
    <Loaded resource={users} what="what has the addresses">
      {(rows) => (
        <Table
          caption="Addresses"
          rows={rows}
          keyOf={({ ip }) => ip}
          columns={[
            { title: 'Address', look: 'code', cell: ({ ip }) => ip },
            {
              title: 'Used by',
              cell: ({ name, path }) =>
                path === '' ? (
                  <span class="none">{name || 'free'}</span>
                ) : (
                  <a href={resourceUrl('cloudapi', path)}>{name}</a>
                ),
            },
            {
              title: 'Datacenter',
              cell: ({ datacenter }) =>
                datacenter && <a href={resourceUrl('cloudapi', `/datacenters/${datacenter.id}`)}>{datacenter.name}</a>,
            },
          ]}
        />
      )}
    </Loaded>
  );
}
