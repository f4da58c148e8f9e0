// How the regional dialect shows things: who made them in the form of a URN, where they stand, and what is under way
// on them as `metadata.status`. Where a resource declares a derived property `status`, it says the same.
import type { Json, Values } from '../../base/json.ts';
import type { StateWords } from '../../core/dialect.ts';
import { failureOf, locationOf, regionOf, servicePath } from '../../core/regional.ts';
import { pathOf, type Resource } from '../../core/resource.ts';
import { stampsOf } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import { derivedOf, hrefOf, type View } from '../core-dialect/envelope.ts';
import { always, propertiesSchema, textSchema, timeSchema, wholeSchema } from '../docs/openapi.ts';

const usualWords: StateWords = {
  name: 'status',
  message: 'statusMessage',
  creating: 'PROVISIONING',
  busy: 'PROVISIONING',
};
export const wordsOf = ({ dialect }: Resource): StateWords => dialect.states ?? usualWords;

export type Shown = {
  id: string;
  type: string;
  href: string;
  metadata: Values;
  properties: Values;
};

// `once` is told with its creation and never again: among the properties where it is one, else in the metadata.
export async function shownRegional(view: View, resource: Resource, row: Row, once: Values = {}): Promise<Shown> {
  const words = wordsOf(resource);
  const status = await statusOf(view, resource, row);
  const { [words.name]: _, ...more } = (await notedOf(view, resource, row)) ?? {};
  const told = Object.entries(once);
  return {
    id: row.id,
    type: resource.type,
    href: hrefOf(view.base, servicePath(pathOf(row))),
    metadata: {
      ...metadataOf(row, status, words),
      ...more,
      ...Object.fromEntries(told.filter(([name]) => !resource.properties[name])),
    },
    properties: {
      ...(JSON.parse(row.body) as Values),
      ...(await derivedOf(view, resource, row)),
      ...(resource.properties.status?.derived && { status: status === 'AVAILABLE' ? (words.ready ?? status) : status }),
      ...Object.fromEntries(told.filter(([name]) => resource.properties[name])),
    },
  };
}

const notedOf = async (view: View, resource: Resource, row: Row): Promise<Values | undefined> =>
  resource.noted?.(row, view.reader, view.model.context(resource).tools);

export async function statusOf(view: View, resource: Resource, row: Row): Promise<string> {
  const { busy, store } = view;
  if (row.state === 'DELETING') return 'DESTROYING';
  if (failureOf(row) !== undefined) return 'FAILED';
  const path = pathOf(row);
  const words = wordsOf(resource);
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
    ...(row.version > 0 && regionalStamps(row)), // what nobody has touched yet was made by nobody
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
    type: { const: resource.type },
    href: textSchema,
    metadata: metadataSchema(wordsOf(resource), metadata),
    properties: propertiesSchema(resource.properties, 'read'),
  });

const uuidSchema: Values = { type: 'string', format: 'uuid' };

const metadataSchema = ({ name, message, creating, busy }: StateWords, more: Values): Values =>
  always(
    {
      [name]: {
        enum: [...new Set([creating, busy, 'AVAILABLE', 'DESTROYING', 'FAILED'])],
        description: 'What is under way on it',
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
