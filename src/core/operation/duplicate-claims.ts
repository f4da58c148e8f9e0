// Claims that two parts of one request share: a retry would not help.
import type { Problem } from '../../base/fault.ts';
import type { Json } from '../../base/json.ts';
import type { Draft } from '../resource.ts';
import { claimKey, reservationsOf } from './reservations.ts';

export function duplicateClaims(all: readonly Draft[]): Problem[] {
  const taken = new Set<string>();
  const problems: Problem[] = [];
  for (const draft of all) {
    if (draft.way === 'remove') continue;
    const held = draft.before ? reservationsOf(draft.before).claims : [];
    for (const claim of draft.reservations.claims) {
      if (held.includes(claim)) continue;
      if (taken.has(claim)) problems.push(duplicateProblem(draft, claimKey(claim).id));
      taken.add(claim);
    }
  }
  return problems;
}

const duplicateProblem = ({ at, values }: Draft, what: string): Problem => {
  const where = placeOf(values, what);
  return { code: '100', message: `[${at}${where ?? ''}] ${what} occurs twice in this request` };
};

// The property that says it: `.ips.[0]`. An address may be written with the length of its network.
function placeOf(value: Json | undefined, what: string): string | undefined {
  if (typeof value === 'string') return value === what || value.startsWith(`${what}/`) ? '' : undefined;
  if (value === null || typeof value !== 'object') return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = placeOf(inner, what);
    if (found !== undefined) return `.${Array.isArray(value) ? `[${key}]` : key}${found}`;
  }
  return undefined;
}
