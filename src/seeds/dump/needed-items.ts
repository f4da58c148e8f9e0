// The part of a dump that is limited to datacenters.
import type { Values } from '../../base/json.ts';
import { referencesIn } from '../plan/references.ts';

// The datacenters, groups of servers in them, and everything that those refer to.
export function neededBy(seed: Record<string, Values[]>): Set<Values> {
  const needed = new Set<Values>(seed.datacenters ?? []);
  const isThere = ({ section, name }: { section: string; name: string }): boolean =>
    section === 'datacenters' && [...needed].some((one) => one.name === name);
  for (const group of seed.autoscalingGroups ?? [])
    if (referencesIn(group.datacenter, []).some(({ reference }) => isThere(reference))) needed.add(group);
  for (const item of needed) // those that are added are visited, too
    for (const { reference } of referencesIn(item, [])) {
      const found = seed[reference.section]?.find((one) => one.name === reference.name);
      if (found) needed.add(found);
    }
  return needed;
}

export const isReferredTo = (seed: Record<string, Values[]>, key: string, { name }: Values): boolean =>
  referencesIn(seed, []).some(({ reference }) => reference.section === key && reference.name === name);

export function filtered(
  all: Readonly<Record<string, Values[]>>,
  isKept: (item: Values, key: string, at: number) => boolean,
): Record<string, Values[]> {
  const kept = Object.entries(all).map(
    ([key, items]) => [key, items.filter((one, at) => isKept(one, key, at))] as const,
  );
  return Object.fromEntries(kept.filter(([, items]) => items.length > 0));
}
