// The addresses of an IP block and the resource that uses each.
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import type { Item } from '../resources/model.ts';
import { resourceUrl } from '../urls.ts';
import { readIpUsers } from './read-ip-users.ts';

export function IpUsersTable({ block }: { block: Item }) {
  const users = useResource((signal) => readIpUsers(block, signal));
  return (
    <Loaded resource={users} what="the users of the addresses">
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
