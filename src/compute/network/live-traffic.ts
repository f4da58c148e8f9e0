// What passes the interfaces of a datacenter now, for the diagram of the console: it computes rates from two readings.
import type { CallHome } from '../../core/nodes/engine-home.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { json, type Route } from '../../surface/http/exchange.ts';
import { datacenter } from '../datacenter.ts';
import type { PortCounts } from './lan-interfaces.ts';
import type { MachineNetwork } from './machine-network.ts';
import type { Traffic } from './traffic.ts';

export interface LiveTrafficTools {
  store: Store;
  traffic: Traffic;
  network: MachineNetwork | undefined; // of real machines
  home: CallHome;
  real: () => number; // a clock that the lab never moves
}

interface Reading {
  atMs: number;
  ports: Promise<PortCounts>;
}

const sharedMs = 1000; // pages that ask in this time get the same reading

export function liveTrafficRoute({ store, traffic, network, home, real }: LiveTrafficTools): Route {
  let last: Reading | undefined;
  const read = (): Reading => {
    const atMs = real();
    if (!network) return { atMs, ports: Promise.resolve(traffic.simulated.read()) };
    if (!last || atMs - last.atMs >= sharedMs) last = { atMs, ports: network.readPorts() };
    return last;
  };
  return {
    method: 'GET',
    path: '/traffic/{datacenterId}',
    operation: 'webconsole_traffic',
    summary: 'Read what has passed the interfaces of a datacenter',
    unaudited: true,
    keptBy: home,
    resolve: (x) => resolve(store, x, [datacenter], 'get'),
    call: async (x) => {
      const interfaces = await traffic.interfaces(x.rows[0] as Row);
      const { atMs, ports } = read();
      const counted = await ports;
      const found = interfaces.flatMap(({ id, lan, port }) => (counted[port] ? { id, lan, ...counted[port] } : []));
      return json(200, { atMs, interfaces: found }, ['Cache-Control', 'no-store']);
    },
  };
}
