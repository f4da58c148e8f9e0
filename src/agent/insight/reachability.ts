// `explain_reachability`: whether a packet gets from A to B, and which rule or default decides.
import { BlockList, isIP, SocketAddress } from 'node:net';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import { input, optional, type Tool, type ToolContext, text, textOf, whole } from '../tool.ts';
import { datacenterNamed, datacenters, type Machine, type Nic, quote, serversOf } from './inventory.ts';

const outside = ['203.0.113.7', '3fff::7']; // documentation addresses represent a host on the internet
const maxTried = 6;
const privateRanges = new BlockList();
privateRanges.addSubnet('10.0.0.0', 8);
privateRanges.addSubnet('172.16.0.0', 12);
privateRanges.addSubnet('192.168.0.0', 16);
privateRanges.addSubnet('fc00::', 7, 'ipv6');

export const explainReachability: Tool = {
  name: 'explain_reachability',
  group: 'insight',
  description:
    'Explain hop by hop whether a packet gets from A to B, and which firewall rule, security group, NAT rule, load balancer, route or server state accepts or stops it. No packet is sent.',
  input: input({
    from: text('The source: a server (id or exact name), the id of a NIC, an address, or "internet"', {
      minLength: 1,
    }),
    to: text('The target: a server (id or exact name), the id of a NIC, an address, or "internet"', {
      minLength: 1,
    }),
    port: optional(whole('The target port of TCP and UDP; 443 by default', 1, 65_535)),
    protocol: optional(text('TCP by default', { enum: ['TCP', 'UDP', 'ICMP', 'ICMPv6', 'GRE', 'VRRP', 'ESP', 'AH'] })),
    source_port: optional(whole('The source port of TCP and UDP', 1, 65_535)),
    http_path: optional(text('The path of an HTTP request, for application load balancers')),
    http_host: optional(text('The host of that HTTP request')),
    datacenter_id: optional(text('Look for servers and NICs only in this datacenter (id or name)')),
  }),
  read: explain,
};

interface End {
  label: string;
  places: Place[];
}

interface Place {
  nic?: { id: string; lan: string }; // absent for internet addresses, and for addresses that no server has
  ips: readonly string[];
}

// The form that /reachability accepts.
interface Attempt {
  from: string;
  fromAddress?: string;
  to: string;
}

interface Found extends Machine {
  datacenterId: string;
}

async function explain(args: Values, context: ToolContext): Promise<Json> {
  const protocol = textOf(args, 'protocol') ?? 'TCP';
  const hasPort = protocol === 'TCP' || protocol === 'UDP';
  const port = hasPort ? Number(args.port ?? 443) : undefined;
  const servers = machinesOf(context, textOf(args, 'datacenter_id'));
  const from = await endOf(textOf(args, 'from') ?? '', servers);
  const to = await endOf(textOf(args, 'to') ?? '', servers);
  const query = {
    protocol,
    port,
    sourcePort: hasPort ? (args.source_port as number | undefined) : undefined,
    httpPath: textOf(args, 'http_path'),
    httpHost: textOf(args, 'http_host'),
  };
  const tried: (Attempt & { answer: Values })[] = [];
  for (const attempt of attemptsOf(from, to)) {
    const answer = await context.api.object('reachability', '', { ...query, ...attempt });
    tried.push({ ...attempt, answer });
    if (answer.verdict === 'ACCEPTED') break;
  }
  const best = tried.find(({ answer }) => answer.verdict === 'ACCEPTED') ?? tried[0];
  if (!best) throw new Failure(`${from.label} or ${to.label} has no NIC with an address, so nothing can be sent.`);
  return {
    from: from.label,
    to: to.label,
    packet: `${protocol}${port === undefined ? '' : ` ${port}`} from ${best.from} to ${best.to}`,
    verdict: best.answer.verdict ?? null,
    explanation: sentenceOf(best.answer, best.to),
    rule: best.answer.rule ?? null,
    arrived_at: best.answer.arrivedAt ?? null,
    hops: best.answer.hops ?? [],
    ...(tried.length > 1 && {
      tried: tried.map(({ answer, ...attempt }) => ({
        ...attempt,
        verdict: answer.verdict ?? null,
        reason: answer.reason ?? null,
      })),
    }),
  };
}

// Read once, and only if an end is not the internet.
function machinesOf(context: ToolContext, within: string | undefined): () => Promise<Found[]> {
  let found: Promise<Found[]> | undefined;
  const read = async (): Promise<Found[]> => {
    const all = within === undefined ? await datacenters(context) : [await datacenterNamed(context, within)];
    const lists = await Promise.all(
      all.map(async ({ id }) => (await serversOf(context, id)).map((one) => ({ ...one, datacenterId: id }))),
    );
    return lists.flat();
  };
  return () => {
    found ??= read();
    return found;
  };
}

async function endOf(word: string, servers: () => Promise<Found[]>): Promise<End> {
  if (word.toLowerCase() === 'internet') return { label: 'the internet', places: [{ ips: outside }] };
  const all = await servers();
  if (isIP(word) !== 0) return endAt(word, all);
  for (const server of all)
    for (const nic of server.nics)
      if (nic.id === word)
        return { label: `NIC ${nic.id} of ${quote(server.name)}`, places: [placeOf(server, nic, nic.ips)] };
  const named = all.filter((server) => server.id === word || server.name === word);
  const [only] = named;
  if (!only)
    throw new Failure(
      `${quote(word)} is neither an address nor a server or NIC that you may see. Call list_servers for the existing servers.`,
    );
  if (named.length > 1)
    throw new Failure(
      `Several servers have the name ${quote(word)}. Pass one of these ids: ${named.map(({ id }) => id).join(', ')}.`,
    );
  const places = only.nics.map((nic) => placeOf(only, nic, nic.ips));
  return { label: `server ${quote(only.name)} (${only.id}, ${only.state})`, places };
}

// The NICs that have the address. Several may have it, where private LANs use the same addresses.
function endAt(word: string, all: readonly Found[]): End {
  const address = canonical(word);
  const owners = all.flatMap((server) =>
    server.nics
      .filter(({ ips }) => ips.some((ip) => canonical(ip) === address))
      .map((nic) => ({ name: `NIC ${nic.id} of ${quote(server.name)}`, place: placeOf(server, nic, [address]) })),
  );
  if (owners.length === 0) return { label: word, places: [{ ips: [word] }] };
  return {
    label: `${word} (${owners.map(({ name }) => name).join(', ')})`,
    places: owners.map(({ place }) => place),
  };
}

const placeOf = ({ datacenterId }: Found, { id, lan }: Nic, ips: readonly string[]): Place => ({
  nic: { id, lan: `${datacenterId}/${lan}` },
  ips,
});

// An IPv6 address has several spellings.
const canonical = (ip: string): string =>
  isIP(ip) === 6 && !ip.includes('%') ? new SocketAddress({ address: ip, family: 'ipv6' }).address : ip;

const isPrivate = (ip: string): boolean => privateRanges.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');

// Combines the addresses of both ends that have the same IP version, up to a limit. Ends in one LAN come first. Private
// addresses of an outside end come last, so that they decide only if there are no others.
function attemptsOf(from: End, to: End): Attempt[] {
  const all = from.places.flatMap((source) =>
    to.places.flatMap((target) => target.ips.map((address) => attemptOf(source, target, address))),
  );
  const sameKind = all.filter(({ isSameKind }) => isSameKind);
  const sorted = (sameKind.length > 0 ? sameKind : all).toSorted((a, b) => a.rank - b.rank);
  const distinct = new Map(sorted.map(({ attempt }) => [JSON.stringify(attempt), attempt]));
  return [...distinct.values()].slice(0, maxTried);
}

function attemptOf({ nic, ips }: Place, target: Place, to: string) {
  const own = ips.find((ip) => isIP(ip) === isIP(to));
  const attempt: Attempt = nic
    ? { from: nic.id, ...(own !== undefined && { fromAddress: own }), to }
    : { from: own ?? ips[0] ?? '', to };
  const isNear = nic !== undefined && nic.lan === target.nic?.lan;
  const rank = isNear ? 0 : !nic && isPrivate(to) ? 2 : 1;
  return { attempt, isSameKind: own !== undefined, rank };
}

const meanings: Readonly<Record<string, string>> = {
  'firewall default deny': 'The firewall of the NIC is active and none of its rules allows this packet.',
  'security group default deny':
    'The NIC or its server is in security groups, and none of their rules allows this packet.',
  'server is not running': 'The server at this hop is not running, so it neither sends nor receives packets.',
  'no source address': 'The sending NIC has no address of the right kind.',
  'no such address': 'The target address belongs to no NIC, gateway or load balancer.',
  'no route':
    'There is no route from this LAN to the target: the target is in another private LAN, or the LAN is not public.',
  'no SNAT rule': 'The NAT gateway has no rule for this source, target and protocol.',
  'no inbound': 'A NAT gateway accepts no packets from outside.',
  'not an outside address': 'The source is not an address outside the region.',
  'no forwarding rule': 'The load balancer has no forwarding rule for this address, protocol and port.',
  'no http request': 'The application load balancer needs an HTTP request. Pass http_path.',
  'no http rule matches': 'No HTTP rule of the load balancer matches this request.',
  'no such target group': 'The rule of the load balancer names a target group that does not exist.',
  'no healthy target': 'The load balancer has no healthy target.',
  'no firewall': 'The NIC has no active firewall, so everything passes.',
  'another contract': 'This part of the path is in another contract, so only its outcome is shown.',
};

function sentenceOf({ verdict, reason, rule, hops }: Values, to: string): string {
  const last = Array.isArray(hops) ? hops.filter(isObject).at(-1) : undefined;
  const where = last?.type === undefined ? '' : ` at ${last.type}${last.id ? ` ${last.id}` : ''} (${last.direction})`;
  const by = isObject(rule) ? `${reason} ${quote(String(rule.name ?? ''))} (${rule.id})` : String(reason);
  const isUnreachable = reason === 'no such address' && last?.type === 'internet' && isPrivate(to);
  const meaning = isUnreachable
    ? 'The target has only private addresses, which cannot be reached from outside.'
    : (meanings[String(reason)] ?? '');
  return `${verdict === 'ACCEPTED' ? 'The packet arrives' : 'The packet is stopped'}${where}: ${by}. ${meaning}`.trim();
}
