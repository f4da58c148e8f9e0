// Lab routes of auto scaling groups: a load for all replicas together, and the state of a group that follows it. The
// auto scaling product provides both through a port.
import { Fault } from '../base/fault.ts';
import { isObject, type Json, type Values } from '../base/json.ts';
import { missingResource } from '../core/missing-resource.ts';
import { check, decimal, integer, type Properties } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import { always, pathParameter, propertiesSchema, textSchema, wholeSchema } from '../surface/docs/openapi.ts';
import { type Exchange, json, type Route } from '../surface/http/exchange.ts';
import type { LabGroups } from '../surface/ports.ts';

const maxPercent = 20_000; // of 200 replicas
const maxBytes = 2_500_000_000_000;
const rate = integer({ min: 0, max: maxBytes, omitNull: true });

const totalProperties: Properties = {
  cpuPercent: decimal({
    min: 0,
    max: maxPercent,
    omitNull: true,
    description: 'For all replicas together: 300 keeps three of them fully busy',
    example: 300,
  }),
  networkInBytesPerSecond: rate,
  networkOutBytesPerSecond: rate,
  networkInPacketsPerSecond: rate,
  networkOutPacketsPerSecond: rate,
};

const lookSchema = always({ id: textSchema, name: textSchema, now: textSchema, replicas: wholeSchema });

export function groupLabRoutes(tools: LabGroups): Route[] {
  const shared = {
    parameters: [pathParameter('autoscalinggroupId', 'The id of the group', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')],
    adminOnly: true,
    unaudited: true,
    resolve: async (x: Exchange) => {
      const row = await tools.find(x.who.contract, x.params[0] ?? '');
      if (!row) throw missingResource({ name: 'group' }, x.params[0] ?? '');
      x.rows = [row];
    },
  };
  const groupOf = (x: Exchange): Row => x.rows[0] as Row;
  const path = '/groups/{autoscalinggroupId}';
  return [
    {
      ...shared,
      method: 'GET',
      path,
      operation: 'lab_group_get',
      summary: 'Read an auto scaling group: its replicas, metric, thresholds and last actions',
      replySchema: lookSchema,
      call: async (x) => json(200, await tools.look(groupOf(x))),
    },
    {
      ...shared,
      method: 'GET',
      path: `${path}/load`,
      operation: 'lab_group_load_get',
      summary: 'Read the load of all replicas of a group together',
      replySchema: propertiesSchema(totalProperties, 'read'),
      call: async (x) => json(200, await tools.load(groupOf(x))),
    },
    {
      ...shared,
      method: 'PUT',
      path: `${path}/load`,
      operation: 'lab_group_load_set',
      summary: 'Set the load of all replicas together; it is distributed evenly over the existing replicas',
      takesBody: true,
      notedAfter: true,
      bodySchema: propertiesSchema(totalProperties, 'create'),
      replySchema: propertiesSchema(totalProperties, 'read'),
      call: async (x) => json(200, await tools.setLoad(groupOf(x), totalOf(x.body))),
    },
  ];
}

export function totalOf(body: Json | undefined): Values {
  if (!isObject(body)) throw new Fault('refused', '[(root)] An object is expected');
  const { values, problems } = check(totalProperties, body, 'create', '(root)');
  if (problems.length) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  return values;
}
