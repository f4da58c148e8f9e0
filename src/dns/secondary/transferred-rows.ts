// The transferred contents of a secondary zone, in rows below it: records in wire form. A transfer is written in
// several write sets and counts when all its rows exist; then the rows of the previous transfer are removed.

import { pathOf } from '../../core/resource.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { TimeSlice } from '../../core/threads/time-slice.ts';
import { nameKey } from '../records/domain-name.ts';
import type { ZoneRecord } from '../server/zone-data.ts';
import { secondaryWrite } from '../zones/serial.ts';

export interface TransferredZone {
  serial: number;
  time: number; // ms, when it was transferred or found unchanged
  records: ZoneRecord[];
}

interface Chunk {
  serial: number;
  rows?: number; // of the whole transfer; absent: all of them were written at once
  records: [name: string, type: number, ttl: number, data: string][]; // data: base64
}

export const transferredKind = 'transferredrecords';
const recordsPerRow = 500;
const maxRowBytes = 100_000; // of the data of its records, unless it has only one
const rowsPerPage = 10;
const rowsPerSet = 10;
const placeBelow = (zone: Row): string => `${pathOf(zone)}/transferred`;

// Undefined: no transfer has succeeded yet.
export function readTransferred(store: Store, zone: Row): Promise<TransferredZone | undefined> {
  return newestTransfer<TransferredZone>(
    store,
    zone,
    (serial, time) => ({ serial, time, records: [] }),
    ({ records: all }, records) => {
      for (const [name, type, ttl, data] of records)
        all.push({ id: String(all.length), name, type, ttl, data: Buffer.from(data, 'base64') });
    },
  );
}

// Whether one of the names has a transferred record of the type. Only one row of the zone is in memory at a time.
export async function hasTransferred(
  store: Store,
  zone: Row,
  type: number,
  names: ReadonlySet<string>,
): Promise<boolean> {
  const found = await newestTransfer(
    store,
    zone,
    () => ({ has: false }),
    (transfer, records) => {
      transfer.has ||= records.some((record) => record[1] === type && names.has(nameKey(record[0])));
    },
  );
  return found?.has ?? false;
}

// Collects values from the rows of the newest complete transfer.
async function newestTransfer<T>(
  store: Store,
  zone: Row,
  begin: (serial: number, time: number) => T,
  add: (collected: T, records: Chunk['records']) => void,
): Promise<T | undefined> {
  const slice = new TimeSlice();
  let newest: { time: number; collected: T } | undefined;
  let current: { transfer: string; time: number; rows: number; collected: T } | undefined;
  for await (const row of store.each({ contract: zone.contract, place: placeBelow(zone) }, 'resource', rowsPerPage)) {
    const { serial, records, rows = 0 } = JSON.parse(row.body) as Chunk;
    const transfer = transferOf(row.id);
    if (current?.transfer !== transfer)
      current = { transfer, time: row.time, rows, collected: begin(serial, row.time) };
    add(current.collected, records);
    current.rows -= 1;
    if (current.rows <= 0 && current.time >= (newest?.time ?? 0)) newest = current;
    await slice.pause();
  }
  return newest?.collected;
}

// Replaces the previous transfer. False: the zone was changed or deleted in the meantime, and nothing is replaced.
export async function writeTransferred(
  store: Store,
  zone: Row,
  serial: number,
  records: readonly ZoneRecord[],
  now: number,
): Promise<boolean> {
  const { contract } = zone;
  const place = placeBelow(zone);
  const slice = new TimeSlice();
  const parts = [...partsOf(records)];
  const transfer = `${String(serial).padStart(10, '0')}-${String(now).padStart(15, '0')}`;
  // Not if the zone was removed in the meantime.
  const guard: Write = { op: 'guard', table: 'resource', key: zone, version: zone.version };
  const apply = async (writes: Write[]): Promise<boolean> => {
    const { ok } = await store.apply([...writes, guard]);
    await slice.pause();
    return ok;
  };
  let writes: Write[] = [];
  for (const [at, part] of parts.entries()) {
    const texts = part.map(({ name, type, ttl, data }) => [name, type, ttl, data.toString('base64')] as const);
    const body = JSON.stringify({ serial, rows: parts.length, records: texts });
    const id = `${transfer}-${String(at).padStart(9, '0')}`;
    const row = rowOf({ contract, place, id, kind: transferredKind, state: 'AVAILABLE', time: now, body });
    writes.push({ op: 'insert', table: 'resource', row });
    const isLast = at === parts.length - 1;
    if (isLast) writes.push(secondaryWrite(contract));
    else if (writes.length < rowsPerSet) continue;
    if (!(await apply(writes))) return false;
    writes = [];
  }
  for await (const rows of store.pages({ contract, place }, 'resource', rowsPerPage)) {
    const old = rows.filter(({ id }) => transferOf(id) !== transfer);
    const removals = old.map(
      ({ id }): Write => ({ op: 'remove', table: 'resource', key: { contract, place, id }, loose: true }),
    );
    if (removals.length > 0 && !(await apply(removals))) break; // the next transfer removes them
  }
  return true;
}

// The records of each row; one row at least.
function* partsOf(records: readonly ZoneRecord[]): Generator<readonly ZoneRecord[]> {
  let part: ZoneRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    if (part.length === recordsPerRow || (part.length > 0 && bytes + record.data.length > maxRowBytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(record);
    bytes += record.data.length;
  }
  yield part;
}

// `SERIAL-TIME-PART`
const transferOf = (id: string): string => id.slice(0, id.lastIndexOf('-'));
