// The verdict on a packet (GET /reachability), as steps in words and as marks in the diagram.
import type {
  ForeignHop,
  HopView,
  VerdictView as PredictedView,
  RealOutcome,
  RuleView,
} from '../../../src/compute/network/verdict-view.ts';
import { crossConnectKey, deviceKey, type Graph, internetKey, lanKey, nodesOfServers } from '../diagram/graph.ts';
import type { Landscape } from '../diagram/landscape.ts';
import type { Mark, Marks, Way } from '../diagram/marks.ts';

export interface VerdictView extends PredictedView {
  real?: RealOutcome; // of a packet that was sent, too
}

type Hop = HopView | ForeignHop;

export interface Step {
  title: string; // the place of the packet
  path: string | undefined; // of the place in the API, below the service
  what: string; // the decision there, and its reason
  addresses: string; // of the packet, at this hop
  isPassed: boolean;
  rule: { title: string; path: string } | undefined;
}

export function stepsOf({ hops }: VerdictView, landscape: Landscape): Step[] {
  return hops.map((hop) => ({
    ...placeOf(hop, landscape),
    what: sentenceOf(hop),
    addresses: `${endText(hop.sourceIp, hop.sourcePort)} → ${endText(hop.targetIp, hop.targetPort)}`,
    isPassed: hop.action === 'ACCEPT',
    rule: 'foreign' in hop || !hop.rule ? undefined : ruleOf(hop, hop.rule),
  }));
}

const endText = (ip: string | null, port: number | null): string => {
  if (ip === null) return 'no address';
  if (port === null) return ip;
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
};

function placeOf(hop: Hop, landscape: Landscape): Pick<Step, 'title' | 'path'> {
  if ('foreign' in hop) return { title: 'Another contract', path: undefined };
  const { type, id, datacenterId, serverId } = hop;
  const root = `/datacenters/${datacenterId}`;
  const isHere = root === landscape.path;
  if (type === 'internet' || id === null) return { title: 'The internet', path: undefined };
  if (type === 'lan') {
    const lan = isHere ? landscape.lans.find((one) => one.id === id) : undefined;
    const name = lan?.name ?? `LAN ${id}`; // nameless LANs are called `LAN 2`
    const title = name.startsWith('LAN ') ? name : `LAN ${name}`;
    return { title: `${title}${isHere ? '' : ' of another datacenter'}`, path: `${root}/lans/${id}` };
  }
  if (type === 'nic') {
    const server = landscape.servers.find((one) => one.id === serverId);
    const nic = server?.nics.find((one) => one.id === id);
    const way = hop.direction === 'EGRESS' ? 'leaves' : 'reaches';
    const other = isHere ? `${way} server ${serverId}` : `${way} a server of another datacenter`;
    const title = server ? `${way} ${server.name} by ${nic?.name ?? 'a NIC'}` : other;
    return { title: capital(title), path: `${root}/servers/${serverId}/nics/${id}` };
  }
  const known = [...landscape.gateways, ...landscape.balancers].find((one) => one.id === id);
  return { title: capital(`${titles[type]} ${known?.name ?? id}`), path: `${root}/${type}s/${id}` };
}

const titles = {
  natgateway: 'NAT gateway',
  networkloadbalancer: 'network load balancer',
  applicationloadbalancer: 'application load balancer',
  loadbalancer: 'load balancer',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function sentenceOf(hop: Hop): string {
  if ('foreign' in hop) return hop.action === 'ACCEPT' ? 'The packet passes.' : 'The packet is stopped.';
  if (hop.rule) return hop.action === 'ACCEPT' ? `A ${hop.reason} lets it pass.` : `A ${hop.reason} stops it.`;
  return sentences[hop.reason] ?? `${capital(hop.reason)}.`;
}

// The reasons of hops without a rule (src/compute/network/verdict.ts).
const sentences: Readonly<Record<string, string>> = {
  'no firewall': 'The NIC has no firewall, so every packet passes.',
  'direction not filtered': 'The firewall does not filter this direction, so the packet passes.',
  'firewall default deny': 'The firewall is on, and none of its rules accepts the packet.',
  'security group default deny': 'No rule of the security groups accepts the packet.',
  'server is not running': 'The server is not running.',
  'no source address': 'The NIC has no address of this IP version to send from.',
  'own address': 'The target is the server’s own address, so the packet does not leave it.',
  'same LAN': 'The target is in this LAN.',
  'cross connect': 'A cross connect links this LAN with the target’s LAN.',
  'no such address': 'No NIC in this LAN has the target address.',
  'no route': 'There is no route from here to the target address.',
  'no SNAT rule': 'No SNAT rule of the NAT gateway matches the packet.',
  'no inbound': 'A NAT gateway only forwards outgoing packets.',
  'public address': 'The target is a public address of this region.',
  internet: 'The packet leaves for the internet.',
  'not an outside address': 'The source address is not outside the region.',
  'no forwarding rule': 'No forwarding rule listens at this address and port.',
  'no http request': 'This balancer needs an HTTP request to choose a target.',
  'no http rule matches': 'None of the HTTP rules matches the request.',
  'no such target group': 'The target group of the HTTP rule does not exist.',
  'no healthy target': 'The balancer has no healthy target.',
  balanced: 'The balancer forwards the packet to one of its targets.',
};

const ruleNames: Record<RuleView['of']['type'], string> = {
  nic: 'firewall rule',
  'security-group': 'rule of a security group',
  natgateway: 'SNAT rule',
  networkloadbalancer: 'forwarding rule',
  applicationloadbalancer: 'forwarding rule',
};

function ruleOf({ datacenterId, serverId }: HopView, { id, name, of, httpRule }: RuleView): Step['rule'] {
  const root = `/datacenters/${datacenterId}`;
  const places: Record<string, string> = {
    nic: `servers/${serverId}/nics/${of.id}/firewallrules`,
    'security-group': `securitygroups/${of.id}/rules`,
    natgateway: `natgateways/${of.id}/rules`,
    networkloadbalancer: `networkloadbalancers/${of.id}/forwardingrules`,
    applicationloadbalancer: `applicationloadbalancers/${of.id}/forwardingrules`,
  };
  const place = places[of.type];
  if (place === undefined) return undefined;
  const more = httpRule === undefined ? '' : `, HTTP rule ${httpRule}`;
  return { title: `${capital(ruleNames[of.type] ?? 'rule')} ${name || id}${more}`, path: `${root}/${place}/${id}` };
}

// Marks the nodes and edges on the packet's way. Hops in other datacenters count as the cross connect.
export function marksOf({ hops }: VerdictView, landscape: Landscape, graph: Graph): Marks {
  const byServer = nodesOfServers(graph);
  const keys = new Set(graph.nodes.map(({ key }) => key));
  const nodes = new Map<string, Mark>();
  const servers = new Map<string, Mark>();
  const edges = new Map<string, Way>();
  let before: string | undefined;
  for (const hop of hops) {
    const mark: Mark = hop.action === 'ACCEPT' ? 'passed' : 'stopped';
    const key = 'foreign' in hop ? undefined : nodeOf(hop, landscape, byServer, before);
    if (key === undefined || !keys.has(key)) continue;
    nodes.set(key, mark);
    if (!('foreign' in hop) && hop.serverId !== undefined) servers.set(hop.serverId, mark);
    if (before !== undefined && before !== key) markWay(before, key, graph, edges, nodes);
    before = key;
  }
  return { nodes, servers, edges };
}

function nodeOf(
  { type, id, datacenterId, serverId }: HopView,
  { path, lans }: Landscape,
  byServer: ReadonlyMap<string, string>,
  before: string | undefined,
): string | undefined {
  if (type === 'internet' || id === null) return internetKey;
  if (`/datacenters/${datacenterId}` !== path) {
    const last = lans.find((lan) => lanKey(lan.id) === before);
    return last && last.crossConnect !== '' ? crossConnectKey(last.crossConnect) : undefined;
  }
  if (type === 'lan') return lanKey(id);
  return type === 'nic' ? byServer.get(serverId ?? '') : deviceKey(id);
}

// The edge between two nodes, or the two edges by the LAN between them.
function markWay(from: string, to: string, graph: Graph, edges: Map<string, Way>, nodes: Map<string, Mark>): void {
  const between = (a: string, b: string): boolean => {
    const edge = graph.edges.find((one) => (one.from === a && one.to === b) || (one.from === b && one.to === a));
    if (edge) edges.set(edge.key, edge.from === a ? 'along' : 'against');
    return edge !== undefined;
  };
  if (between(from, to)) return;
  const ends = (key: string): string[] =>
    graph.edges.flatMap((one) => (one.from === key ? [one.to] : one.to === key ? [one.from] : []));
  const others = new Set(ends(to));
  const middle = ends(from).find((key) => others.has(key));
  if (middle === undefined) return;
  between(from, middle);
  between(middle, to);
  if (!nodes.has(middle)) nodes.set(middle, 'passed');
}
