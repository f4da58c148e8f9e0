// Flow records of hops, as flow logs read them, and a ring buffer that keeps the newest.
import type { Flow, FlowPage } from './engine.ts';
import type { Protocol } from './spec.ts';
import type { Hop, Packet } from './verdict.ts';

const numbers: Record<Protocol, number> = {
  ICMP: 1,
  TCP: 6,
  UDP: 17,
  GRE: 47,
  ESP: 50,
  AH: 51,
  ICMPv6: 58,
  VRRP: 112,
};

type NewFlow = Omit<Flow, 'position'>;

// Undefined: the hop has no interface, or nothing was sent, or the server was off.
export function flowOf(hop: Hop, { protocol, packets = 1, bytes = 60 }: Packet, time: number): NewFlow | undefined {
  const { kind, id, direction, sourceIp, sourcePort, targetIp, targetPort, action, decidedBy } = hop;
  if (kind === 'lan' || kind === 'internet' || sourceIp === null) return undefined;
  const reason = 'default' in decidedBy ? decidedBy.default : '';
  if (reason === 'own address' || reason === 'server is not running') return undefined;
  const ports = { sourcePort: sourcePort ?? 0, targetPort: targetPort ?? 0 };
  return {
    time,
    kind,
    id,
    direction,
    sourceIp,
    targetIp,
    ...ports,
    protocol: numbers[protocol],
    packets,
    bytes,
    action,
  };
}

export class FlowRing {
  #kept: Flow[] = [];
  #next = 0; // the position of the flow after the last
  #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  add(flow: NewFlow): void {
    this.#kept[this.#next % this.#size] = { position: this.#next, ...flow };
    this.#next += 1;
  }

  page(since: number, limit: number): FlowPage {
    const first = Math.max(since, this.#next - this.#kept.length);
    const end = Math.max(first, Math.min(this.#next, first + limit));
    const flows = Array.from({ length: end - first }, (_, at) => this.#kept[(first + at) % this.#size] as Flow);
    return { flows, next: Math.min(end, Math.max(since, this.#next)), skipped: first - since };
  }
}
