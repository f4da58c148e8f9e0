// Sends a real packet from a machine, or from outside, and finds out whether it has arrived: by the answer, or else by
// the connection tracking of the namespaces that have its target, which knows only packets that passed the firewall.
import { Buffer } from 'node:buffer';
import type { RealPacket } from '../machine-network.ts';
import type { RealOutcome } from '../verdict-view.ts';
import { type CoreShell, type LinuxNetwork, placeOf } from './linux-network.ts';
import { enterOutside, fromOutside } from './outside.ts';
import { balancerKey, coreKey, machineKey, versionOf } from './unit.ts';

const program = `
import base64, errno, json, os, socket, struct, sys, time
wanted = json.loads(base64.b64decode(sys.argv[1]))
protocol, source, target = wanted["protocol"], wanted["source"], wanted["target"]
v6 = ":" in target
family = socket.AF_INET6 if v6 else socket.AF_INET
wait = 1

def echo():
    link = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_ICMPV6 if v6 else socket.IPPROTO_ICMP)
    link.bind((source, 0))
    head = lambda check: struct.pack("!BBHHH", 128 if v6 else 8, 0, check, wanted["sourcePort"], 1)
    total = sum(struct.unpack("!4H", head(0)))
    total = (total & 0xffff) + (total >> 16)
    link.sendto(head(~total & 0xffff), (target, 0))
    end = time.monotonic() + wait
    while time.monotonic() < end:
        link.settimeout(max(0.01, end - time.monotonic()))
        answer = link.recv(2000)
        kind, _, _, number = struct.unpack("!BBHH", (answer if v6 else answer[(answer[0] & 15) * 4:])[:6])
        if kind == (129 if v6 else 0) and number == wanted["sourcePort"]: return "answered"
    return "silent"

def datagram():
    link = socket.socket(family, socket.SOCK_DGRAM)
    link.bind((source, wanted["sourcePort"]))
    link.connect((target, wanted["targetPort"]))
    link.settimeout(wait)
    link.send(b"x")
    link.recv(2000)
    return "answered"

def connection():
    link = socket.socket(family, socket.SOCK_STREAM)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    link.bind((source, wanted["sourcePort"]))
    link.settimeout(wait)
    link.connect((target, wanted["targetPort"]))
    try:
        if wanted["request"] is None:
            link.settimeout(0.3)
            return "answered" if link.recv(2000) else "closed"
        link.settimeout(3)
        link.sendall(wanted["request"].encode())
        words = link.recv(2000).split(b" ", 2)
        return words[1].decode() if words[0].startswith(b"HTTP/") else "answered" if words[0] else "closed"
    except socket.timeout: return "connected"
    except OSError: return "closed"

try:
    outcome = {"ICMP": echo, "ICMPv6": echo, "UDP": datagram, "TCP": connection}[protocol]()
except socket.timeout: outcome = "silent"
except OSError as error: outcome = errno.errorcode.get(error.errno, str(error))
print(json.dumps(outcome))`;

export interface PacketSenderOptions {
  shell: CoreShell;
  network: LinuxNetwork;
}

type Processes = ReadonlyMap<string, number>;

export class PacketSender {
  readonly #options: PacketSenderOptions;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: PacketSenderOptions) {
    this.#options = options;
  }

  // `processes`: as LinuxNetwork applies the plan. Packets are sent one after another, because all from outside use the
  // same namespace.
  send(packet: RealPacket, processes: Processes): Promise<RealOutcome> {
    const turn = this.#turn.then(() => this.#send(packet, processes));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #send(packet: RealPacket, processes: Processes): Promise<RealOutcome> {
    const { server, source, target } = packet;
    const place = server === null ? undefined : placeOf({ key: machineKey(server) }, processes);
    if (server !== null && !place) return rejected('The server is not running, so nothing was sent.');
    const given = Buffer.from(JSON.stringify(packet)).toString('base64');
    const run = (enter: string): string => `${enter} python3 - ${given} <<'END'${program}\nEND`;
    const { shell, network } = this.#options;
    const sent = await shell(place ? run(place.enter) : fromOutside(source, run(enterOutside)));
    const outcome = JSON.parse(sent) as string;
    const holders = network.holdersOf(target);
    const isProxied = network.proxies.some((key) => holders.includes(key));
    return outcome === 'silent' ? this.#silent(packet, holders, processes) : outcomeOf(outcome, isProxied);
  }

  async #silent(packet: RealPacket, holders: readonly string[], processes: Processes): Promise<RealOutcome> {
    const keys = packet.isToInternet ? [coreKey] : holders;
    for (const key of keys) {
      const place = key === coreKey ? { enter: '' } : placeOf({ key }, processes);
      if (!place || !(await this.#isTracked(packet, place.enter))) continue;
      if (packet.isToInternet) return accepted('The packet has left for the internet, and nothing has answered.');
      const what = key.startsWith(balancerKey('')) ? 'load balancer' : 'machine';
      return accepted(`The packet has reached the ${what}, which has not answered.`);
    }
    return rejected('Nothing has answered, and the packet has not arrived: a firewall or a missing route stopped it.');
  }

  async #isTracked({ protocol, target, sourcePort, targetPort }: RealPacket, enter: string): Promise<boolean> {
    const family = versionOf(target) === 6 ? 'ipv6' : 'ipv4';
    const listed = await this.#options.shell(
      `${enter} conntrack -L -f ${family} -p ${protocol.toLowerCase()} -d ${target} 2>/dev/null || true`,
    );
    const end = targetPort === null ? ` id=${sourcePort} ` : ` sport=${sourcePort} dport=${targetPort} `;
    return listed.split('\n').some((line) => line.includes(`dst=${target} `) && line.includes(end));
  }
}

const accepted = (detail: string): RealOutcome => ({ result: 'ACCEPTED', detail });
const rejected = (detail: string): RealOutcome => ({ result: 'REJECTED', detail });
const unknown = (detail: string): RealOutcome => ({ result: 'UNKNOWN', detail });

// A load balancer accepts a connection before it has reached a target, and answers 502 to 504 without one.
function outcomeOf(outcome: string, isProxied: boolean): RealOutcome {
  if (isProxied && /^(?:connected|closed|50[234])$/.test(outcome))
    return unknown(`The load balancer ${takings[outcome] ?? `has answered with status ${outcome}`}, ${unseen}`);
  if (/^\d{3}$/.test(outcome)) return accepted(`The target has answered with status ${outcome}.`);
  return outcomes[outcome] ?? unknown(`The packet could not be sent: ${outcome}.`);
}

const unseen = 'which does not show whether a target was reached.';
const takings: Readonly<Record<string, string>> = {
  connected: 'has accepted the connection',
  closed: 'has accepted the connection and closed it',
};

const unrouted = rejected('The sender has no route to the target, or no machine has its address.');
const outcomes: Readonly<Record<string, RealOutcome>> = {
  connected: accepted('The target has accepted the connection.'),
  closed: accepted('The target has accepted the connection and closed it.'),
  answered: accepted('The target has answered.'),
  ECONNREFUSED: accepted('The packet has reached the target, where nothing listens on this port.'),
  EPERM: rejected('The sender was not permitted to send it: the firewall of its NIC stopped it.'),
  ENETUNREACH: unrouted,
  EHOSTUNREACH: unrouted,
};
