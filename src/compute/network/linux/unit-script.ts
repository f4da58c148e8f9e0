// The shell commands that change a unit from one state to another. Interfaces that stay keep their connections. Filters
// come first: an interface is never without them.
import { hash } from 'node:crypto';
import { proxyLines } from './balancers/proxy-script.ts';
import { type DeviceAddress, type Link, type Route, type SourceRule, type Unit, versionOf } from './unit.ts';

export interface Place {
  enter: string; // a prefix that runs a command in the namespace; empty for the core
  namespace: string; // as `ip link set netns` names it; empty for the core
  isRouter: boolean;
}

const settings = `
for name in all default; do
  echo 0 > /proc/sys/net/ipv6/conf/$name/disable_ipv6
  echo 0 > /proc/sys/net/ipv6/conf/$name/accept_ra
  echo 0 > /proc/sys/net/ipv6/conf/$name/accept_dad
  echo 1 > /proc/sys/net/ipv4/conf/$name/arp_ignore
  echo 2 > /proc/sys/net/ipv4/conf/$name/arp_announce
  echo 0 > /proc/sys/net/ipv4/conf/$name/rp_filter
  echo 1 > /proc/sys/net/ipv4/conf/$name/promote_secondaries
  echo 1 > /proc/sys/net/ipv4/conf/$name/arp_notify
  echo 1 > /proc/sys/net/ipv6/conf/$name/ndisc_notify
done
echo 0 > /proc/sys/net/netfilter/nf_conntrack_tcp_loose
echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range
ip link set lo up
for family in 4 6; do
  ip -$family rule flush
  ip -$family rule add lookup local priority 500
  ip -$family rule del lookup local priority 0 2>/dev/null || true
  ip -$family rule add lookup main priority 32766
done`;

const routerSettings = `
for name in all default; do echo 0 > /proc/sys/net/ipv4/conf/$name/send_redirects; done
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/ipv6/conf/all/forwarding`;

const nothing: Omit<Unit, 'key'> = { links: [], addresses: [], routes: [], sourceRules: [], filter: '' };

// `before` is undefined for a new namespace. The result is empty if nothing changes.
export function unitScript(before: Unit | undefined, after: Unit, place: Place): string {
  const links = changes(before?.links ?? [], after.links);
  const lost = new Set(links.removed.map(({ device }) => device)); // with all their addresses and routes
  const stays = ({ device }: { device: string | null }): boolean => device === null || !lost.has(device);
  const old = before ?? nothing;
  const addresses = changes(old.addresses.filter(stays), after.addresses);
  const routes = changes(old.routes.filter(stays), after.routes);
  const rules = changes(old.sourceRules, after.sourceRules);
  const { enter } = place;
  return [
    ...(before ? [] : run(enter, 'sh -e', [settings, ...(place.isRouter ? [routerSettings] : [])])),
    ...(old.filter === after.filter ? [] : run(enter, 'nft -f -', [after.filter])),
    ...(before ? [] : after.links.map(({ port }) => `ip link del ${port} 2>/dev/null || true`)),
    ...run('', 'ip -batch -', [
      ...links.removed.map(({ port }) => `link del ${port}`),
      ...links.added.flatMap((link) => linkLines(link, place)),
    ]),
    ...byFamily(enter, [
      ...rules.removed.map((rule) => ruleLine('del', rule)),
      ...routes.removed.map((route) => routeLine('del', route)),
    ]),
    ...run(enter, 'ip -batch -', [
      ...addresses.removed.map((one) => `addr del ${addressText(one)}`),
      ...addresses.added.map((one) => `addr replace ${addressText(one)} noprefixroute${isOf(one, 6) ? ' nodad' : ''}`),
      ...links.added.map(({ device }) => `link set ${device} up`), // announces the addresses to the LAN
    ]),
    ...byFamily(enter, [
      ...routes.added.map((route) => routeLine('replace', route)),
      ...rules.added.map((rule) => ruleLine('add', rule)),
    ]),
    ...proxyLines(before?.proxy, after.proxy, { key: after.key, enter }),
  ].join('\n');
}

function changes<Part>(before: readonly Part[], after: readonly Part[]): { removed: Part[]; added: Part[] } {
  const known = new Set(before.map((part) => JSON.stringify(part)));
  const wanted = new Set(after.map((part) => JSON.stringify(part)));
  return {
    removed: before.filter((part) => !wanted.has(JSON.stringify(part))),
    added: after.filter((part) => !known.has(JSON.stringify(part))),
  };
}

const run = (enter: string, command: string, input: readonly string[]): string[] =>
  input.length === 0 ? [] : [`${enter} ${command} <<'END'`.trim(), ...input, 'END'];

interface Line {
  text: string;
  version?: 4 | 6; // absent: both
}

const byFamily = (enter: string, lines: readonly Line[]): string[] =>
  ([4, 6] as const).flatMap((family) => {
    const chosen = lines.filter(({ version = family }) => version === family);
    return run(
      enter,
      `ip -${family} -batch -`,
      chosen.map(({ text }) => text),
    );
  });

const linkLines = ({ device, port, bridge, mac }: Link, { namespace }: Place): string[] => [
  `link add ${port} type veth peer name ${device} address ${mac ?? macOf(port)} netns ${namespace}`,
  `link set ${port}${bridge ? ` master ${bridge}` : ''} up`,
];

// The same after the interface was made again, as its neighbours still know it.
const macOf = (port: string): string => ['02', ...(hash('sha256', port).slice(0, 10).match(/../g) ?? [])].join(':');

const isOf = ({ address }: DeviceAddress, version: 4 | 6): boolean => versionOf(address) === version;
const addressText = ({ device, address }: DeviceAddress): string => `${address} dev ${device}`;

function routeLine(verb: 'replace' | 'del', { target, device, via, source, table, metric }: Route): Line {
  const words = [
    ...(device === null ? ['unreachable', target] : [target, 'dev', device]),
    ...(via ? ['via', via] : []),
    ...(via ? ['onlink'] : []),
    ...(source ? ['src', source] : []),
    ...(table ? ['table', table] : []),
    ...(metric ? ['metric', metric] : []),
  ];
  return { text: `route ${verb} ${words.join(' ')}`, version: versionOf(target) };
}

function ruleLine(verb: 'add' | 'del', rule: SourceRule): Line {
  if ('mark' in rule) return { text: `rule ${verb} fwmark ${rule.mark} lookup ${rule.table} priority 100`, version: 4 };
  const end = `lookup ${rule.table} priority ${rule.table}`;
  if ('from' in rule) return { text: `rule ${verb} from ${rule.from} ${end}`, version: versionOf(rule.from) };
  return { text: `rule ${verb} oif ${rule.device} ${end}` };
}
