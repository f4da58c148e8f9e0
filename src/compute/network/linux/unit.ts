// The desired state of one network namespace: the machine of a server, the NAT gateways of a datacenter, a load
// balancer, or the core, which connects all others. A unit is plain data, so two states can be compared.

export interface Unit {
  key: string; // core, nat-<datacenter>, lb-<balancer> or machine-<server>
  links: readonly Link[];
  addresses: readonly DeviceAddress[];
  routes: readonly Route[];
  sourceRules: readonly SourceRule[];
  filter: string; // for nft
  proxy?: Readonly<Record<string, string>>; // the files of HAProxy, by their names
}

// A pair of virtual interfaces: `device` in the namespace, and `port` in the core.
export interface Link {
  device: string;
  port: string;
  bridge: string | null; // of the port; null: the core routes to it
  mac: string | null;
}

export interface DeviceAddress {
  device: string;
  address: string; // 10.7.0.11/24
}

export interface Route {
  target: string; // 10.7.0.0/24; 0.0.0.0/0 and ::/0 are default routes
  device: string | null; // null: the target is unreachable
  via?: string;
  source?: string;
  table?: number;
  metric?: number;
}

// Packets from this address, with this mark, or that a process has bound to this device, use the table.
export type SourceRule = { table: number } & ({ from: string } | { mark: number } | { device: string });

// Of the core: name resolution and the region's own services.
export const servicesAddress = '169.254.0.53';

export const routers = { 4: '169.254.0.1', 6: 'fe80::1' } as const; // of public LANs

export const coreKey = 'core';
export const machineKey = (serverId: string): string => `machine-${serverId}`;
export const balancerKey = (balancerId: string): string => `lb-${balancerId}`;
export const natKey = (datacenterId: string): string => `nat-${datacenterId}`;

// Machines have a namespace of their container; all other namespaces have the name of their unit.
export const hasOwnNamespace = (key: string): boolean => key.startsWith('nat-') || key.startsWith('lb-');
export const versionOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4);
