// The card of each item in the diagram: shown on hover and focus, and read out by screen readers.
import {
  balancerTitles,
  counted,
  type Lan,
  type Landscape,
  type Nic,
  ramText,
  type Server,
  stateOf,
  stateText,
  type Volume,
} from './landscape.ts';

export interface Card {
  kind: string;
  title: string;
  facts: readonly (readonly [name: string, value: string])[];
}

export function cardsOf(landscape: Landscape): ReadonlyMap<string, Card> {
  const { lans, servers, volumes, gateways, balancers, crossConnects } = landscape;
  const lanNames = new Map(lans.map(({ id, name }) => [id, name]));
  const named = (id: string): string => lanNames.get(id) ?? `LAN ${id}`;
  const cards = new Map<string, Card>();
  for (const lan of lans) cards.set(lan.path, lanCard(lan, servers));
  for (const server of servers) {
    cards.set(server.path, serverCard(server, named));
    for (const nic of server.nics) cards.set(nic.path, nicCard(nic, server, named));
    for (const volume of server.volumes) cards.set(volume.path, volumeCard(volume));
  }
  for (const volume of volumes) cards.set(volume.path, volumeCard(volume));
  for (const { path, name, publicIps, lans: behind, state } of gateways)
    cards.set(path, {
      kind: 'NAT gateway',
      title: name,
      facts: [
        ['State', stateText(state)],
        ['Public', publicIps.join(', ') || 'none'],
        ['LANs', behind.map(named).join(', ') || 'none'],
      ],
    });
  for (const { path, name, kind, ips, listener, targets, state } of balancers)
    cards.set(path, {
      kind: balancerTitles[kind],
      title: name,
      facts: [
        ['State', stateText(state)],
        ['Addresses', ips.join(', ') || 'none'],
        ...(listener === '' ? [] : [['Listener LAN', named(listener)] as const]),
        ['Target LANs', targets.map(named).join(', ') || 'none'],
      ],
    });
  for (const { path, name, peers } of crossConnects)
    cards.set(path, {
      kind: 'Cross connect',
      title: name,
      facts: [['Connects', peers === 0 ? 'no other datacenter yet' : `${counted(peers, 'LAN')} of other datacenters`]],
    });
  return cards;
}

function lanCard({ id, name, isPublic, ipv4, ipv6 }: Lan, servers: readonly Server[]): Card {
  const inside = servers.filter(({ nics }) => nics.some(({ lan }) => lan === id)).length;
  return {
    kind: isPublic ? 'Public LAN' : 'Private LAN',
    title: name,
    facts: [
      ['Number', id],
      ...(ipv4 === '' ? [] : [['IPv4', ipv4] as const]),
      ['IPv6', ipv6 || 'none'],
      ['Servers', String(inside)],
    ],
  };
}

function serverCard(server: Server, named: (lan: string) => string): Card {
  const { name, cores, ramMb, type, zone, nics, volumes } = server;
  return {
    kind: 'Server',
    title: name,
    facts: [
      ['State', stateText(stateOf(server))],
      ['Size', `${counted(cores, 'core')}, ${ramText(ramMb)} of RAM`],
      ['Type', `${stateText(type)}, zone ${stateText(zone)}`],
      ...volumes.map((one) => ['Volume', `${one.name}, ${volumeText(one)}`] as const),
      ...nics.map((one) => [named(one.lan), `${one.ips.join(', ') || 'no address'}; ${one.firewall}`] as const),
    ],
  };
}

const nicCard = ({ name, lan, ips, firewall }: Nic, server: Server, named: (lan: string) => string): Card => ({
  kind: 'NIC',
  title: name,
  facts: [
    ['Server', server.name],
    ['LAN', named(lan)],
    ['Addresses', ips.join(', ') || 'none'],
    ['Firewall', firewall],
  ],
});

const volumeCard = (volume: Volume): Card => ({
  kind: 'Volume',
  title: volume.name,
  facts: [
    ['State', stateText(volume.state)],
    ['Size', volumeText(volume)],
  ],
});

export const volumeText = ({ sizeGb, type }: Volume): string => [`${sizeGb} GB`, type].filter(Boolean).join(' ');

export const readOut = ({ kind, title, facts }: Card): string =>
  [`${kind} ${title}`, ...facts.map(([name, value]) => `${name}: ${value}`)].join('; ');
