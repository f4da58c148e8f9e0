// The stored second factor of an account: the sealed secret, the step of the last code, so that no code counts
// twice, and the hashes of the remaining recovery codes. One row per account, for all of its contracts.
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';

// Not below the user's path, where every write moves the identity epoch: each used code is written.
const place = 'second-factors';

export interface Factor {
  id: string; // of this enrolment: sessions name it
  secret: string; // sealed
  lastStep: number;
  recovery: string[];
}

export interface KeptFactor extends Factor {
  row: Row;
}

export async function factorOf(store: Pick<Store, 'get'>, user: string): Promise<KeptFactor | undefined> {
  const row = await store.get(0, place, user);
  return row && { ...(JSON.parse(row.hidden) as Factor), row };
}

export const insertFactor = (user: string, factor: Factor, now: number): Write => ({
  op: 'insert',
  table: 'resource',
  row: rowOf({
    contract: 0,
    place,
    id: user,
    kind: 'second-factor',
    time: now,
    owner: user,
    hidden: JSON.stringify(factor),
  }),
});

export function updateFactor({ row, ...factor }: KeptFactor, change: Partial<Factor>): Write {
  return { op: 'update', table: 'resource', row: { ...row, hidden: JSON.stringify({ ...factor, ...change }) } };
}

export const removeFactor = (user: string): Write => ({
  op: 'remove',
  table: 'resource',
  key: { contract: 0, place, id: user },
  loose: true,
});
