// The pages and names of compute in the console.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    {
      title: 'Datacenters',
      group: 'Compute',
      icon: 'datacenter',
      collection: ['cloudapi', '/datacenters'],
      counted: {},
    },
    {
      title: 'Servers',
      group: 'Compute',
      icon: 'server',
      collection: ['cloudapi', '/datacenters/-/servers'],
      counted: {},
    },
    {
      title: 'Volumes',
      group: 'Compute',
      icon: 'volume',
      collection: ['cloudapi', '/datacenters/-/volumes'],
      counted: {},
    },
    { title: 'Images', group: 'Compute', icon: 'image', collection: ['cloudapi', '/images'], leadsToOthers: true },
    { title: 'Snapshots', group: 'Compute', collection: ['cloudapi', '/snapshots'], under: 'Images', counted: {} },
    { title: 'IP blocks', group: 'Network', icon: 'network', collection: ['cloudapi', '/ipblocks'], counted: {} },
    { title: 'Target groups', group: 'Network', icon: 'target', collection: ['cloudapi', '/targetgroups'] },
    { title: 'Cross connects', group: 'Network', icon: 'connect', collection: ['cloudapi', '/pccs'] },
  ],
  titles: { balancednic: 'Balanced NIC', remoteconsole: 'Console address' },
};
