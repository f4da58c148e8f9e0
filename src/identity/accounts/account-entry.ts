// A change of an account affects all of its contracts, so the audit log of each contract gets an entry.
import { appendEntry, entryOf } from '../../core/audit/audit-log.ts';
import type { Write } from '../../core/state/engine.ts';
import type { Exchange } from '../../surface/http/exchange.ts';
import { type Account, userPlace } from './accounts.ts';

export function withAccountEntry(
  x: Exchange,
  { id, contracts }: Account,
  writes: readonly Write[],
  now: number,
): Write[] {
  const target = { kind: 'user', path: `${userPlace}/${id}`, action: 'sec.user.update' };
  const entry = entryOf(x.requestInfo, 'Provision', [target]);
  return [...writes, ...contracts.map((contract) => appendEntry(contract, entry, now))];
}
