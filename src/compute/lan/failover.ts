// IP failover groups of a LAN: an address, and the NIC that has it first. As long as a NIC is named there it stays.
import { Fault } from '../../base/fault.ts';
import { holdsOf } from '../../core/holds.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Looking } from '../../core/tree.ts';

export async function demandNoFailover(store: Looking, nic: Row): Promise<void> {
  const path = holdsOf(nic).links.find(([role]) => role === 'lan')?.[1];
  const lan = path === undefined ? undefined : await store.at(nic.contract, path);
  const { ipFailover = [] } = (lan ? JSON.parse(lan.body) : {}) as { ipFailover?: { nicUuid: string }[] };
  if (!ipFailover.some(({ nicUuid }) => nicUuid === nic.id)) return;
  throw new Fault('refused', `The NIC ${nic.id} is in an IP failover group of its LAN: take it out first.`, {
    code: '200',
  });
}
