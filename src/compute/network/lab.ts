// The lab's part for the network: sending packets of the caller's contract, and reading flows of its datacenters.
import { isUuid } from '../../base/ids.ts';
import type { Store } from '../../core/store.ts';
import type { LabTraffic } from '../../surface/ports.ts';
import { protocols } from './spec.ts';
import type { Traffic } from './traffic.ts';
import type { Packet } from './verdict.ts';

// The lab's schema has checked the packet against the form of `Packet`.
export function trafficLab(store: Store, traffic: Traffic): LabTraffic {
  return {
    protocols,
    send: (contract, packet, repeat) => traffic.send(contract, packet as unknown as Packet, repeat),
    sendReal: (contract, packet) => traffic.sendReal(contract, packet as unknown as Packet),
    find: async (contract, id) => (isUuid(id) ? store.get(contract, 'datacenters', id) : undefined),
    flows: (datacenter, since, limit) => traffic.flows(datacenter, since, limit),
  };
}
