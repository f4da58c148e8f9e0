// The demo of the caller's contract: an example shop with a load, for its administrators.
import { Fault } from '../base/fault.ts';
import { isObject, type Json } from '../base/json.ts';
import { flag, type Properties } from '../core/schema.ts';
import { always, propertiesSchema, textSchema, timeSchema, wholeSchema } from '../surface/docs/openapi.ts';
import { json, type Route } from '../surface/http/exchange.ts';
import type { DemoService } from '../surface/ports.ts';
import { checked } from './body.ts';

const properties: Properties = {
  evenIfNotEmpty: flag({ default: false, description: 'Creates the shop in a contract that has other resources' }),
};

const statusSchema: Json = always(
  {
    contract: wholeSchema,
    state: { type: 'string', enum: ['OFF', 'CREATING', 'RUNNING', 'DELETING', 'FAILED'] },
    resources: wholeSchema,
  },
  { since: timeSchema, message: textSchema },
);

export function demoRoutes(demo: DemoService): Route[] {
  const shared = { path: '/demo', adminOnly: true, replySchema: statusSchema };
  return [
    {
      ...shared,
      method: 'GET',
      operation: 'lab_demo_get',
      summary: 'Read the state of the demo',
      unaudited: true,
      call: async ({ who }) => json(200, await demo.status(who.contract)),
    },
    {
      ...shared,
      method: 'PUT',
      operation: 'lab_demo_start',
      summary: 'Create an example shop whose load continues until the demo is deleted',
      takesBody: true,
      notedAfter: true,
      isPolled: true,
      mayConflict: true,
      bodySchema: propertiesSchema(properties, 'create'),
      replyStatus: 202,
      call: async ({ who, body }) => {
        if (!isObject(body)) throw new Fault('refused', '[(root)] An object is expected');
        const { evenIfNotEmpty } = checked(properties, body);
        return json(202, await demo.begin(who.contract, evenIfNotEmpty === true));
      },
    },
    {
      ...shared,
      method: 'DELETE',
      operation: 'lab_demo_stop',
      summary: 'Stop the load, and delete what the demo created',
      notedAfter: true,
      isPolled: true,
      replyStatus: 202,
      call: async ({ who }) => json(202, await demo.end(who.contract)),
    },
  ];
}
