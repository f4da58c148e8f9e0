// Save points by HTTP, for the owner of the first contract. To create or restore one, the region stops for a moment:
// these calls are answered with 202 before that, and GET /lab/savepoints shows the result.
import type { Json } from '../base/json.ts';
import { flag, type Properties, text } from '../core/schema.ts';
import {
  always,
  pathParameter,
  propertiesSchema,
  textSchema,
  timeSchema,
  wholeSchema,
} from '../surface/docs/openapi.ts';
import { type Exchange, json, type Route } from '../surface/http/exchange.ts';
import type { SavePointService } from '../surface/ports.ts';
import { checked } from './body.ts';

const properties: Properties = {
  name: text({ required: true, max: 64, example: 'filled', description: 'Letters, digits, dots, dashes, underscores' }),
  infrastructure: flag({
    default: false,
    description: 'Resources without data: no samples, log lines, records or objects',
  }),
};

const entrySchema = always(
  {
    name: textSchema,
    createdDate: timeSchema,
    regionTime: timeSchema,
    program: textSchema,
    bytes: wholeSchema,
    copiedBytes: wholeSchema,
    files: wholeSchema,
  },
  { infrastructure: { type: 'boolean' }, imported: { type: 'boolean' } },
);
const workSchema = always(
  { id: textSchema, work: textSchema, name: textSchema, state: { type: 'string', enum: ['BUSY', 'DONE', 'FAILED'] } },
  { message: textSchema, offlineMs: wholeSchema, tookMs: wholeSchema },
);
const listSchema: Json = always({ savePoints: { type: 'array', items: entrySchema } }, { last: workSchema });

export function savePointRoutes(
  service: SavePointService | undefined,
  demandFirstOwner: (x: Exchange) => Promise<void>,
): Route[] {
  if (!service) return [];
  const shared = { adminOnly: true, resolve: demandFirstOwner };
  const named = { ...shared, parameters: [pathParameter('savepointName', 'The name of the save point', 'filled')] };
  return [
    {
      ...shared,
      method: 'GET',
      path: '/savepoints',
      operation: 'lab_savepoint_list',
      summary: 'List the save points, and the result of the last request',
      unaudited: true,
      replySchema: listSchema,
      call: () => json(200, { savePoints: service.list(), last: service.last() }),
    },
    {
      ...shared,
      method: 'POST',
      path: '/savepoints',
      operation: 'lab_savepoint_create',
      summary: 'Create a save point of the region, which stops for a moment',
      takesBody: true,
      notedAfter: true,
      isPolled: true,
      mayConflict: true,
      bodySchema: propertiesSchema(properties, 'create'),
      replySchema: workSchema,
      replyStatus: 202,
      call: (x) => {
        const { name, infrastructure } = checked(properties, x.body);
        return json(202, service.create(name, infrastructure === true));
      },
    },
    {
      ...named,
      method: 'POST',
      path: '/savepoints/{savepointName}/restore',
      operation: 'lab_savepoint_restore',
      summary: 'Restore the region from a save point; it stops for a moment',
      notedAfter: true,
      isPolled: true,
      mayConflict: true,
      replySchema: workSchema,
      replyStatus: 202,
      call: (x) => json(202, service.restore(x.params[0])),
    },
    {
      ...named,
      method: 'DELETE',
      path: '/savepoints/{savepointName}',
      operation: 'lab_savepoint_delete',
      summary: 'Delete a save point',
      notedAfter: true,
      mayConflict: true,
      replyStatus: 204,
      call: async (x) => {
        await service.remove(x.params[0]);
        return { status: 204 };
      },
    },
  ];
}
