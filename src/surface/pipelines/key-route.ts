// The replacement of a pipeline's key: the old one stops working at once.

import type { Values } from '../../base/json.ts';
import { missingRow } from '../../core/missing-resource.ts';
import { hiddenText } from '../../core/operation/operation.ts';
import { targetOf } from '../../core/operation/request.ts';
import { releaseWrites, reservationsOf, reserveWrites } from '../../core/operation/reservations.ts';
import { pathOf } from '../../core/resource.ts';
import { changedBy } from '../../core/stamps.ts';
import type { Row, Write } from '../../core/state/engine.ts';
import { applyChange, withEntry } from '../change.ts';
import { always, textSchema } from '../docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../http/exchange.ts';
import type { Machinery } from '../machinery.ts';
import { findRegional } from '../regional-dialect/find.ts';
import { type PipelineKind, secretsOf } from './key-check.ts';
import { hashOf, isKeyClaim, keyClaim, newKey } from './keys.ts';

export interface KeyKind extends Pick<PipelineKind, 'resource' | 'scope'> {
  keptOf?(key: string): Values; // what the row keeps of the key in addition to its hash
}

export const keyRoute = (machinery: Machinery, kind: KeyKind): Route => ({
  method: 'POST',
  path: `/${kind.resource.plural}/{${kind.resource.name}Id}/key`,
  operation: `${kind.resource.name}_key_replace`,
  summary: 'Replace the key; the old one stops working at once, and the new one is shown once',
  replySchema: always({ key: textSchema }),
  resolve: (x) => findRegional(machinery, x, [], kind.resource, 'change'),
  call: (x) => rotate(machinery, kind, x),
});

async function rotate({ store, now }: Machinery, kind: KeyKind, x: Exchange): Promise<Reply> {
  const { resource } = kind;
  const found = x.rows[0] as Row;
  let key = '';
  await applyChange(store, async () => {
    const row = await store.at(found.contract, pathOf(found));
    if (!row || row.state === 'DELETING') throw missingRow(found);
    key = newKey();
    const writes = keyWrites(row, kind, key, changedBy(row.meta, x.who, now()));
    const targets = [targetOf(row, `${resource.actions}.key`)];
    return withEntry(x, { writes, targets }, now());
  });
  return json(200, { key }, ['Cache-Control', 'no-store']);
}

function keyWrites(row: Row, { scope, keptOf }: KeyKind, key: string, meta: string): Write[] {
  const held = reservationsOf(row);
  const sha256 = hashOf(key);
  const others = held.claims.filter((one) => !isKeyClaim(scope, one));
  const holds = { ...held, claims: [...others, keyClaim(scope, sha256)] };
  const secrets = { ...secretsOf(row), sha256, ...keptOf?.(key) };
  const hidden = hiddenText({ ...(JSON.parse(row.hidden) as Values), pipeline: { ...secrets } }, holds);
  return [
    { op: 'update', table: 'resource', row: { ...row, meta, hidden } },
    ...reserveWrites(row, held, holds, () => undefined),
    ...releaseWrites(row, held, holds),
  ];
}
