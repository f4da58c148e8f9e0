// Random load balancers of a landscape. Their targets listen. Health checks are off, because their packets would be
// counted too. Targets of application balancers have no firewall: after a lost packet the proxy tries another target.
import type { DatacenterSpec, HttpRequest, HttpRule, Nic, Packet } from '../../../src/testing/black-box/network.ts';
import type { Chance } from '../../../src/testing/seed.ts';

export const ports = [22, 80, 443];

export type Next = (network: string) => number; // the next free number of an address there

type Balancers = Pick<
  DatacenterSpec,
  'networkLoadBalancers' | 'applicationLoadBalancers' | 'targetGroups' | 'loadBalancers'
>;

interface Site extends Pick<DatacenterSpec, 'id' | 'nics' | 'servers'> {
  chance: Chance;
  next: Next;
}

export function randomBalancers(site: Site): Balancers {
  const { chance, id } = site;
  const isOpen = ({ server, firewallActive, securityGroups }: Nic): boolean =>
    !firewallActive &&
    securityGroups.length === 0 &&
    site.servers.find((one) => one.id === server)?.securityGroups.length === 0;
  return {
    networkLoadBalancers: chance.often(60) ? [networkBalancer(site)] : [],
    applicationLoadBalancers: chance.often(60) ? [applicationBalancer(site)] : [],
    targetGroups: [
      {
        id: `${id}-targets`,
        algorithm: chance.one(['ROUND_ROBIN', 'LEAST_CONNECTION', 'RANDOM'] as const),
        targets: targets(site, site.nics.filter(isOpen)).map((one) => ({
          ...one,
          healthCheckEnabled: false,
          maintenanceEnabled: chance.often(15),
        })),
      },
    ],
    loadBalancers: chance.often(60) ? classicBalancers(site) : [],
  };
}

// In the public LAN, or in a private one, with targets in a private one.
function frame({ chance, id, next }: Site, kind: string) {
  const isPublic = chance.often(60);
  return {
    id: `${id}-${kind}`,
    listenerLan: isPublic ? 1 : 2,
    targetLan: 2,
    ips: [isPublic ? `198.18.0.${next('public')}` : `10.7.0.${next(id)}`],
    lbPrivateIps: [`10.7.0.${next(id)}/24`],
  };
}

const targets = ({ chance }: Site, nics: readonly Nic[]) =>
  nics
    .filter(({ lan, ips }) => lan === 2 && ips.length > 0)
    .map(({ ips }) => ({ ip: chance.one(ips), port: chance.one(ports), weight: chance.one([0, 1, 1, 3]) }));

// A rejected packet is neither repeated nor sent to another target.
const oneTry = { clientTimeout: null, connectTimeout: 200, targetTimeout: null, retries: 0 };

function networkBalancer(site: Site): DatacenterSpec['networkLoadBalancers'][number] {
  const { chance } = site;
  const balancer = frame(site, 'network');
  return {
    ...balancer,
    forwardingRules: ports
      .filter(() => chance.often(90))
      .map((listenerPort) => ({
        id: `${balancer.id}-${listenerPort}`,
        algorithm: chance.one(['ROUND_ROBIN', 'LEAST_CONNECTION', 'RANDOM'] as const),
        protocol: 'TCP',
        listenerIp: balancer.ips[0] as string,
        listenerPort,
        healthCheck: oneTry,
        targets: targets(site, site.nics).map((one) => ({
          ...one,
          healthCheck: { check: false, maintenance: chance.often(15) },
        })),
      })),
  };
}

function applicationBalancer(site: Site): DatacenterSpec['applicationLoadBalancers'][number] {
  const { chance, id } = site;
  const balancer = frame(site, 'application');
  const httpRule = (name: string): HttpRule => {
    const type = chance.one(['FORWARD', 'FORWARD', 'STATIC', 'REDIRECT'] as const);
    return {
      ...{ name, type, targetGroup: type === 'FORWARD' ? `${id}-targets` : null, dropQuery: null },
      ...{ location: type === 'REDIRECT' ? 'https://shop.example/' : null, statusCode: null },
      ...{ responseMessage: null, contentType: null },
      conditions: chance.often(20)
        ? []
        : [{ type: 'PATH', condition: 'STARTS_WITH', negate: chance.often(20), key: null, value: chance.one(paths) }],
    };
  };
  return {
    ...balancer,
    forwardingRules: [80, 443]
      .filter(() => chance.often(90))
      .map((listenerPort) => ({
        ...{
          id: `${balancer.id}-${listenerPort}`,
          protocol: 'HTTP',
          listenerIp: balancer.ips[0] as string,
          listenerPort,
        },
        httpRules: Array.from({ length: 1 + chance.below(3) }, (_, at) => httpRule(`http${at}`)),
      })),
  };
}

function classicBalancers({ chance, id, nics, next }: Site): DatacenterSpec['loadBalancers'] {
  const inside = nics.filter(({ lan }) => lan === 2);
  const balancedNics = inside.filter(() => chance.often(70)).map((nic) => nic.id);
  return balancedNics.length > 0 ? [{ id: `${id}-classic`, ip: `10.7.0.${next(id)}`, balancedNics }] : [];
}

const paths = ['/shop', '/old', '/'];

export const randomHttp = (chance: Chance): HttpRequest => ({
  ...{ method: 'GET', host: 'shop.example', path: chance.one(paths), query: '', headers: {}, cookies: {} },
});

interface Front {
  ip: string;
  lan: number;
  nics: readonly Nic[]; // of the datacenter
  balancedServers: readonly string[]; // of a classic balancer
}

export const frontsOf = ({ nics, ...datacenter }: DatacenterSpec): Front[] => [
  ...[...datacenter.networkLoadBalancers, ...datacenter.applicationLoadBalancers].map(({ ips, listenerLan }) => ({
    ...{ ip: ips[0] as string, lan: listenerLan, nics, balancedServers: [] },
  })),
  ...datacenter.loadBalancers.map(({ ip, balancedNics }) => ({
    ...{ ip: ip as string, lan: 2, nics },
    balancedServers: nics.flatMap(({ id, server }) => (balancedNics.includes(id) ? server : [])),
  })),
];

// The forwarding rule that accepts a packet's connection.
export const listenerOf = (datacenters: readonly DatacenterSpec[], balancer: string, { targetPort }: Packet) =>
  datacenters
    .flatMap((one) => [...one.networkLoadBalancers, ...one.applicationLoadBalancers])
    .find(({ id }) => id === balancer)
    ?.forwardingRules.find(({ listenerPort }) => listenerPort === targetPort)?.id;
