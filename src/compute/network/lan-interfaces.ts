// The interfaces of a datacenter in its LANs, with what passed each of them. Counters have the names of the ports in
// the network of real machines; the simulated network counts what the lab sends under the same names.
import { listenerPort, natPort, nicPort, targetPort } from './linux/names.ts';
import type { DatacenterSpec } from './spec.ts';
import type { Hop, Packet } from './verdict.ts';

export interface Counts {
  inBytes: number; // to the NIC, gateway or load balancer
  inPackets: number;
  outBytes: number;
  outPackets: number;
}

export type PortCounts = Readonly<Record<string, Counts>>;

export interface LanInterface {
  id: string; // of the NIC, gateway or load balancer
  lan: string;
  port: string;
}

// All gateways of a datacenter share a port in each LAN, so the first one counts for all.
export function lanInterfacesOf(spec: DatacenterSpec): LanInterface[] {
  const { nics, natGateways, networkLoadBalancers, applicationLoadBalancers, loadBalancers } = spec;
  const lanOf = new Map(nics.map(({ id, lan }) => [id, lan]));
  const interfaces = [
    ...nics.map(({ id, lan }) => ({ id, lan, port: nicPort(id) })),
    ...natGateways.flatMap((one) =>
      one.lans.map(({ id: lan }) => ({ id: one.id, lan, port: natPort(spec.id, `${lan}`) })),
    ),
    ...[...networkLoadBalancers, ...applicationLoadBalancers].flatMap(({ id, listenerLan, targetLan }) => [
      { id, lan: listenerLan, port: listenerPort(id) },
      { id, lan: targetLan, port: targetPort(id) },
    ]),
    ...loadBalancers.flatMap(({ id, balancedNics: [first = ''] }) => {
      const lan = lanOf.get(first);
      return lan === undefined ? [] : [{ id, lan, port: listenerPort(id) }];
    }),
  ];
  const seen = new Set<string>();
  return interfaces
    .filter(({ port }) => !seen.has(port) && seen.add(port))
    .map(({ id, lan, port }) => ({ id, lan: `${lan}`, port }));
}

const mostPorts = 100_000;

export class SimulatedPorts {
  readonly #counts = new Map<string, Counts>();

  // A rejected packet has reached the interface from its LAN, but has not left it.
  add({ kind, id, direction, action, sourceIp }: Hop, { packets = 1, bytes = 60 }: Packet): void {
    const isIn = direction === 'INGRESS';
    const port = portOf(kind, id, isIn);
    if (port === undefined || sourceIp === null || (!isIn && action === 'REJECT')) return;
    // Counters of deleted interfaces are never removed one by one; all are cleared when there are too many.
    if (this.#counts.size >= mostPorts) this.#counts.clear();
    const known = this.#counts.get(port) ?? { inBytes: 0, inPackets: 0, outBytes: 0, outPackets: 0 };
    this.#counts.set(
      port,
      isIn
        ? { ...known, inBytes: known.inBytes + bytes, inPackets: known.inPackets + packets }
        : { ...known, outBytes: known.outBytes + bytes, outPackets: known.outPackets + packets },
    );
  }

  read(): PortCounts {
    return Object.fromEntries(this.#counts);
  }
}

// A hop at a NAT gateway does not name the LAN.
function portOf(kind: Hop['kind'], id: string, isIn: boolean): string | undefined {
  if (kind === 'nic') return nicPort(id);
  if (kind === 'lan' || kind === 'internet' || kind === 'natgateway') return undefined;
  return isIn ? listenerPort(id) : targetPort(id);
}
