// Client quotas for administrators.
import { type QuotaEntity, type QuotaEntry, quotaKeys } from '../connection/quotas.ts';
import type { RequestOf } from '../wire/api.ts';
import { ProtocolError } from '../wire/errors.ts';
import type { alterClientQuotas, describeClientQuotas } from '../wire/messages/config.ts';
import { type Handler, outcome } from './handler.ts';

type Component = RequestOf<typeof describeClientQuotas>['components'][number];

const exact = 0;
const byDefault = 1;

export const handleDescribeClientQuotas: Handler<typeof describeClientQuotas> = (
  { components, strict },
  { cluster },
) => {
  const matches = ({ entity }: QuotaEntry): boolean =>
    components.every((component) => matchesComponent(entity, component)) &&
    (!strict || Object.keys(entity).length === components.length);
  const entries = cluster.quotas.entries.filter(matches).map(({ entity, values }) => ({
    entity: Object.entries(entity).map(([entityType, entityName]) => ({ entityType, entityName })),
    values: Object.entries(values).map(([key, value]) => ({ key, value })),
  }));
  return { errorCode: 0, entries };
};

function matchesComponent(entity: QuotaEntity, { entityType, matchType, match }: Component): boolean {
  const name = (entity as Record<string, string | null | undefined>)[entityType];
  if (matchType === exact) return name === match;
  return matchType === byDefault ? name === null : name !== undefined;
}

export const handleAlterClientQuotas: Handler<typeof alterClientQuotas> = async (request, call) => {
  const entries = [];
  for (const { entity, ops } of request.entries) {
    const failure = await outcome(call, async () => {
      const types = entity.map(({ entityType }) => entityType);
      if (types.length === 0 || types.some((type) => type !== 'user' && type !== 'client-id'))
        throw new ProtocolError('INVALID_REQUEST', 'Quotas apply to users and client ids only.');
      for (const { key, value, remove } of ops) {
        if (!quotaKeys.includes(key)) throw new ProtocolError('INVALID_REQUEST', `Unknown quota ${key}.`);
        if (!remove && !(value > 0 && Number.isFinite(value)))
          throw new ProtocolError('INVALID_REQUEST', `${key} must be above 0.`);
      }
      const names = Object.fromEntries(entity.map(({ entityType, entityName }) => [entityType, entityName]));
      const changes = Object.fromEntries(ops.map(({ key, value, remove }) => [key, remove ? null : value]));
      if (!request.validateOnly) await call.cluster.quotas.change(names, changes);
    });
    entries.push({ ...failure, entity });
  }
  return { entries };
};
