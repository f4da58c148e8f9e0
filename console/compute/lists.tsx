// The lists of servers, with addresses and images, and of volumes, with their servers.
import type { ListView } from '../resources/extension.ts';
import { resourceUrl } from '../urls.ts';
import { addressesOf, imageNames, imageOf, nameOrId, serverPathOf, volumeNames } from './list-facts.ts';

const none = <span class="none">–</span>;

export const serverList: ListView = {
  shows: ['name', 'type', 'cores', 'ram', 'vmState', 'bootVolume', 'nics.ips', 'nics.ipv6Ips', 'volumes.image'],
  names: imageNames,
  columns: [
    'name',
    {
      key: 'addresses',
      title: 'Addresses',
      least: 9,
      value: (item) => addressesOf(item).join(', '),
      cell(item) {
        const [first, ...others] = addressesOf(item);
        if (first === undefined) return none;
        return (
          <span title={[first, ...others].join(', ')}>
            {first}
            {others.length > 0 && <small> +{others.length}</small>}
          </span>
        );
      },
    },
    {
      key: 'image',
      title: 'Image',
      least: 8,
      share: 1.5,
      value: (item, names) => nameOrId(imageOf(item), names),
      cell: (item, names) => nameOrId(imageOf(item), names) || none,
    },
    'cores',
    'ram',
  ],
};

export const volumeList: ListView = {
  shows: ['name', 'type', 'size', 'image', 'bootServer'],
  names: volumeNames,
  columns: [
    'name',
    {
      key: 'server',
      title: 'Server',
      value: (item, names) => nameOrId(item.properties.bootServer, names),
      cell(item, names) {
        const path = serverPathOf(item);
        if (path === undefined) return none;
        return (
          <a class="within" href={resourceUrl('cloudapi', path)} tabIndex={-1}>
            {nameOrId(item.properties.bootServer, names)}
          </a>
        );
      },
    },
    {
      key: 'image',
      title: 'Image',
      least: 8,
      value: (item, names) => nameOrId(item.properties.image, names),
      cell: (item, names) => nameOrId(item.properties.image, names) || none,
    },
    'type',
    'size',
  ],
};
