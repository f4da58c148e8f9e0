// Moving a NIC into a LAN, by a POST to the LAN.
import { isUuid } from '../../base/ids.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { busy } from '../../core/operation/busy.ts';
import { changeOf } from '../../core/operation/draft.ts';
import { type Draft, pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { depthParameter } from '../../surface/core-dialect/query.ts';
import { changeReply } from '../../surface/core-dialect/reply.ts';
import { resourceSchema } from '../../surface/docs/openapi.ts';
import type { Exchange, Reply, Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { perform } from '../../surface/perform.ts';
import { datacenter } from '../datacenter.ts';
import { referenceOf, referenceSchema } from '../server/server-routes.ts';
import { lan } from './lan.ts';

export function nicRoutes(machinery: Machinery): Route[] {
  const { store, model } = machinery;
  return [
    {
      method: 'POST',
      path: '/datacenters/{datacenterId}/lans/{lanId}/nics',
      operation: 'lan_nics_attach',
      summary: 'Move a NIC into a LAN, by its ID',
      takesBody: true,
      parameters: [depthParameter],
      bodySchema: referenceSchema,
      replySchema: resourceSchema(model.get('nic')),
      replyStatus: 202,
      resolve: (x) => resolve(store, x, [datacenter, lan], 'create'),
      call: (x) => moveCall(machinery, x),
    },
  ];
}

async function moveCall(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { store, model } = machinery;
  const draft = async (): Promise<Draft> => {
    const [top, target] = x.rows as [Row, Row];
    const row = await nicIn(store, top, referenceOf(x.body));
    if (!row || row.state === 'DELETING') throw missingResource({ name: 'NIC' }, referenceOf(x.body));
    if (row.state !== 'AVAILABLE') throw busy(row);
    const host = (await store.at(row.contract, row.place.slice(0, -'/nics'.length))) as Row;
    const draft = changeOf(model.get('nic'), x.who, [top, host], row, 'move');
    draft.values.lan = Number(target.id);
    return draft;
  };
  return changeReply(machinery, x, await perform(machinery, x, { sentBody: x.text, draft }));
}

// Finds the server of a NIC through the LANs of the datacenter, each of which links to its NICs.
async function nicIn(store: Store, { contract, place, id }: Row, nicId: string): Promise<Row | undefined> {
  if (!isUuid(nicId)) return undefined;
  const top = pathOf({ place, id });
  for await (const link of store.each({ contract, below: `${top}/lans/` }, 'link'))
    if (link.id.endsWith(`/nics/${nicId}`)) return store.at(contract, link.id);
  return undefined;
}
