// The envelope of regional services for resources of alerting, which have no declaration.
import type { Values } from '../../base/json.ts';
import { namedId } from '../../core/regional.ts';
import { stampsOf } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import { always, textSchema, timeSchema } from '../../surface/docs/openapi.ts';
import type { Exchange } from '../../surface/http/exchange.ts';

export type Kind = 'channels' | 'rules';

export const hrefOf = (x: Exchange, kind: Kind, id?: string): string =>
  `${x.base}/alerting/${kind}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;

const urnOf = (user: string): string => `ionos:identity:::users/${user}`;

// The users who created and last changed it, and the times.
export function stamps(row: Pick<Row, 'meta' | 'time' | 'owner'>): Values {
  const found = stampsOf(row);
  return { ...found, createdBy: urnOf(found.createdByUserId), lastModifiedBy: urnOf(found.lastModifiedByUserId) };
}

export const collection = (x: Exchange, kind: Kind, items: object[]): object => ({
  id: namedId('collection', `alerting ${kind}`, x.who.contract, x.region ?? ''),
  type: 'collection',
  href: hrefOf(x, kind),
  items,
});

export const shownSchema = (type: string, properties: Values, metadata: Values): Values =>
  always({
    id: textSchema,
    type: { const: type },
    href: textSchema,
    metadata: always(
      { status: { const: 'AVAILABLE' }, region: textSchema },
      {
        createdDate: timeSchema,
        createdBy: textSchema,
        createdByUserId: textSchema,
        lastModifiedDate: timeSchema,
        lastModifiedBy: textSchema,
        lastModifiedByUserId: textSchema,
        ...metadata,
      },
    ),
    properties,
  });

export const collectionSchema = (item: Values): Values =>
  always({
    id: textSchema,
    type: { const: 'collection' },
    href: textSchema,
    items: { type: 'array', items: item },
  });

export const bodySchema = (properties: Values, isNew: boolean): Values => ({
  type: 'object',
  properties: {
    metadata: { type: ['object', 'null'], description: 'Ignored' },
    properties,
    ...(!isNew && { id: { type: ['string', 'null'], description: 'The id in the path, or empty' } }),
  },
  ...(isNew && { required: ['properties'] }),
});
