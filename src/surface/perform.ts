// Passes a change to core, with the facts of the call.
import type { Accepted } from '../core/operation/operation.ts';
import { type ChangeInput, performChange } from '../core/operation/perform-change.ts';
import { depthOf } from './core-dialect/query.ts';
import type { Exchange } from './http/exchange.ts';
import type { Machinery } from './machinery.ts';

export async function perform(
  machinery: Machinery,
  x: Exchange,
  change: Pick<ChangeInput, 'sentBody' | 'draft' | 'decide'>,
): Promise<Accepted> {
  depthOf(x); // a wrong one is refused before anything is changed
  const { requestInfo, wait } = x;
  const bounds = await machinery.bounds(x.who.contract);
  return performChange(machinery, { requestInfo, bounds, wait, resolve: () => x.route?.resolve?.(x), ...change });
}
