// The reservations of a resource: claims on unique values (an address, an e-mail), counts against the contract's
// limits, and links to other resources. They are kept in the hidden part of its row, so that a removal of the row, by
// whatever cascade, releases exactly what it had.
import { isBare } from '../../base/json.ts';
import type { Key, Row, Write } from '../state/engine.ts';
import { rowOf } from '../state/engine.ts';

export type Link = [role: string, to: string]; // to: the path of the other one; `of:role`: deleted with it

export interface Reservations {
  claims: string[]; // `scope key`, unique in the region
  counts: Record<string, number>; // name of the counter: how many
  links: Link[];
}

// The limit a counter is held against, with the name users know it by.
export type Bounds = (counter: string) => { name: string; max: number } | undefined;

export const noReservations = (): Reservations => ({ claims: [], counts: {}, links: [] });

export const isEmpty = ({ claims, links, counts }: Reservations): boolean =>
  claims.length === 0 && links.length === 0 && isBare(counts);

// The writes that reserve what `after` has beyond `before`.
export function reserveWrites(row: Key, before: Reservations, after: Reservations, bounds: Bounds): Write[] {
  const writes: Write[] = [];
  const path = `${row.place}/${row.id}`;
  for (const claim of after.claims)
    if (!before.claims.includes(claim))
      writes.push({ op: 'insert', table: 'claim', row: claimRow(claim, row.contract, path) });
  for (const link of after.links)
    if (!hasLink(before, link)) writes.push(linkWrite(row.contract, path, link, 'insert'));
  for (const name in after.counts) {
    const add = (after.counts[name] ?? 0) - (before.counts[name] ?? 0);
    const max = bounds(name)?.max;
    if (add > 0) writes.push({ op: 'count', contract: row.contract, name, add, ...(max !== undefined && { max }) });
  }
  return writes;
}

// The writes that release what `before` has beyond `after`. They can't fail.
export function releaseWrites(row: Key, before: Reservations, after: Reservations): Write[] {
  const writes: Write[] = [];
  const path = `${row.place}/${row.id}`;
  for (const claim of before.claims)
    if (!after.claims.includes(claim)) writes.push({ op: 'remove', table: 'claim', key: claimKey(claim), loose: true });
  for (const link of before.links)
    if (!hasLink(after, link)) writes.push(linkWrite(row.contract, path, link, 'remove'));
  for (const name in before.counts) {
    const add = (after.counts[name] ?? 0) - (before.counts[name] ?? 0);
    if (add < 0) writes.push({ op: 'count', contract: row.contract, name, add });
  }
  return writes;
}

// Both together: kept in the row while a change is pending, so that a removal releases all of it.
export function mergeReservations(a: Reservations, b: Reservations): Reservations {
  const counts = { ...a.counts };
  for (const name in b.counts) counts[name] = Math.max(counts[name] ?? 0, b.counts[name] ?? 0);
  return {
    claims: [...new Set([...a.claims, ...b.claims])],
    counts,
    links: [...a.links, ...b.links.filter((link) => !hasLink(a, link))],
  };
}

export function reservationsOf(row: Pick<Row, 'hidden'>): Reservations {
  if (!row.hidden) return noReservations();
  const hidden = JSON.parse(row.hidden) as { holds?: Reservations };
  return hidden.holds ?? noReservations();
}

export function claimKey(claim: string): Key {
  const cut = claim.indexOf(' ');
  return { contract: 0, place: claim.slice(0, cut), id: claim.slice(cut + 1) };
}

export const claimRow = (claim: string, contract: number, path: string): Row =>
  rowOf({ ...claimKey(claim), body: JSON.stringify({ contract, path }) });

// The row itself has its links: only the other end needs a row in the table of links.
const linkWrite = (contract: number, from: string, [role, to]: Link, op: 'insert' | 'remove'): Write =>
  keyWrite({ contract, place: `${to} < ${role}`, id: from }, op);

// A link that neither end has in its row is written twice, so that it can be followed from both.
export const linkWrites = (contract: number, from: string, [role, to]: Link, op: 'insert' | 'remove'): Write[] => [
  keyWrite({ contract, place: `${from} > ${role}`, id: to }, op),
  linkWrite(contract, from, [role, to], op),
];

const keyWrite = (key: Key, op: 'insert' | 'remove'): Write =>
  op === 'insert' ? { op, table: 'link', row: rowOf(key) } : { op, table: 'link', key, loose: true };

// The targets of a row's links of one role. Most rows have none, which is seen without parsing them.
export function reservedLinks(row: Pick<Row, 'hidden'>, role: string): string[] {
  if (!row.hidden.includes(`["${role}","`)) return [];
  return reservationsOf(row)
    .links.filter(([one]) => one === role)
    .map(([, to]) => to);
}

const hasLink = ({ links }: Reservations, [role, to]: Link): boolean =>
  links.some(([otherRole, otherTo]) => otherRole === role && otherTo === to);
