// Helpers of the contract suite: the form of a case, sample rows, and plain ways to write them.
import assert from 'node:assert/strict';
import { Fault } from '../../../base/fault.ts';
import { type Row, rowOf, type StateEngine, type Table, type WriteSet } from '../engine.ts';

export type Case = (title: string, run: (state: StateEngine, folder: string) => Promise<void>) => void;

export const row = (contract: number, place: string, id: string, more: Partial<Row> = {}): Row =>
  rowOf({ kind: 'widget', state: 'AVAILABLE', time: 1000, owner: 'U', body: '{}', ...more, contract, place, id });

export async function holds(state: StateEngine, set: WriteSet): Promise<string[]> {
  const outcome = await state.apply(set);
  assert.equal(outcome.ok, true, JSON.stringify(outcome));
  return outcome.ok ? outcome.appended : [];
}

export const put = (state: StateEngine, table: Table, ...rows: Row[]): Promise<string[]> =>
  holds(
    state,
    rows.map((one) => ({ op: 'insert', table, row: one })),
  );

export const isUnavailable = (error: unknown): error is Fault => error instanceof Fault && error.kind === 'unavailable';
