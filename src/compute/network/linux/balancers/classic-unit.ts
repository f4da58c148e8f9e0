// A classic load balancer: a namespace that answers at its address and passes packets, unchanged, to the balanced NICs
// in turn. The packets of a connection go to the same NIC, also after others were added or removed. Machines have the
// address on their loopback device, where no neighbour finds it, and reply directly.
import type { ClassicBalancer, NicEndpoint } from '../../topology/endpoint.ts';
import type { TopologyIndex } from '../../topology/topology-index.ts';
import { bridgeName, listenerPort } from '../names.ts';
import { balancerKey, type Unit } from '../unit.ts';

const device = 'listener';
const asking = '169.254.0.3/32'; // the source of its address resolution, because it is the first of the device

export interface PlacedClassic {
  balancer: ClassicBalancer;
  address: string;
}

export function classicBalancersOf(index: TopologyIndex): PlacedClassic[] {
  const found = new Map<string, PlacedClassic>();
  for (const segment of index.segments())
    for (const [address, balancer] of index.endpointsOn(segment))
      if (balancer.kind === 'loadbalancer' && balancer.lan.segment === segment && !address.includes(':'))
        found.set(balancer.id, { balancer, address });
  return [...found.values()];
}

interface Way {
  address: string; // of a NIC
  mark: number;
}

// The mark of a NIC's packets is its address, so it stays the same when other NICs come and go.
const waysTo = (nics: readonly NicEndpoint[]): Way[] =>
  nics.flatMap(({ isRunning, addresses }) => {
    const address = addresses.find(({ version }) => version === 4);
    return isRunning && address ? { address: address.text, mark: Number(address.value) } : [];
  });

export function classicUnit({ balancer, address }: PlacedClassic): Unit {
  const { id, lan, nics } = balancer;
  const ways = waysTo(nics);
  return {
    key: balancerKey(id),
    links: [{ device, port: listenerPort(id), bridge: bridgeName(lan.segment), mac: null }],
    // Machines ignore requests for their own address from the balancer's, which they have, too.
    addresses: [asking, `${address}/32`].map((one) => ({ device, address: one })),
    routes: ways.map((way) => ({ target: '0.0.0.0/0', device, via: way.address, table: way.mark })),
    sourceRules: ways.map(({ mark }) => ({ mark, table: mark })),
    filter: filterOf(address, ways),
  };
}

// Only the chains are replaced: which connection goes where stays known.
function filterOf(address: string, ways: readonly Way[]): string {
  const connection = 'ip saddr . ip protocol . th sport . th dport';
  const turns = ways.map(({ mark }, turn) => `${turn} : ${mark}`).join(', ');
  const isKnown = `meta mark { ${ways.map(({ mark }) => mark).join(', ')} }`;
  const choosing =
    ways.length === 0
      ? ['counter drop comment "no healthy target"']
      : [
          `ip protocol { 6, 17 } meta mark set ${connection} map @chosen`,
          `meta mark != { ${ways.map(({ mark }) => mark).join(', ')} } meta mark set numgen inc mod ${ways.length} map { ${turns} }`,
          `ip protocol { 6, 17 } update @chosen { ${connection} : meta mark }`,
          `${isKnown} counter accept comment "balanced"`,
        ];
  return [
    'table inet cumulet {',
    'map chosen {',
    'type ipv4_addr . inet_proto . inet_service . inet_service : mark',
    'flags dynamic,timeout',
    'timeout 1h',
    'size 65536',
    '}',
    'chain balance { type filter hook prerouting priority mangle; }',
    'chain input { type filter hook input priority 0; policy drop; }',
    '}',
    'flush chain inet cumulet balance',
    'table inet cumulet {',
    'chain balance {',
    `ip daddr ${address} meta mark set 0`,
    ...choosing.map((rule) => `ip daddr ${address} ${rule}`),
    '}',
    '}',
  ].join('\n');
}
