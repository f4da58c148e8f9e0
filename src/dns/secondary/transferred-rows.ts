// What a transfer has brought of a secondary zone, kept in rows below it: records as they were on the wire.
import { pathOf } from '../../core/resource.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
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
  records: [name: string, type: number, ttl: number, data: string][]; // data: base64
}

export const transferredKind = 'transferredrecords';
const recordsPerRow = 500;
const rowsPerTurn = 10; // that are parsed before other work gets its turn
const placeBelow = (zone: Row): string => `${pathOf(zone)}/transferred`;

// Undefined: it has not been transferred yet.
export async function readTransferred(store: Store, zone: Row): Promise<TransferredZone | undefined> {
  let found: TransferredZone | undefined;
  for await (const row of store.each({ contract: zone.contract, place: placeBelow(zone) })) {
    const { serial, records } = JSON.parse(row.body) as Chunk;
    found ??= { serial, time: row.time, records: [] };
    for (const [name, type, ttl, data] of records)
      found.records.push({ id: String(found.records.length), name, type, ttl, data: Buffer.from(data, 'base64') });
  }
  return found;
}

// Whether one of the names has a transferred record of the type.
export async function hasTransferred(
  store: Store,
  zone: Row,
  type: number,
  names: ReadonlySet<string>,
): Promise<boolean> {
  const scan = { contract: zone.contract, place: placeBelow(zone) };
  for await (const row of store.each(scan, 'resource', rowsPerTurn)) {
    const { records } = JSON.parse(row.body) as Chunk;
    if (records.some(([name, kind]) => kind === type && names.has(nameKey(name)))) return true;
  }
  return false;
}

// Replaces what was there, in one write set.
export async function writeTransferred(
  store: Store,
  zone: Row,
  serial: number,
  records: ZoneRecord[],
  now: number,
): Promise<void> {
  const { contract } = zone;
  const place = placeBelow(zone);
  const writes: Write[] = [];
  for await (const row of store.each({ contract, place }))
    writes.push({ op: 'remove', table: 'resource', key: { contract, place, id: row.id }, loose: true });
  for (let at = 0; at === 0 || at < records.length; at += recordsPerRow) {
    const chunk: Chunk = {
      serial,
      records: records
        .slice(at, at + recordsPerRow)
        .map(({ name, type, ttl, data }) => [name, type, ttl, data.toString('base64')]),
    };
    const id = `${String(serial).padStart(10, '0')}-${String(now).padStart(15, '0')}-${String(at).padStart(9, '0')}`;
    const body = JSON.stringify(chunk);
    const row = rowOf({ contract, place, id, kind: transferredKind, state: 'AVAILABLE', time: now, body });
    writes.push({ op: 'insert', table: 'resource', row });
  }
  writes.push(secondaryWrite(contract));
  // Not where the zone was removed meanwhile.
  writes.push({ op: 'guard', table: 'resource', key: zone, version: zone.version });
  await store.apply(writes);
}
