// The writes that end an operation: commit or abort. Both can be computed again from the current rows, whatever has
// changed in them.
import type { Values } from '../../base/json.ts';
import { mark } from '../metering/meter.ts';
import type { Model } from '../model.ts';
import { pathOf, type Resource } from '../resource.ts';
import type { Row, Write } from '../state/engine.ts';
import type { Store } from '../store.ts';
import type { Change, Journal, RowState } from './journal.ts';
import { removalWrites } from './operation.ts';
import { noReservations, releaseWrites, reservationsOf, reserveWrites } from './reservations.ts';
import { forgetRevisions, revisionWrites } from './revisions.ts';

export interface CommitTools {
  store: Store;
  model: Model;
  now: () => number;
}

const eraseAtOnce = 30;

// `known` are the rows as this process wrote them; the set fails where they are not so any more.
export async function commitWrites(
  { store, model, now }: CommitTools,
  journal: Journal,
  known: readonly Row[] | undefined,
): Promise<{ writes: Write[]; gone: boolean }> {
  const writes: Write[] = [];
  let gone = false;
  for (const [at, change] of journal.changes.entries()) {
    const resource = model.get(change.kind);
    const row = writtenBy(change, known?.[at]) ?? (await store.at(journal.contract, change.path));
    if (!row) gone ||= change.way !== 'remove';
    else if (change.way === 'remove') {
      writes.push(...removalWrites(resource, row, now()));
      if (resource.usage.countsInside) writes.push(...(await forgetRevisions(store, row)));
      for (const other of await dependents(store, row))
        writes.push(...removalWrites(model.find(other.kind), other, now()));
    } else writes.push(...settle(resource, row, change, now()));
  }
  if (!gone && writes.length > 0) writes.push(...revisionWrites(model, journal));
  return { writes, gone };
}

// Rows elsewhere that go with a resource: the shares of a datacenter.
async function dependents(store: Store, row: Row): Promise<Row[]> {
  const links = await store.range({ contract: row.contract, below: `${pathOf(row)} < of:`, limit: 1000 }, 'link');
  const rows = await Promise.all(links.map((link) => store.at(row.contract, link.id)));
  return rows.filter((one) => one !== undefined);
}

// A row after the accepting write set: updates increase its version.
const writtenBy = (change: Change, row: Row | undefined): Row | undefined =>
  row && change.way !== 'create' ? { ...row, version: row.version + 1 } : row;

// A removal that was accepted during this operation comes next, and may fail: then the row must be the result of this
// operation.
const stateAfter = ({ state }: Row): RowState => (state === 'DELETING' ? 'DELETING' : 'AVAILABLE');

function settle(resource: Resource, row: Row, change: Change, now: number): Write[] {
  const path = pathOf(row);
  if (change.way === 'create' && row.state === 'AVAILABLE') {
    const { contract, place, id, version } = row;
    const used = resource.usage.meter ? mark(resource, contract, path, JSON.parse(row.body) as Values, now) : [];
    // A resource without parents can only be removed by its own removal, which waits for this end.
    if (resource.parents.length === 0) return used;
    return [{ op: 'guard', table: 'resource', key: { contract, place, id }, version }, ...used];
  }
  const { body = row.body, meta = row.meta, hidden = row.hidden } = change;
  const next = { ...row, state: stateAfter(row), body, meta, hidden };
  return [
    { op: 'update', table: 'resource', row: next },
    ...reserveWrites(row, reservationsOf(row), reservationsOf(next), () => undefined),
    ...releaseWrites(row, reservationsOf(row), reservationsOf(next)),
    ...(resource.usage.meter ? mark(resource, row.contract, path, JSON.parse(body) as Values, now) : []),
  ];
}

export async function abortWrites({ store, model }: CommitTools, journal: Journal): Promise<Write[]> {
  const writes: Write[] = [];
  for (const change of journal.changes) {
    const row = await store.at(journal.contract, change.path);
    if (!row) continue;
    if (change.way === 'create' && (await isWanted(store, row, journal))) {
      writes.push({ op: 'update', table: 'resource', row: { ...row, state: 'AVAILABLE' satisfies RowState } });
      continue;
    }
    if (change.way === 'create' && model.get(change.kind).dialect.failedCreation === 'keep') {
      writes.push({ op: 'update', table: 'resource', row: asFailed(row, journal.failed ?? '') });
      continue;
    }
    if (change.way === 'create') {
      writes.push({ op: 'remove', table: 'resource', key: row, version: row.version });
      writes.push(...releaseWrites(row, reservationsOf(row), noReservations()));
      continue;
    }
    // The reservations are those from before the change.
    const hidden = change.before ?? row.hidden;
    const state: RowState = change.way === 'remove' ? 'AVAILABLE' : stateAfter(row);
    writes.push({ op: 'update', table: 'resource', row: { ...row, state, hidden } });
    writes.push(...releaseWrites(row, reservationsOf(row), reservationsOf({ hidden })));
  }
  return writes;
}

const asFailed = (row: Row, message: string): Row => ({
  ...row,
  state: stateAfter(row),
  hidden: JSON.stringify({ ...(row.hidden ? (JSON.parse(row.hidden) as Values) : {}), failed: message }),
});

// Others may have begun to use a related resource that this operation created, such as a LAN that two NICs named at
// once. It is locked first, so that no one begins to use it between that check and the removal.
export async function lockCreatedRows({ store }: CommitTools, { contract, changes }: Journal): Promise<void> {
  for (const { way, path } of changes) {
    if (way !== 'create') continue;
    await store.change(async () => {
      const row = await store.at(contract, path);
      const closed = row?.state === 'CHANGING' ? { ...row, state: 'DELETING' satisfies RowState } : undefined;
      return { writes: closed ? [{ op: 'update', table: 'resource', row: closed }] : [], value: undefined };
    });
  }
}

async function isWanted(store: Store, row: Row, { contract, changes }: Journal): Promise<boolean> {
  if (row.state !== 'DELETING') return false;
  for await (const link of store.each({ contract, below: `${pathOf(row)} < ` }, 'link'))
    if (!changes.some(({ path }) => path === link.id)) return true;
  return false;
}

// All below a resource that is being removed, some rows at a time; others are served in between.
export async function erase({ store, model, now }: CommitTools, contract: number, change: Change): Promise<void> {
  for (;;) {
    const rows = await store.range({ contract, below: `${change.path}/`, limit: eraseAtOnce });
    if (rows.length === 0) return;
    const outcome = await store.apply(rows.flatMap((row) => removalWrites(model.find(row.kind), row, now())));
    if (outcome.ok) await new Promise(setImmediate);
  }
}
