// `explain_reachability`: whether a packet gets from A to B, which rule or default decides it, and where.
import { BlockList, isIP, SocketAddress } from 'node:net';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import { input, optional, type Sight, type Tool, text, textOf, whole } from '../tool.ts';
import { datacenterNamed, datacenters, type Machine, type Nic, quote, serversOf } from './inventory.ts';

const outside = ['203.0.113.7', '3fff::7']; // addresses for documentation: somebody on the internet
const mostTried = 6;
const privateRanges = new BlockList();
privateRanges.addSubnet('10.0.0.0', 8);
privateRanges.addSubnet('172.16.0.0', 12);
privateRanges.addSubnet('192.168.0.0', 16);
privateRanges.addSubnet('fc00::', 7, 'ipv6');

export const explainReachability: Tool = {
  name: 'explain_reachability',
  group: 'insight',
  description:
    'Tell whether a packet gets from A to B, and which firewall rule, security group, NAT rule, balancer, route or state of a server lets it pass or stops it, hop by hop. Nothing is sent.',
  input: input({
    from: text('Where it comes from: a server (id or exact name), the id of a NIC, an address, or "internet"', {
      minLength: 1,
    }),
    to: text('Where it goes: a server (id or exact name), the id of a NIC, an address, or "internet"', {
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
  nic?: { id: string; lan: string }; // none of what is outside, and of what no server has
  ips: readonly string[];
}

// As /reachability takes it.
interface Attempt {
  from: string;
  fromAddress?: string;
  to: string;
}

interface Found extends Machine {
  datacenterId: string;
}

async function explain(args: Values, sight: Sight): Promise<Json> {
  const protocol = textOf(args, 'protocol') ?? 'TCP';
  const hasPort = protocol === 'TCP' || protocol === 'UDP';
  const port = hasPort ? Number(args.port ?? 443) : undefined;
  const servers = machinesOf(sight, textOf(args, 'datacenter_id'));
  const from = await endOf(textOf(args, 'from') ?? '', servers);
  const to = await endOf(textOf(args, 'to') ?? '', servers);
  const query = {
    protocol,
    port,
    sourcePort: hasPort ? (args.source_port as number | undefined) : undefined,
    httpPath: textOf(args, 'http_path'),
    httpHost: textOf(args, 'http_host'),
  };
  const tried: (Attempt & { told: Values })[] = [];
  for (const attempt of attemptsOf(from, to)) {
    const told = await sight.api.object('reachability', '', { ...query, ...attempt });
    tried.push({ ...attempt, told });
    if (told.verdict === 'ACCEPTED') break;
  }
  const best = tried.find(({ told }) => told.verdict === 'ACCEPTED') ?? tried[0];
  if (!best) throw new Failure(`${from.label} or ${to.label} has no NIC with an address, so nothing can be sent.`);
  return {
    from: from.label,
    to: to.label,
    packet: `${protocol}${port === undefined ? '' : ` ${port}`} from ${best.from} to ${best.to}`,
    verdict: best.told.verdict ?? null,
    explanation: sentenceOf(best.told, best.to),
    rule: best.told.rule ?? null,
    arrived_at: best.told.arrivedAt ?? null,
    hops: best.told.hops ?? [],
    ...(tried.length > 1 && {
      tried: tried.map(({ told, ...attempt }) => ({
        ...attempt,
        verdict: told.verdict ?? null,
        reason: told.reason ?? null,
      })),
    }),
  };
}

// Read once, and only where an end is not the internet.
function machinesOf(sight: Sight, within: string | undefined): () => Promise<Found[]> {
  let found: Promise<Found[]> | undefined;
  const read = async (): Promise<Found[]> => {
    const all = within === undefined ? await datacenters(sight) : [await datacenterNamed(sight, within)];
    const lists = await Promise.all(
      all.map(async ({ id }) => (await serversOf(sight, id)).map((one) => ({ ...one, datacenterId: id }))),
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
      `${quote(word)} is neither an address nor a server or NIC that you may see. Call list_servers to see those that there are.`,
    );
  if (named.length > 1)
    throw new Failure(
      `Several servers are called ${quote(word)}: give an id, one of ${named.map(({ id }) => id).join(', ')}.`,
    );
  const places = only.nics.map((nic) => placeOf(only, nic, nic.ips));
  return { label: `server ${quote(only.name)} (${only.id}, ${only.state})`, places };
}

// The NICs that have the address, several where private LANs use the same ones; else the address alone.
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

// One IPv6 address has many spellings.
const canonical = (ip: string): string =>
  isIP(ip) === 6 && !ip.includes('%') ? new SocketAddress({ address: ip, family: 'ipv6' }).address : ip;

const isPrivate = (ip: string): boolean => privateRanges.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');

// Every place with every address of its own kind, as far as it is worth trying. The ends in one LAN come first; last
// come private addresses for who is outside, so that they decide only where there are no others.
function attemptsOf(from: End, to: End): Attempt[] {
  const all = from.places.flatMap((source) =>
    to.places.flatMap((target) => target.ips.map((address) => attemptOf(source, target, address))),
  );
  const sameKind = all.filter(({ isSameKind }) => isSameKind);
  const sorted = (sameKind.length > 0 ? sameKind : all).toSorted((a, b) => a.rank - b.rank);
  const distinct = new Map(sorted.map(({ attempt }) => [JSON.stringify(attempt), attempt]));
  return [...distinct.values()].slice(0, mostTried);
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
  'server is not running': 'The server at this hop does not run, so it neither sends nor receives.',
  'no source address': 'The sending NIC has no address of the right kind.',
  'no such address': 'Nobody owns the target address.',
  'no route': 'There is no way from this LAN to the target: it is in another private LAN, or the LAN is not public.',
  'no SNAT rule': 'The NAT gateway has no rule for this source, target and protocol.',
  'no inbound': 'Nothing comes in through a NAT gateway from outside.',
  'not an outside address': 'The source is no address outside the region.',
  'no forwarding rule': 'The load balancer has no forwarding rule for this address, protocol and port.',
  'no http request': 'The application load balancer needs an HTTP request: give http_path.',
  'no http rule matches': 'No HTTP rule of the load balancer matches this request.',
  'no such target group': 'The rule of the load balancer names a target group that does not exist.',
  'no healthy target': 'The load balancer has no target that is up.',
  'no firewall': 'The NIC has no active firewall, so everything passes.',
  'another contract': 'That part of the way is in another contract; only its outcome is known.',
};

function sentenceOf({ verdict, reason, rule, hops }: Values, to: string): string {
  const last = Array.isArray(hops) ? hops.filter(isObject).at(-1) : undefined;
  const where = last?.type === undefined ? '' : ` at ${last.type}${last.id ? ` ${last.id}` : ''} (${last.direction})`;
  const by = isObject(rule) ? `${reason} ${quote(String(rule.name ?? ''))} (${rule.id})` : String(reason);
  const isUnreachable = reason === 'no such address' && last?.type === 'internet' && isPrivate(to);
  const meaning = isUnreachable
    ? 'The target has only private addresses, and nobody outside can reach those.'
    : (meanings[String(reason)] ?? '');
  return `${verdict === 'ACCEPTED' ? 'The packet arrives' : 'The packet is stopped'}${where}: ${by}. ${meaning}`.trim();
}
