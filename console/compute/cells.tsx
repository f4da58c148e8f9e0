// Cells of compute resources: LANs and templates as links, and the users of an IP block's addresses.
import { lazyView } from '../lazy.tsx';
import type { Extension } from '../resources/extension.ts';
import type { Item } from '../resources/model.ts';
import { Reference } from '../resources/value.tsx';
import { resourceUrl } from '../urls.ts';

type Cells = NonNullable<Extension['cells']>;

// The number of a LAN of the same datacenter.
const lanCell = (name: string) => (item: Item) => {
  const number = item.properties[name];
  const [datacenter] = /\/datacenters\/[^/]+/.exec(item.href ?? '') ?? [];
  if (typeof number !== 'number') return '–';
  return datacenter === undefined ? (
    number
  ) : (
    <a href={resourceUrl('cloudapi', `${datacenter}/lans/${number}`)}>{number}</a>
  );
};

const IpUsers = lazyView(() => import('./ip-users-table.tsx').then((m) => m.IpUsersTable));
const balancer: Cells = { listenerLan: lanCell('listenerLan'), targetLan: lanCell('targetLan') };

const template = ({ properties: { templateUuid } }: Item) => {
  const id = String(templateUuid);
  return <Reference key={id} id={id} href={`/cloudapi/v6/templates/${id}`} />;
};

export const computeCells: readonly Extension[] = [
  {
    of: 'server',
    cells: { templateUuid: template },
    facts: lazyView(() => import('./server/attached-section.tsx').then((m) => m.AttachedSection)),
  },
  { of: 'ipblock', cells: { ipConsumers: (item) => <IpUsers key={JSON.stringify(item.properties)} block={item} /> } },
  { of: 'lan', cells: { public: ({ properties }) => (properties.public === true ? 'public' : 'private') } },
  { of: 'nic', cells: { lan: lanCell('lan') } },
  { of: 'networkloadbalancer', cells: balancer },
  { of: 'applicationloadbalancer', cells: balancer },
];
