// Flows as flow logs will read them: from hops to records, and a ring that keeps the newest.
import type { Flow, FlowPage } from './engine.ts';
import type { Protocol } from './landscape.ts';
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

type Unplaced = Omit<Flow, 'position'>;

// undefined: nothing passed an interface there, or nothing was sent, or nobody was on.
export function flowOf(hop: Hop, { protocol, packets = 1, bytes = 60 }: Packet, time: number): Unplaced | undefined {
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

  add(flow: Unplaced): void {
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
