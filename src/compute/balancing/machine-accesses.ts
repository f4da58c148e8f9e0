// Writes accesses to load balancers of real machines to the access log, with the NIC of the target.

import { addressOf } from '../network/ip.ts';
import type { Access } from '../network/linux/balancers/access-line.ts';
import type { TopologyIndex } from '../network/topology/topology-index.ts';
import type { BalancerAccess } from './access-lines.ts';

export interface MachineAccessesTools {
  accessLog: Pick<BalancerAccess, 'record'>;
  clockOffset(): number; // from the machine's clock to the region's, in ms
  index: TopologyIndex;
  contractOf(datacenterId: string): number | undefined;
}

export async function recordAccesses(accesses: readonly Access[], tools: MachineAccessesTools): Promise<void> {
  const { accessLog, clockOffset, index, contractOf } = tools;
  for (const [id, own] of Map.groupBy(accesses, ({ balancerId }) => balancerId)) {
    const { kind, datacenterId } = own[0] as Access;
    const contract = contractOf(datacenterId);
    if (contract === undefined) continue;
    const lines = own.map((access) => ({ timeMs: access.timeMs + clockOffset(), fields: fieldsOf(access, index) }));
    await accessLog.record({ contract, datacenterId, kind, id }, lines);
  }
}

function fieldsOf(access: Access, index: TopologyIndex): object {
  const { source, sourcePort, target, targetPort, rule, http, bytesIn, bytesOut, durationMs } = access;
  const isRejected = http?.rule === null && access.kind === 'applicationloadbalancer';
  return {
    ...{ source, sourcePort, target, targetPort },
    ...(http && { method: http.method, host: http.host, path: http.path, status: http.status }),
    rule: isRejected ? null : rule,
    ...(http && { httpRule: http.rule }),
    action: isRejected ? 'REJECT' : 'ACCEPT',
    arrived: arrivalOf(access, index),
    ...{ bytesIn, bytesOut, durationMs },
  };
}

function arrivalOf({ datacenterId, balancerId, server, isAnswer, http }: Access, index: TopologyIndex): object | null {
  if (isAnswer) return { kind: 'answer', balancerId, datacenterId, statusCode: http?.status };
  if (!server) return null;
  const balancer = index.endpoint(datacenterId, balancerId);
  const address = addressOf(server.ip);
  const lan = balancer && 'targetLan' in balancer ? balancer.targetLan : undefined;
  const nic = lan && address && index.nicOnSegment(lan.segment, address);
  return {
    kind: 'nic',
    ...(nic && { nicId: nic.id, serverId: nic.serverId, datacenterId: nic.datacenterId }),
    ...server,
  };
}
