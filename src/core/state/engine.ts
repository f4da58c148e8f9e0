// The interface of every state engine: rows of a few tables in key order, and changes that are data: a write set is
// applied completely or not at all. No rule, no SQL, no synchronous assumption and no open transaction crosses this
// interface; what a row means is decided above it.
import type { StateFigures } from './figures.ts';

// One shape of row serves all tables. A row's key is (contract, place, id); order within a table is by
// contract, then place, then id, each compared byte by byte.
export interface Row {
  contract: number; // 0: belongs to the region, not to a contract
  place: string; // its collection: `datacenters/D/lans`
  id: string;
  kind: string;
  state: string;
  version: number; // 1 when inserted, one more with each update
  time: number; // when it was made, in ms
  owner: string; // the user who created it
  meta: string; // JSON text, ready to be sent
  body: string; // JSON text, ready to be sent
  hidden: string; // JSON text that is never sent
}

export type Key = Pick<Row, 'contract' | 'place' | 'id'>;

// resource: what users manage · request: their changes · journal: operations that have not ended
// activity: the audit, dense numbers as ids · usage: what existed from when to when
// claim: names that can be used once · link: relations between resources · object: contents of buckets
export const tables = ['resource', 'request', 'journal', 'activity', 'usage', 'claim', 'link', 'object'] as const;
export type Table = (typeof tables)[number];

export type Write =
  // Fails with 'exists' where the key is taken.
  | { op: 'insert'; table: Table; row: Row }
  // Replaces everything but the key; `row.version` is the version it was read at. Fails with 'changed'.
  | { op: 'update'; table: Table; row: Row }
  // Fails with 'changed' where the row is not there, or not of that version. With `loose` it never fails.
  | { op: 'remove'; table: Table; key: Key; version?: number; loose?: boolean }
  // Changes nothing: fails with 'changed' where the row is not of that version (0: where it exists).
  | { op: 'guard'; table: Table; key: Key; version: number }
  // Adds to a counter that starts at 0. Fails with 'limit' where it would pass max or fall below 0.
  | { op: 'count'; contract: number; name: string; add: number; max?: number }
  // Gives the row the next number of its (contract, place) as id: dense, from 1, zero-padded to 12 digits.
  // Its time becomes that of the row before it where it would be earlier. Never fails.
  | { op: 'append'; table: Table; row: Omit<Row, 'id'> };

export type WriteSet = readonly Write[];

export type Outcome =
  | { ok: true; appended: string[] } // the ids of the set's appends, in their order
  | { ok: false; why: 'exists' | 'changed' | 'limit'; at: number }; // which write of the set it was

export interface Lease {
  name: string;
  holder: string;
  leftMs: number;
}

export interface Scan {
  contract?: number; // absent: every contract, in key order (only with `after`, `below: ''` and `limit`)
  place?: string; // rows of this place alone …
  below?: string; // … or all rows whose place begins with this text, in key order
  from?: string; // with place: ids at or after this one
  to?: string; // with place: ids before this one
  after?: Key; // continue after this key (before it, when reverse)
  offset?: number; // rows to skip first
  limit: number;
  reverse?: boolean;
}

// A whole state as data, from one moment: pages of rows, table by table, in key order, the same from every engine.
export type DumpTable = Table | 'counter' | 'sequence';
export type DumpRow = readonly (string | number)[]; // the table's columns, in their order

export interface DumpPage {
  table: DumpTable;
  rows: readonly DumpRow[];
}

export type Dump = AsyncIterable<DumpPage>;

// The findings of a check of the whole state.
export interface StateCheck {
  rows: number; // that were read
  damage: string[]; // empty: all of them are as they were written
  notes: string[]; // the limits of the check, and other programs that cover them
}

export interface StateEngine {
  // True: no other process changes this store while it is open, so reads and writes may be cached.
  readonly exclusive: boolean;
  get(table: Table, contract: number, place: string, id: string): Promise<Row | undefined>;
  range(table: Table, scan: Scan): Promise<Row[]>;
  // With names, only those of them that there are.
  counters(contract: number, names?: readonly string[]): Promise<Map<string, number>>;
  // Sets that wait together are applied together and synced once; each succeeds or fails alone. Resolves when the set
  // is safe on disk. Rejects with a Fault 'unavailable' where nothing was changed because the store can't write (a full
  // disk, a lost connection), or where the outcome is unknown (unknown-outcome.ts). Other processes that watch one of
  // the `topics` are notified.
  apply(set: WriteSet, topics?: readonly string[]): Promise<Outcome>;
  // Takes or renews a named lease by the store's own clock; with 0 ms it is released. False: another holder has it.
  lease(name: string, holder: string, ms: number): Promise<boolean>;
  // All leases with this prefix and the time they have left, which may be none.
  leases(prefix: string): Promise<Lease[]>;
  // A version of the whole state: the same text as before only if nothing was committed between. A read after
  // one call may be cached as long as later calls return the same. Read after the call, never before.
  current(): Promise<string> | string;
  // Calls back when a write set of another process named `topic`, or may have. The text behind a space in a topic is
  // its detail, an argument of the listener; empty: some may have been missed. Returns the unsubscriber.
  watch(topic: string, listener: (detail: string) => void): () => void;
  // The whole state of one moment at or after the call, in a fixed order: see dump.ts. A slow reader of the pages
  // blocks no one.
  dump(): Dump;
  // Replaces the state by a dump, completely or not at all; if the pages end with an error, nothing was changed.
  // Rejects with a Fault 'conflict' if the state is not empty and must not be replaced. Leases stay. Callers must drop
  // their caches.
  load(pages: Dump, replace: boolean): Promise<void>;
  // Reads the whole state of one moment to find rows that differ from what was written. Other calls are served.
  check(): Promise<StateCheck>;
  // Figures for /metrics and tests: commits, syncs, sets, sizes.
  figures(): StateFigures;
  close(): Promise<void>;
}

// The id of the row that an append gives this number.
export const appendedId = (number: number): string => String(number).padStart(12, '0');

// Written out so that all rows have one hidden class.
export const rowOf = (row: Partial<Row> & Key): Row => ({
  contract: row.contract,
  place: row.place,
  id: row.id,
  kind: row.kind ?? '',
  state: row.state ?? '',
  version: row.version ?? 1,
  time: row.time ?? 0,
  owner: row.owner ?? '',
  meta: row.meta ?? '',
  body: row.body ?? '',
  hidden: row.hidden ?? '',
});
