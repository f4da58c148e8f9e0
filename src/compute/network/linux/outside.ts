// A namespace that is outside of the region while it sends a real packet: it is connected to the core as the uplink is.
// Only replies to its packets go back to it, so others that use its address at the same time are not affected.
import { routers, versionOf } from './unit.ts';

export const outsideDevice = 'outside'; // in the core
const mark = 77; // of its connections and of their replies; also the number of the table and its priority

export const outsideChains = [
  'chain outside-in {',
  'type filter hook prerouting priority mangle;',
  `iifname "${outsideDevice}" ct mark set ${mark}`,
  `iifname != "${outsideDevice}" ct mark ${mark} meta mark set ${mark}`,
  '}',
  'chain outside-out {',
  'type route hook output priority mangle;',
  `ct mark ${mark} meta mark set ${mark}`,
  '}',
  // A late reply must not reach the owner of the address on the internet.
  'chain outside-late {',
  'type filter hook postrouting priority 0;',
  `ct mark ${mark} ct direction reply oifname != "${outsideDevice}" drop`,
  `ct mark ${mark} ct state related oifname != "${outsideDevice}" drop`,
  '}',
];

export const enterOutside = `ip netns exec ${outsideDevice}`;

// Runs a command in the namespace, and removes it again.
export function fromOutside(source: string, command: string): string {
  const version = versionOf(source);
  const [length, router] = version === 4 ? [32, routers[4]] : [128, routers[6]];
  const family = `ip -${version}`;
  return [
    removal,
    `ip netns add ${outsideDevice}`,
    `ip link add ${outsideDevice} type veth peer name eth0 netns ${outsideDevice}`,
    `ip link set ${outsideDevice} up`,
    `ip -4 addr add ${routers[4]}/32 dev ${outsideDevice}`,
    `ip -6 addr add ${routers[6]}/64 dev ${outsideDevice} nodad`,
    `${family} rule add fwmark ${mark} lookup ${mark} priority ${mark}`,
    `${enterOutside} sh -e <<'INSIDE'`,
    'for name in all default eth0; do echo 0 > /proc/sys/net/ipv6/conf/$name/disable_ipv6; done',
    'ip link set lo up',
    'ip link set eth0 up',
    `ip addr add ${source}/${length} dev eth0${version === 6 ? ' nodad' : ''}`,
    `${family} route add default via ${router} dev eth0 onlink`,
    'INSIDE',
    `${family} route replace default dev ${outsideDevice} table ${mark}`,
    command,
    removal,
  ].join('\n');
}

const removal = [
  `for family in 4 6; do ip -$family rule del priority ${mark} 2>/dev/null || true; done`,
  `ip link del ${outsideDevice} 2>/dev/null || true`,
  `ip netns del ${outsideDevice} 2>/dev/null || true`,
].join('\n');
