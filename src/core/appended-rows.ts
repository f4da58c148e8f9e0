// Rows that were appended one after another: their ids are dense numbers and their times never go back, so the first
// row of a time is found by bisection.
import { appendedId, type Table } from './state/engine.ts';
import type { Store } from './store.ts';

export interface AppendedPlace {
  table: Table;
  contract: number;
  place: string;
}

export interface Ends {
  first: number;
  last: number;
}

// Undefined: there are none.
export async function appendedEnds(store: Store, { table, contract, place }: AppendedPlace): Promise<Ends | undefined> {
  const [first] = await store.range({ contract, place, limit: 1 }, table);
  const [last] = await store.range({ contract, place, limit: 1, reverse: true }, table);
  return first && last && { first: Number(first.id), last: Number(last.id) };
}

// The number of the first row at or after a time; last + 1 where there is none.
export async function firstAtOrAfter(
  store: Store,
  { table, contract, place }: AppendedPlace,
  time: number,
  { first, last }: Ends,
): Promise<number> {
  let low = first;
  let high = last + 1;
  if (time === Number.POSITIVE_INFINITY) return high;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await store.get(contract, place, appendedId(middle), table);
    if (row && row.time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
