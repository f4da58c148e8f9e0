// Random packets for a random landscape: most of them aim at an address that exists in it.
import type { Chance } from '../../../testing/seed.ts';
import type { NetworkSpec, Nic, Protocol } from '../spec.ts';
import type { Packet } from '../verdict.ts';
import { ports } from './landscapes.ts';

const outside4 = ['203.0.113.7', '203.0.113.200', '8.8.8.8'];
const outside6 = ['2a00::7', '2A00:0:0:0::200'];

interface Aim {
  from: Nic | undefined; // undefined: from outside
  to: string;
  port: number | null; // null: any existing port
}

export function randomPacket(chance: Chance, landscape: NetworkSpec): Packet {
  const scene = chance.one([neighbours, neighbours, toListener, toListener, toListener, goingOut, goingOut, comingIn]);
  const { from, to, port } = (chance.often(88) && scene(chance, landscape)) || anything(chance, landscape);
  const isV6 = to.includes(':');
  const protocol: Protocol = chance.one(['TCP', 'TCP', 'TCP', 'UDP', isV6 ? 'ICMPv6' : 'ICMP', 'GRE', 'ESP']);
  const hasPorts = protocol === 'TCP' || protocol === 'UDP';
  return {
    from: from ? { nicId: from.id, ...named(chance, from) } : { ip: someSource(chance, isV6) },
    to,
    protocol: port !== null && chance.often(93) ? 'TCP' : protocol,
    ...(hasPorts || port !== null ? { sourcePort: 40_000, targetPort: port ?? chance.one(ports) } : {}),
    ...(protocol.startsWith('ICMP') ? { icmpType: chance.one([0, 8, 128]), icmpCode: chance.below(2) } : {}),
    ...(port !== null && chance.often(93) ? { http: request(chance) } : {}),
  };
}

const named = (chance: Chance, { ips }: Nic): { ip?: string } =>
  chance.often(5) ? { ip: chance.one([...ips, '10.77.0.3']) } : {};

const someSource = (chance: Chance, isV6: boolean): string => {
  if (chance.often(5)) return chance.one(['10.0.0.9', '198.18.0.3', '2001:db8::9', ...outside4, ...outside6]);
  return chance.one(isV6 ? outside6 : outside4);
};

const addressesOf = ({ ips, ipv6Ips }: Nic): string[] => [...ips, ...ipv6Ips];

// Two NICs of LANs with the same number: in one LAN, on one cross connect, or neither.
function neighbours(chance: Chance, { datacenters }: NetworkSpec): Aim | undefined {
  const from = chance.one(datacenters.flatMap(({ nics }) => nics));
  const others = datacenters
    .filter((each) => chance.often(70) || each.nics.includes(from))
    .flatMap(({ nics }) => nics.filter((nic) => nic.lan === from.lan && (nic !== from || chance.often(15))));
  const known = others.flatMap(addressesOf).filter((ip) => ip.includes('.') || from.ipv6Ips.length > 0);
  return known.length > 0 ? { from, to: chance.one(known), port: null } : undefined;
}

function toListener(chance: Chance, { datacenters }: NetworkSpec): Aim | undefined {
  const listeners = datacenters.flatMap(({ nics, lans, networkLoadBalancers, applicationLoadBalancers }) =>
    [...networkLoadBalancers, ...applicationLoadBalancers].flatMap(({ listenerLan, forwardingRules }) =>
      forwardingRules.map(({ listenerIp, listenerPort }) => {
        const isPublic = lans.some((lan) => lan.id === listenerLan && lan.public);
        return { listenerIp, listenerPort, near: nics.filter((nic) => nic.lan === listenerLan), isPublic };
      }),
    ),
  );
  if (listeners.length === 0) return undefined;
  const { listenerIp, listenerPort, near, isPublic } = chance.one(listeners);
  const from = isPublic && chance.often(75) ? undefined : near[0] && chance.one(near);
  return { from, to: listenerIp, port: chance.often(94) ? listenerPort : 8443 };
}

function goingOut(chance: Chance, { datacenters }: NetworkSpec): Aim {
  const nics = datacenters.flatMap((each) =>
    each.nics.filter((nic) => nic.lan === 1 || each.natGateways.length > 0 || chance.often(20)),
  );
  const from = chance.one(nics.length > 0 ? nics : datacenters.flatMap((each) => each.nics));
  return {
    from,
    to: chance.one(from.lan === 1 && from.ipv6Ips.length > 0 ? [...outside4, ...outside6] : outside4),
    port: null,
  };
}

function comingIn(chance: Chance, { datacenters }: NetworkSpec): Aim | undefined {
  const known = datacenters.flatMap(({ nics, loadBalancers }) => [
    ...nics.filter(({ lan }) => lan === 1).flatMap(addressesOf),
    ...loadBalancers.flatMap(({ ip }) => (ip?.startsWith('198.') ? [ip, ip] : [])),
  ]);
  return known.length > 0 ? { from: undefined, to: chance.one(known), port: null } : undefined;
}

function anything(chance: Chance, { datacenters }: NetworkSpec): Aim {
  const nics = datacenters.flatMap((each) => each.nics);
  const gateways = datacenters.flatMap((each) => each.natGateways);
  const known = [
    ...nics.flatMap(addressesOf),
    ...gateways.flatMap(({ publicIps, lans }) => [...publicIps, ...lans.flatMap((lan) => lan.gatewayIps)]),
    ...datacenters.flatMap((each) => each.loadBalancers.flatMap(({ ip }) => (ip === null ? [] : [ip, ip, ip]))),
    ...['10.0.2.9', '10.99.0.9', '192.168.3.3', '198.18.1.1', '2001:db8:0:2::9', '2001:db8:1:1::9', 'fd00::1'],
  ];
  const to = chance.one(known).replace(/\/.*/, '');
  return { from: chance.often(70) ? chance.one(nics) : undefined, to, port: null };
}

export const request = (chance: Chance): NonNullable<Packet['http']> => ({
  method: chance.one(['GET', 'GET', 'POST', '']),
  host: chance.one(['shop.example', 'API.example:8080', 'old.example', '']),
  path: chance.one(['/shop', '/api/old', '/', '']),
  query: chance.one(['', 'kind=shop', 'x=1&kind=api&kind=old', 'kind']),
  headers: chance.one([{}, { 'x-KIND': 'shop' }, { 'X-Kind': 'api', kind: 'old' }, { kind: '' }]),
  cookies: chance.one([{}, { kind: 'old' }, { 'X-Kind': 'shop', kind: 'api' }]),
});
