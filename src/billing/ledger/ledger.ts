// The usage of a contract in a period, from the marks and entries that products wrote with their changes. Time counts
// in whole minutes of the clock: an interval lasts from the minute of its start to the minute of its end. So the
// minutes of days, months and sizes add up exactly.
import { type AppendedPlace, appendedEnds, firstAtOrAfter } from '../../core/appended-rows.ts';
import { type Consumption, consumptionPlace, type Mark, usagePlace } from '../../core/metering/meter.ts';
import { appendedId, type Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { minuteMs } from '../period.ts';
import { findOpening, type RunningMark } from './opening.ts';

// A resource with one size of one meter over a time.
export interface Stay {
  path: string;
  kind: string;
  name: string;
  meter: string;
  amount: number;
  from: number; // ms
  to: number;
  minutes: number;
}

// An amount that was consumed at a moment.
export interface Use {
  path: string;
  kind: string;
  meter: string;
  amount: number;
  time: number;
}

export interface Ledger {
  stays: Stay[];
  uses: Use[];
  places: Map<string, { name: string; location: string }>; // datacenters by their ids
  running: Running; // at the end
  removed: Set<string>; // paths of resources that are deleted at the end; a stopped server is not in it
}

export type Running = Map<string, RunningMark>; // by path

export interface Span {
  from: number;
  to: number;
}

export async function readLedger(store: Store, contract: number, span: Span): Promise<Ledger> {
  const opening = await findOpening(store, contract, span.from);
  const running: Running = new Map(opening.marks.map((mark) => [mark.path, mark]));
  const ledger: Ledger = { stays: [], uses: [], places: new Map(), running, removed: new Set() };
  for (const mark of running.values()) notePlace(ledger, mark);
  for await (const row of rowsBetween(store, contract, usagePlace, { from: opening.time, to: span.to })) {
    const mark = JSON.parse(row.body) as Mark;
    const before = running.get(mark.path);
    if (before) addStays(ledger, before, row.time, span, false);
    const name = mark.name ?? before?.name; // a mark of removal has none
    if (isGone(mark)) running.delete(mark.path);
    else running.set(mark.path, { ...mark, since: row.time, ...(name !== undefined && { name }) });
    noteRemoval(ledger, mark);
    notePlace(ledger, mark);
  }
  for (const mark of running.values()) addStays(ledger, mark, span.to, span, true);
  for await (const row of rowsBetween(store, contract, consumptionPlace, span)) addUses(ledger, row);
  return ledger;
}

// The first moment with known usage.
export async function firstUse(store: Store, contract: number): Promise<number | undefined> {
  const times: number[] = [];
  for (const place of [usagePlace, consumptionPlace]) {
    const [row] = await store.range({ contract, place, limit: 1 }, 'usage');
    if (row) times.push(row.time);
  }
  return times.length > 0 ? Math.min(...times) : undefined;
}

const isGone = ({ meters }: Mark): boolean => Object.values(meters).every((amount) => amount === 0);

function addStays({ stays }: Ledger, mark: RunningMark, end: number, span: Span, runs: boolean): void {
  const from = Math.max(mark.since, span.from);
  const to = Math.min(end, span.to);
  const minutes = Math.floor(to / minuteMs) - Math.floor(from / minuteMs);
  if (minutes <= 0 && !runs) return;
  const { path, kind, name = '' } = mark;
  for (const [meter, amount] of Object.entries(mark.meters))
    if (amount > 0) stays.push({ path, kind, name, meter, amount, from, to, minutes: Math.max(0, minutes) });
}

function addUses({ uses }: Ledger, { body, time }: Row): void {
  const { path, kind, amounts } = JSON.parse(body) as Consumption;
  for (const [meter, amount] of Object.entries(amounts)) if (amount > 0) uses.push({ path, kind, meter, amount, time });
}

// A mark of a stopped resource has its name, a mark of removal does not.
function noteRemoval({ removed }: Ledger, mark: Mark): void {
  if (isGone(mark) && mark.name === undefined) removed.add(mark.path);
  else removed.delete(mark.path);
}

function notePlace({ places }: Ledger, { kind, path, name, location }: Mark): void {
  if (kind !== 'datacenter' || name === undefined) return;
  places.set(path.slice(path.lastIndexOf('/') + 1), { name, location: location ?? '' });
}

async function* rowsBetween(store: Store, contract: number, place: string, span: Span): AsyncGenerator<Row> {
  const log: AppendedPlace = { table: 'usage', contract, place };
  const ends = await appendedEnds(store, log);
  if (!ends) return;
  const from = appendedId(await firstAtOrAfter(store, log, span.from, ends));
  const to = appendedId(await firstAtOrAfter(store, log, span.to, ends));
  for await (const rows of store.pages({ contract, place, from, to }, 'usage')) yield* rows;
}
