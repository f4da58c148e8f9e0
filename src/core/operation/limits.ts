// All limits of the contract that a draft would exceed, with the current usage. `times`: the number of equal drafts.
import type { Problem } from '../../base/fault.ts';
import type { Draft } from '../resource.ts';
import type { Store } from '../store.ts';
import { parts } from './operation.ts';
import { type Bounds, reservationsOf } from './reservations.ts';

export async function passedLimits(store: Store, draft: Draft, bounds: Bounds, times = 1): Promise<Problem[]> {
  const more = new Map<string, { add: number; by: Draft }[]>();
  for (const part of parts(draft)) {
    if (part.way === 'remove') continue;
    const held = part.before ? reservationsOf(part.before).counts : {};
    for (const [name, count] of Object.entries(part.reservations.counts)) {
      const add = times * (count - (held[name] ?? 0));
      if (add > 0 && bounds(name)) more.set(name, [...(more.get(name) ?? []), { add, by: part }]);
    }
  }
  if (more.size === 0) return [];
  const used = await store.engine.counters(draft.contract, [...more.keys()]);
  return [...more].flatMap(([name, all]) => passed(name, all, used.get(name) ?? 0, bounds));
}

// The property of the part that exceeds the limit is named.
function passed(name: string, all: readonly { add: number; by: Draft }[], used: number, bounds: Bounds): Problem[] {
  const bound = bounds(name);
  const add = all.reduce((sum, one) => sum + one.add, 0);
  if (!bound || used + add <= bound.max) return [];
  let sum = used;
  const first = all.find((one) => {
    sum += one.add;
    return sum > bound.max;
  });
  const by = first?.by;
  const property = by?.resource.usage.counted?.[name];
  const isNamed =
    by && by.act === undefined && property !== undefined && Object.hasOwn(by.resource.properties, property);
  const at = isNamed ? `[${by.at}.${property}] ` : '';
  const message = `${at}The limit ${bound.name} is ${bound.max}: ${used} are in use, and ${add} more would exceed it.`;
  return [{ code: '200', message }];
}
