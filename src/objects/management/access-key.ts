// An access key of the management API. The secret is returned once, at the creation or a renewal; it is stored sealed,
// because signatures are computed with it.

import { randomHex, randomText } from '../../base/ids.ts';
import type { Values } from '../../base/json.ts';
import type { Seal } from '../../base/seal.ts';
import { regional } from '../../core/dialect.ts';
import { missingRow } from '../../core/missing-resource.ts';
import { hiddenText } from '../../core/operation/operation.ts';
import { targetOf } from '../../core/operation/request.ts';
import { reservationsOf } from '../../core/operation/reservations.ts';
import { pathOf, type Resource, resource, step } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import { changedBy } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import { applyChange, withEntry } from '../../surface/change.ts';
import type { Exchange } from '../../surface/http/exchange.ts';
import { json, type Reply, type Route } from '../../surface/http/exchange.ts';
import { type Machinery, viewOf } from '../../surface/machinery.ts';
import { regionalSchema, shownRegional } from '../../surface/regional-dialect/envelope.ts';
import { findRegional } from '../../surface/regional-dialect/find.ts';
import { accessKeyClaim } from '../access/access-keys.ts';
import { storageRegions } from '../service/host.ts';

export interface AccessKeyTools {
  seal: Seal;
}

const newAccessKey = (): string => randomHex(46).toUpperCase(); // 92 characters
const newSecret = (): string => randomText(48); // 64 characters

export const accessKey = resource<AccessKeyTools>({
  name: 'accesskey',
  plural: 'accesskeys',
  shown: { title: 'Access key', type: 'accesskey', columns: ['description', 'accessKey'] },
  root: 'objectstorage-management/',
  dialect: regional,
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  rights: { create: 's3Privilege' },
  actions: 'objectstorage.accesskey',
  lifecycle: { pace: 0, create: [step('provision')], remove: [step('release')] },
  properties: {
    description: text({ max: 1000, default: '', example: 'example' }),
    accessKey: text({ max: 200, ignored: true, description: 'Created with the key' }),
    secretKey: text({
      derived: true,
      settable: true,
      ignored: true,
      secret: true,
      description: 'Returned only at the creation and at a renewal',
    }),
    canonicalUserId: text({ max: 200, ignored: true, description: 'Whom grants name' }),
    contractUserId: text({ max: 200, ignored: true, description: 'The canonical id of the contract' }),
  },
  async decide(draft, { tools }) {
    if (draft.way === 'remove') return;
    const { previous, values } = draft;
    const { user, contract } = draft.caller;
    const isNew = draft.way === 'create';
    values.accessKey = isNew ? newAccessKey() : (previous.accessKey ?? null);
    values.canonicalUserId = isNew ? user : (previous.canonicalUserId ?? null);
    values.contractUserId = isNew ? String(contract) : (previous.contractUserId ?? null);
    if (!isNew) return;
    const secretKey = newSecret();
    draft.hidden.secret = tools.seal.close(secretKey);
    draft.reservations.claims.push(accessKeyClaim(String(values.accessKey)));
    draft.reservations.counts[`s3keys ${user}`] = 1;
    draft.once = { secretKey };
  },
  noted: {
    read: () => ({ administrative: false, supportedRegions: [...storageRegions] }),
    schema: {
      administrative: { type: 'boolean' },
      supportedRegions: { type: 'array', items: { type: 'string' } },
    },
  },
});

export const renewRoute = (machinery: Machinery, { seal }: AccessKeyTools): Route => ({
  method: 'PUT',
  path: `/accesskeys/{${accessKey.name}Id}/renew`,
  operation: `${accessKey.name}_renew`,
  summary: 'Replace the secret: the old one stops working at once, and the new one is returned once',
  replySchema: regionalSchema(accessKey as Resource, accessKey.noted?.schema),
  resolve: (x) => findRegional(machinery, x, [], accessKey as Resource, 'change'),
  call: (x) => renew(machinery, seal, x),
});

async function renew(machinery: Machinery, seal: Seal, x: Exchange): Promise<Reply> {
  const { store, now } = machinery;
  const found = x.rows[0] as Row;
  const secretKey = newSecret();
  await applyChange(store, async () => {
    const row = await store.at(found.contract, pathOf(found));
    if (!row || row.state === 'DELETING') throw missingRow(found);
    const values = { ...(JSON.parse(row.hidden) as Values), secret: seal.close(secretKey) };
    const hidden = hiddenText(values, reservationsOf(row));
    const meta = changedBy(row.meta, x.who, now());
    const targets = [targetOf(row, `${accessKey.actions}.renew`)];
    return withEntry(
      x,
      { writes: [{ op: 'update', table: 'resource', row: { ...row, meta, hidden } }], targets },
      now(),
    );
  });
  const row = (await store.at(found.contract, pathOf(found))) ?? found;
  const shown = await shownRegional(await viewOf(machinery, x, pathOf(row)), accessKey as Resource, row, { secretKey });
  return json(200, shown, ['Cache-Control', 'no-store']);
}
