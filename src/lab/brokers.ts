// Lab routes of the brokers of event streaming: which of them serve, and which partitions they lead. Each can be
// stopped and started. The streaming product provides both through a port.

import { missingResource } from '../core/missing-resource.ts';
import { flag, type Properties } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import { always, pathParameter, propertiesSchema, textSchema, wholeSchema } from '../surface/docs/openapi.ts';
import { type Exchange, json, type Route } from '../surface/http/exchange.ts';
import type { LabBrokers } from '../surface/ports.ts';
import { checked } from './body.ts';

const servingProperties: Properties = {
  serving: flag({
    required: true,
    example: true,
    description: "false: clients can't connect to it, and other brokers lead its partitions",
  }),
};

const brokerSchema = always({ id: wholeSchema, address: textSchema, serving: { type: 'boolean' }, leads: wholeSchema });
const lookSchema = always({ id: textSchema, brokers: { type: 'array', items: brokerSchema } });

export function brokerLabRoutes(tools: LabBrokers): Route[] {
  const cluster = pathParameter('clusterId', 'The id of the cluster', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b');
  const shared = {
    adminOnly: true,
    unaudited: true,
    keptBy: tools.home,
    replySchema: lookSchema,
    resolve: async (x: Exchange) => {
      const row = await tools.find(x.who.contract, x.params[0] ?? '');
      if (!row) throw missingResource({ name: 'cluster' }, x.params[0] ?? '');
      x.rows = [row];
    },
  };
  const clusterOf = (x: Exchange): Row => x.rows[0] as Row;
  const path = '/clusters/{clusterId}/brokers';
  return [
    {
      ...shared,
      method: 'GET',
      path,
      parameters: [cluster],
      operation: 'lab_brokers_get',
      summary: 'List the brokers of a cluster: which of them serve, and how many partitions each leads',
      call: async (x) => json(200, await tools.look(clusterOf(x))),
    },
    {
      ...shared,
      method: 'PUT',
      path: `${path}/{brokerId}`,
      parameters: [cluster, pathParameter('brokerId', 'The number of the broker: 1, 2 or 3', '1')],
      operation: 'lab_broker_set',
      summary: 'Stop a broker, or start it again',
      takesBody: true,
      notedAfter: true,
      bodySchema: propertiesSchema(servingProperties, 'create'),
      call: async (x) => {
        await tools.setServing(clusterOf(x), Number(x.params[1]), checked(servingProperties, x.body).serving === true);
        return json(200, await tools.look(clusterOf(x)));
      },
    },
  ];
}
