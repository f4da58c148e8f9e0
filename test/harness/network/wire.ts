// Sends single packets in the namespaces of a landscape, and reads which rules have counted them.
import type { Nic, Packet, Verdict } from '../../../src/testing/black-box/network.ts';
import { nicDevice } from '../../../src/testing/black-box/network.ts';
import { outside, ranges } from './landscape.ts';
import type { Namespaces } from './namespaces.ts';
import { listenerOf } from './random-balancers.ts';

// The first packet of a connection, a connection with a request, a datagram, or an echo request.
const sender = `
import socket, sys, os, struct
kind, source, target, sport, dport, request = sys.argv[1:7]
v6 = ':' in target
family = socket.AF_INET6 if v6 else socket.AF_INET
if kind == 'icmp':
    s = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_ICMPV6 if v6 else socket.IPPROTO_ICMP)
else:
    s = socket.socket(family, socket.SOCK_STREAM if kind == 'tcp' else socket.SOCK_DGRAM)
s.settimeout(0.5 if request else 0)
try:
    s.bind((source, int(sport)))
    if kind == 'tcp':
        s.connect((target, int(dport)))
        s.sendall(request.encode())
    elif kind == 'udp': s.sendto(b'x', (target, int(dport)))
    else:
        number = os.getpid() & 0xffff
        body = struct.pack('!BBHHH', 128 if v6 else 8, 0, 0, number, 1)
        total = sum(struct.unpack('!4H', body))
        total = (total & 0xffff) + (total >> 16)
        body = struct.pack('!BBHHH', 128 if v6 else 8, 0, ~total & 0xffff, number, 1)
        s.sendto(body, (target, 0))
except (BlockingIOError, PermissionError, TimeoutError):
    pass
except OSError as error:
    print(error)
import time
time.sleep(0.05)
`;

const internet = 'internet';

export class Wire {
  readonly #host: Namespaces;

  constructor(host: Namespaces) {
    this.#host = host;
  }

  // The world outside: a namespace at the uplink of the core.
  async open(): Promise<void> {
    const pid = await this.#host.start(internet);
    await this.#host.shell(
      [
        `ip link add eth0 type veth peer name eth0 netns ${pid}`,
        'ip link set eth0 up',
        'for name in all default; do echo 0 > /proc/sys/net/ipv6/conf/$name/accept_dad; done',
        'ip addr add 203.0.113.1/24 dev eth0',
        'ip addr add 2a00:1::1/64 dev eth0 nodad',
        'ip route add default via 203.0.113.9',
        'ip -6 route add default via 2a00:1::9',
      ].join('\n'),
    );
    await this.#host.inside(
      internet,
      [
        'ip link set lo up',
        'ip link set eth0 up',
        ...[outside.v4, '203.0.113.9'].map((ip) => `ip addr add ${ip}/24 dev eth0`),
        ...[outside.v6, '2a00:1::9'].map((ip) => `ip addr add ${ip}/64 dev eth0 nodad`),
        `ip route add ${ranges[0]} via 203.0.113.1`,
        `ip -6 route add ${ranges[1]} via 2a00:1::1`,
      ].join('\n'),
    );
  }

  async send(packet: Packet): Promise<void> {
    const { from, to, protocol, sourcePort = 0, targetPort = 0 } = packet;
    const nic = 'nicId' in from ? this.#host.nic(from.nicId) : undefined;
    const kind = protocol === 'TCP' ? 'tcp' : protocol === 'UDP' ? 'udp' : 'icmp';
    const isV6 = to.includes(':');
    const own = nic && [...nic.ips, ...nic.ipv6Ips].find((ip) => ip.includes(':') === isV6);
    const source = from.ip ?? own;
    if (source === undefined) return; // the NIC has no address of this version
    const request = packet.http ? `GET ${packet.http.path} HTTP/1.1\r\nHost: ${packet.http.host}\r\n\r\n` : '';
    const args = [kind, source, to, sourcePort, targetPort, request];
    const words = args.map((one) => `'${one}'`).join(' ');
    await this.#host.inside(nic?.server ?? internet, `python3 - ${words} <<'PYTHON'\n${sender}\nPYTHON`);
  }

  // Packets by namespace, chain and what decides.
  async counters(): Promise<Map<string, number>> {
    const counters = new Map<string, number>();
    for (const [name, text] of await this.#host.rulesets()) {
      const { nftables } = JSON.parse(text) as { nftables: { rule?: Rule }[] };
      for (const { rule } of nftables) {
        const counter = rule?.expr.find((one) => one.counter)?.counter;
        if (!rule || !counter || rule.comment === undefined) continue;
        const key = keyOf(name, rule.chain, rule.comment);
        counters.set(key, (counters.get(key) ?? 0) + counter.packets);
      }
    }
    return counters;
  }

  growth(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] {
    return [...after].filter(([key, packets]) => packets > (before.get(key) ?? 0)).map(([key]) => key);
  }

  // The counters of the packet at each hop. A LAN has none: a packet that finds no way there is not sent. One without
  // a route does not even reach the firewall of its NIC.
  expectedCounters(packet: Packet, { hops }: Verdict): string[] {
    const { from, to } = packet;
    const [first] = hops;
    if (hops.length === 1 && first?.sourceIp === null) return [];
    const sender = 'nicId' in from ? this.#host.nic(from.nicId) : undefined;
    if (sender && !this.#hasRoute(sender, to)) return [];
    return hops.flatMap((hop) => {
      const why = 'rule' in hop.decidedBy ? hop.decidedBy.rule : hop.decidedBy.default;
      if (why === 'own address') return [];
      if (hop.kind === 'nic') {
        const nic = this.#host.nic(hop.id);
        return keyOf(nic.server, `${hop.direction === 'INGRESS' ? 'in' : 'out'}-${nicDevice(nic.pciSlot ?? 0)}`, why);
      }
      if (hop.kind === 'natgateway') return keyOf(`nat-${hop.datacenterId}`, 'nat', why);
      if (hop.kind === 'loadbalancer') return keyOf(`lb-${hop.id}`, 'balance', why);
      if (hop.kind.endsWith('loadbalancer'))
        return hop.direction === 'EGRESS' ? [] : this.#listenerKey(packet, hop.id, why);
      if (hop.kind === 'internet') return keyOf('core', 'forward', why);
      if (hop.action === 'ACCEPT' || why !== 'no route') return [];
      return sender?.lan === 1 ? keyOf('core', 'forward', why) : keyOf(`nat-${hop.datacenterId}`, 'nat', why);
    });
  }

  // The proxy accepts the connection before it knows its request and its target.
  #listenerKey(packet: Packet, balancer: string, why: string): string {
    const rule = packet.protocol === 'TCP' ? listenerOf(this.#host.datacenters, balancer, packet) : undefined;
    return keyOf(`lb-${balancer}`, 'input', rule ?? why);
  }

  // In its LAN, or by the router of a public LAN, or by a NAT gateway.
  #hasRoute(nic: Nic, to: string): boolean {
    const isV6 = to.includes(':');
    const datacenter = this.#host.datacenterOf(nic.id);
    const lan = datacenter.lans.find(({ id }) => id === nic.lan);
    const hasGateway = datacenter.natGateways.some(({ lans }) => lans.some(({ id }) => id === nic.lan));
    if (nic.lan === 1 || (hasGateway && !isV6)) return true;
    const cidr = isV6 ? lan?.ipv6CidrBlock : lan?.ipv4CidrBlock;
    return cidr !== null && cidr !== undefined && to.startsWith(cidr.replace(/(0|:)\/\d+$/, isV6 ? ':' : ''));
  }
}

interface Rule {
  chain: string;
  comment?: string;
  expr: { counter?: { packets: number } }[];
}

// The gateway's chains of received and of forwarded packets are one place.
const keyOf = (name: string, chain: string, why: string): string =>
  `${name} ${name.startsWith('nat-') ? 'nat' : chain} ${why}`;
