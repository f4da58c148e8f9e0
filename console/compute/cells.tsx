// Cells of tables that say more than the bare value: sizes with their unit, LANs as links.
import type { Extension } from '../resources/extension.ts';
import type { Item } from '../resources/model.ts';
import { resourceUrl } from '../urls.ts';

type Cells = NonNullable<Extension['cells']>;

const gigabytes = (name: string) => (item: Item) => {
  const amount = item.properties[name];
  return typeof amount === 'number' ? `${amount.toLocaleString('en')} GB` : '–';
};

const size: Cells = { size: gigabytes('size') };

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

const balancer: Cells = { listenerLan: lanCell('listenerLan'), targetLan: lanCell('targetLan') };

export const computeCells: readonly Extension[] = [
  { of: 'volume', cells: size },
  { of: 'snapshot', cells: size },
  { of: 'cdrom', cells: size },
  { of: 'image', cells: size },
  { of: 'template', cells: { storageSize: gigabytes('storageSize') } },
  { of: 'lan', cells: { public: ({ properties }) => (properties.public === true ? 'public' : 'private') } },
  { of: 'nic', cells: { lan: lanCell('lan') } },
  { of: 'networkloadbalancer', cells: balancer },
  { of: 'applicationloadbalancer', cells: balancer },
];
