// How the regional dialect shows resources: their creators as URNs, their location, and their pending operation as
// `metadata.status`. If a resource declares a derived property `status`, it has the same value.
import type { Json, Values } from '../../base/json.ts';
import { failureOf, locationOf, regionOf, servicePath } from '../../core/regional.ts';
import { pathOf, type Resource, type StateWords } from '../../core/resource.ts';
import { stampsOf } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import { derivedOf, hrefOf, type View } from '../core-dialect/envelope.ts';
import { always, propertiesSchema, textSchema, timeSchema, wholeSchema } from '../docs/openapi.ts';

export type RegionalBody = {
  id: string;
  type: string;
  href: string;
  metadata: Values;
  properties: Values;
};

// The answer to the creation has `once`, and no later one: in the properties if it is one, else in the metadata.
export async function shownRegional(
  view: View,
  resource: Resource,
  row: Row,
  once: Values = {},
): Promise<RegionalBody> {
  const words = resource.shown.stateWords;
  const status = await statusOf(view, resource, row);
  const { [words.name]: _, ...more } = (await notedOf(view, resource, row)) ?? {};
  const extra = Object.entries(once);
  return {
    id: row.id,
    type: resource.shown.type,
    href: hrefOf(view.base, servicePath(pathOf(row))),
    metadata: {
      ...metadataOf(row, status, words),
      ...more,
      ...Object.fromEntries(extra.filter(([name]) => !resource.properties[name])),
    },
    properties: {
      ...(JSON.parse(row.body) as Values),
      ...(await derivedOf(view, resource, row)),
      ...(resource.properties.status?.derived && { status: status === 'AVAILABLE' ? (words.ready ?? status) : status }),
      ...Object.fromEntries(extra.filter(([name]) => resource.properties[name])),
    },
  };
}

const notedOf = async (view: View, resource: Resource, row: Row): Promise<Values | undefined> =>
  resource.noted?.read?.(row, view.reader, view.model.context(resource).tools);

export async function statusOf(view: View, resource: Resource, row: Row): Promise<string> {
  const { busy, store } = view;
  if (row.state === 'DELETING') return 'DESTROYING';
  if (failureOf(row) !== undefined) return 'FAILED';
  const path = pathOf(row);
  const words = resource.shown.stateWords;
  if (row.state === 'AVAILABLE' && !busy(path))
    return String((await notedOf(view, resource, row))?.[words.name] ?? 'AVAILABLE');
  if (words.creating === words.busy) return words.busy;
  return row.state === 'AVAILABLE' && !(await store.creating(row.contract, path)) ? words.busy : words.creating;
}

function metadataOf(row: Row, status: string, words: StateWords): Values {
  const region = locationOf(regionOf(row.place));
  const [service] = row.place.split('/');
  const message = failureOf(row);
  return {
    ...(row.version > 0 && regionalStamps(row)), // a resource that no user has changed has no creator
    resourceURN: `ionos:${service}:${region}:${row.contract}:${servicePath(pathOf(row))}`,
    [words.name]: status,
    ...(message !== undefined && { [words.message]: message }),
  };
}

export function regionalStamps(row: Pick<Row, 'meta' | 'time' | 'owner'>): Values {
  const stamps = stampsOf(row);
  const { createdByUserId, lastModifiedByUserId } = stamps;
  return { ...stamps, createdBy: urnOf(createdByUserId), lastModifiedBy: urnOf(lastModifiedByUserId) };
}

const urnOf = (user: string): string => `ionos:identity:::users/${user}`;

export const regionalSchema = (resource: Resource, metadata: Values = {}): Values =>
  always({
    id: uuidSchema,
    type: { const: resource.shown.type },
    href: textSchema,
    metadata: metadataSchema(resource.shown.stateWords, metadata),
    properties: propertiesSchema(resource.properties, 'read'),
  });

const uuidSchema: Values = { type: 'string', format: 'uuid' };

const metadataSchema = ({ name, message, creating, busy }: StateWords, more: Values): Values =>
  always(
    {
      [name]: {
        enum: [...new Set([creating, busy, 'AVAILABLE', 'DESTROYING', 'FAILED'])],
        description: 'The pending operation, or AVAILABLE',
      },
      resourceURN: textSchema,
    },
    {
      [message]: { type: 'string', description: 'Why it FAILED' },
      createdDate: timeSchema,
      createdBy: textSchema,
      createdByUserId: textSchema,
      lastModifiedDate: timeSchema,
      lastModifiedBy: textSchema,
      lastModifiedByUserId: textSchema,
      ...more,
    },
  );

export const regionalCollectionSchema = (item: Values, isPaged: boolean): Values =>
  always({
    id: uuidSchema,
    type: { const: 'collection' },
    href: textSchema,
    items: { type: 'array', items: item },
    ...(isPaged && { offset: wholeSchema, limit: wholeSchema, _links: linksSchema }),
  });

const linksSchema: Json = {
  type: 'object',
  description: 'The addresses of the pages',
  properties: { prev: textSchema, self: textSchema, next: textSchema },
};
