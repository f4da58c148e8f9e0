// Rows as the crash tests read them from the store.
import assert from 'node:assert/strict';

export interface Row {
  contract: number;
  place: string;
  id: string;
  kind: string;
  state: string;
  body: string;
  hidden: string;
}

export interface Reservations {
  claims: string[];
  counts: Record<string, number>;
  links: [string, string][];
}

export const pathOf = ({ place, id }: Pick<Row, 'place' | 'id'>): string => `${place}/${id}`;
export const keyOf = (row: Pick<Row, 'contract' | 'place' | 'id'>): string => `${row.contract} ${pathOf(row)}`;

export const reservationsOf = ({ hidden }: Pick<Row, 'hidden'>): Reservations =>
  (JSON.parse(hidden || '{}') as { holds?: Reservations }).holds ?? { claims: [], counts: {}, links: [] };

// The message has only the rows that are not in both.
export function assertSame(some: string[], others: string[], message: string): void {
  const [one, other] = [new Set(some), new Set(others)];
  const odd = [...one].filter((text) => !other.has(text)).concat([...other].filter((text) => !one.has(text)));
  assert.deepEqual(odd.slice(0, 10), [], message);
  assert.equal(some.length, others.length, message);
}
