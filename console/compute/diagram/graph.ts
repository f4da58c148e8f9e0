// The nodes and edges of a datacenter's diagram. Traffic flows from the top: the internet, public LANs, the devices in
// them, and the LANs behind. Many servers in the same LANs become one node, which keeps the picture readable and the
// layout fast.
import type { Balancer, CrossConnect, Gateway, Lan, Landscape, Nic, Server, Volume } from './landscape.ts';

export type Node =
  | Box<'internet', undefined>
  | Box<'lan', Lan>
  | Box<'server', Server>
  | Box<'servers', Cluster<Server>>
  | Box<'volumes', Cluster<Volume>>
  | Box<'gateway', Gateway>
  | Box<'balancer', Balancer>
  | Box<'crossConnect', CrossConnect>;

interface Box<Kind extends string, Data> {
  kind: Kind;
  key: string;
  width: number;
  height: number;
  data: Data;
}

export interface Cluster<Member> {
  title: string;
  members: readonly Member[];
  cell: Cell;
  columns: number;
}

export interface Cell {
  width: number;
  height: number;
  isDetailed: boolean; // with a second line
}

export interface Edge {
  key: string;
  from: string; // keys of nodes
  to: string;
  lan: number; // the index of its LAN, for the colour; -1: none
}

export interface Graph {
  nodes: readonly Node[];
  edges: readonly Edge[];
}

// The number of servers in the same LANs up to which each has its own node, in a datacenter of few servers and of many.
export const mostAlone = { few: 6, many: 2 };
const fewServers = 24;
const mostDetailed = 40; // cells of a cluster with a second line
export const mostNics = 4; // in a server's node

export const sizes = {
  node: { width: 216, height: 58 },
  lan: { width: 240, height: 52 },
  internet: { width: 140, height: 42 },
  server: { width: 216, head: 54, row: 22, foot: 8 },
  cluster: { least: 288, head: 34, gap: 6, padding: 10 },
} as const;

const detailed: Cell = { width: 156, height: 44, isDetailed: true };
const bare: Cell = { width: 120, height: 26, isDetailed: false };

export const internetKey = 'internet';
export const lanKey = (id: string): string => `lan ${id}`;
export const serverKey = (id: string): string => `server ${id}`;
export const crossConnectKey = (id: string): string => `pcc ${id}`;
export const deviceKey = (id: string): string => `device ${id}`; // of gateways and balancers

export function graphOf(landscape: Landscape): Graph {
  const { lans, gateways, balancers, crossConnects } = landscape;
  const places = new Map(lans.map(({ id }, at) => [id, at]));
  const levels = levelsOf(landscape);
  const edges: Edge[] = [];
  const connect = (from: string, to: string, lan: string | undefined): void => {
    edges.push({ key: `${from} > ${to}`, from, to, lan: lan === undefined ? -1 : (places.get(lan) ?? -1) });
  };
  // Edges lead from the LANs nearer to the internet to the device, and from there to the LANs behind it.
  const attach = (key: string, ids: Iterable<string>): void => {
    const known = [...new Set(ids)].filter((id) => places.has(id));
    const nearest = Math.min(...known.map((id) => levels.get(id) ?? 0));
    for (const id of known) {
      if ((levels.get(id) ?? 0) <= nearest) connect(lanKey(id), key, id);
      else connect(key, lanKey(id), id);
    }
  };

  const nodes: Node[] = [];
  if (lans.some(({ isPublic }) => isPublic) || gateways.length > 0)
    nodes.push({ kind: 'internet', key: internetKey, ...sizes.internet, data: undefined });
  for (const lan of lans) {
    nodes.push({ kind: 'lan', key: lanKey(lan.id), ...sizes.lan, data: lan });
    if (lan.isPublic) connect(internetKey, lanKey(lan.id), lan.id);
    if (lan.crossConnect !== '') connect(lanKey(lan.id), crossConnectKey(lan.crossConnect), lan.id);
  }
  for (const gateway of gateways) {
    const key = deviceKey(gateway.id);
    nodes.push({ kind: 'gateway', key, ...sizes.node, data: gateway });
    connect(internetKey, key, undefined);
    for (const id of gateway.lans) if (places.has(id)) connect(key, lanKey(id), id);
  }
  for (const balancer of balancers) {
    const key = deviceKey(balancer.id);
    nodes.push({ kind: 'balancer', key, ...sizes.node, data: balancer });
    attach(key, [balancer.listener, ...balancer.targets]);
  }
  const most = landscape.servers.length > fewServers ? mostAlone.many : mostAlone.few;
  for (const [at, servers] of alike(landscape.servers).entries()) {
    const [first] = servers;
    const isLoose = first?.nics.length === 0;
    if (servers.length <= most && !isLoose) {
      for (const server of servers) {
        nodes.push({ kind: 'server', key: serverKey(server.id), ...serverSize(server), data: server });
        attach(serverKey(server.id), lansOf(server));
      }
      continue;
    }
    const key = `servers ${at}`;
    const title = isLoose ? 'Servers without a NIC' : `${servers.length} servers`;
    nodes.push({ kind: 'servers', key, ...clusterOf(title, servers) });
    if (first) attach(key, lansOf(first));
  }
  for (const one of crossConnects)
    nodes.push({ kind: 'crossConnect', key: crossConnectKey(one.id), ...sizes.node, data: one });
  if (landscape.volumes.length > 0)
    nodes.push({ kind: 'volumes', key: 'volumes', ...clusterOf('Unattached volumes', landscape.volumes) });
  const keys = new Set(nodes.map(({ key }) => key));
  return { nodes, edges: edges.filter(({ from, to }) => keys.has(from) && keys.has(to)) };
}

const lansOf = ({ nics }: { nics: readonly Nic[] }): string[] => nics.map(({ lan }) => lan);

// Groups the servers by their set of LANs.
function alike(servers: readonly Server[]): Server[][] {
  const groups = new Map<string, Server[]>();
  for (const server of servers) {
    const key = [...new Set(lansOf(server))].sort().join(' ');
    groups.set(key, [...(groups.get(key) ?? []), server]);
  }
  return [...groups.values()];
}

// The number of devices between each LAN and the internet. In a group of LANs without a way to the internet, the first
// LAN counts as the nearest.
function levelsOf({ lans, servers, balancers }: Landscape): Map<string, number> {
  const neighbours = new Map<string, Set<string>>(lans.map(({ id }) => [id, new Set()]));
  const join = (ids: readonly string[]): void => {
    for (const id of ids) for (const other of ids) if (id !== other) neighbours.get(id)?.add(other);
  };
  for (const { nics } of servers) join([...new Set(nics.map(({ lan }) => lan))]);
  for (const { listener, targets } of balancers) join([listener, ...targets]);
  const levels = new Map<string, number>();
  const spread = (from: readonly string[]): void => {
    let [current, level] = [from, 0];
    while (current.length > 0) {
      for (const id of current) levels.set(id, level);
      current = [...new Set(current.flatMap((id) => [...(neighbours.get(id) ?? [])]))].filter((id) => !levels.has(id));
      level += 1;
    }
  };
  spread(lans.filter(({ isPublic }) => isPublic).map(({ id }) => id));
  for (const { id } of lans) if (!levels.has(id)) spread([id]);
  return levels;
}

const { server: card, cluster: frame } = sizes;

function serverSize({ nics, volumes }: Server): { width: number; height: number } {
  const ofNics = Math.min(nics.length, mostNics + 1); // the last row counts the remaining NICs
  const rows = ofNics + (volumes.length > 0 ? 1 : 0);
  return { width: card.width, height: card.head + rows * card.row + card.foot };
}

interface ClusterBox<Member> {
  width: number;
  height: number;
  data: Cluster<Member>;
}

// Arranges members in a grid about as wide as high.
function clusterOf<Member>(title: string, members: readonly Member[]): ClusterBox<Member> {
  const cell = members.length <= mostDetailed ? detailed : bare;
  const ratio = cell.height / cell.width;
  const columns = Math.max(1, Math.min(members.length, Math.ceil(Math.sqrt(members.length * ratio * 2.2))));
  const rows = Math.ceil(members.length / columns);
  const across = (count: number, size: number): number => count * size + (count - 1) * frame.gap;
  return {
    width: Math.max(across(columns, cell.width) + 2 * frame.padding, frame.least),
    height: frame.head + across(rows, cell.height) + frame.padding,
    data: { title, members, cell, columns },
  };
}

// The position of a member in the cluster's node.
export function cellAt({ cell, columns }: Cluster<unknown>, at: number): { x: number; y: number } {
  return {
    x: frame.padding + (at % columns) * (cell.width + frame.gap),
    y: frame.head + Math.floor(at / columns) * (cell.height + frame.gap),
  };
}

// The node that shows each server.
export function nodesOfServers({ nodes }: Graph): Map<string, string> {
  const found = new Map<string, string>();
  for (const node of nodes) {
    if (node.kind === 'server') found.set(node.data.id, node.key);
    if (node.kind === 'servers') for (const { id } of node.data.members) found.set(id, node.key);
  }
  return found;
}
