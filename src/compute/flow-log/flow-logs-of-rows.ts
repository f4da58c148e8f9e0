// The capturing flow logs of a datacenter, read from the rows that the network depends on.
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { CommittedRows } from '../network/committed-rows.ts';
import type { CapturingFlowLog } from './capture.ts';

const owners = ['natgateways', 'networkloadbalancers', 'applicationloadbalancers'];

// By the id of their interface.
export function readFlowLogs(rows: CommittedRows, datacenterId: string): Map<string, CapturingFlowLog> {
  const path = `datacenters/${datacenterId}`;
  const nics = rows.in(`${path}/servers`).flatMap((server) => rows.in(`${pathOf(server)}/nics`));
  const others = owners.flatMap((plural) => rows.in(`${path}/${plural}`));
  return new Map(
    [...nics, ...others].flatMap((owner) =>
      rows.in(`${pathOf(owner)}/flowlogs`).map((row) => [owner.id, capturing(owner, row)] as const),
    ),
  );
}

function capturing(owner: Row, row: Row): CapturingFlowLog {
  const values = JSON.parse(row.body) as Pick<CapturingFlowLog, 'name' | 'action' | 'direction' | 'bucket'>;
  const { name, action, direction, bucket } = values;
  const { id, contract } = row;
  return { id, contract, path: pathOf(row), interfaceId: owner.id, name, action, direction, bucket };
}
