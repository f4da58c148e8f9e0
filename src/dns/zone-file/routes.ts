// The zone file of a zone: read it, or replace all records by another file.

import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import { missingRow } from '../../core/missing-resource.ts';
import { hiddenText } from '../../core/operation/operation.ts';
import { targetOf } from '../../core/operation/request.ts';
import {
  noReservations,
  type Reservations,
  releaseWrites,
  reservationsOf,
  reserveWrites,
} from '../../core/operation/reservations.ts';
import { pathOf, type Resource } from '../../core/resource.ts';
import { madeBy } from '../../core/stamps.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import { sortInSlices, TimeSlice } from '../../core/threads/time-slice.ts';
import { withEntry } from '../../surface/change.ts';
import { textSchema } from '../../surface/docs/openapi.ts';
import type { Exchange, Reply, Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { findRegional } from '../../surface/regional-dialect/find.ts';
import { regionalList } from '../../surface/regional-dialect/list.ts';
import {
  contentBytesOf,
  countedContent,
  countedContentOf,
  counterOf,
  demandContent,
  demandNames,
  limits,
} from '../zones/limits.ts';
import { orderedRecord, type RecordValues, record, recordClaim, type ServedNames } from '../zones/record.ts';
import { serialCounter, serialOf, serialWrite } from '../zones/serial.ts';
import { zone } from '../zones/zone.ts';
import { readZoneFile, type ZoneFile } from './read-file.ts';
import { headLines, lineOf } from './write.ts';

const maxBytes = 16 * 1024 * 1024;
const rowsPerPage = 50; // a record may have 64 KB
const writesPerSet = 1000;
const maxSetLength = 500_000;
const maxTries = 50;

export function zoneFileRoutes(machinery: Machinery, served: ServedNames): Route[] {
  return [
    {
      method: 'GET',
      path: '/zones/{zoneId}/zonefile',
      operation: 'zonefile_get',
      summary: 'Read the zone as a BIND zone file',
      replySchema: textSchema,
      replyTypes: ['text/plain'],
      resolve: (x) => findRegional(machinery, x, [], zone as Resource, 'get'),
      call: (x) => readFile(machinery, x),
    },
    {
      method: 'PUT',
      path: '/zones/{zoneId}/zonefile',
      operation: 'zonefile_replace',
      summary: 'Replace all records by those of a BIND zone file; its SOA and NS lines of the zone itself are ignored',
      takesBytes: true,
      bodyLimit: maxBytes,
      bodyTypes: { 'text/plain': { ...textSchema, description: 'A BIND zone file' } },
      notedAfter: false,
      replySchema: { type: 'object' },
      resolve: (x) => findRegional(machinery, x, [], zone as Resource, 'change'),
      call: (x) => replaceAll(machinery, served, x),
    },
  ];
}

async function readFile({ store }: Machinery, x: Exchange): Promise<Reply> {
  const row = x.rows[0] as Row;
  const { zoneName } = JSON.parse(row.body) as { zoneName: string };
  const slice = new TimeSlice();
  const lines: string[] = [];
  let hasServers = false;
  for await (const rows of store.pages(recordsBelow(row), 'resource', rowsPerPage)) {
    for (const { body } of rows) {
      const values = JSON.parse(body) as RecordValues;
      hasServers ||= values.type === 'NS' && values.name === '';
      lines.push(lineOf(values));
      await slice.pause();
    }
  }
  await sortInSlices(lines, (a, b) => (a < b ? -1 : a > b ? 1 : 0), slice);
  const serial = serialOf(await store.engine.counters(row.contract, [serialCounter(row.id)]), row.id);
  const head = headLines(zoneName, serial, !hasServers);
  return { status: 200, stream: piecesOf(head, lines), type: 'text/plain; charset=utf-8' };
}

// Yields lines in pieces of about this many characters: a whole zone in one text would delay other calls.
const pieceLength = 64 * 1024;

async function* piecesOf(...parts: (readonly string[])[]): AsyncGenerator<string> {
  let piece = '';
  for (const lines of parts) {
    for (const line of lines) {
      piece += `${line}\n`;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
  }
  yield piece;
}

const recordsBelow = (row: Row) => ({ contract: row.contract, place: `${pathOf(row)}/records` });

async function replaceAll(machinery: Machinery, served: ServedNames, x: Exchange): Promise<Reply> {
  const { store } = machinery;
  const found = x.rows[0] as Row;
  const { zoneName } = JSON.parse(found.body) as { zoneName: string };
  const file = await readZoneFile(x.bytes, zoneName, found.id, found.contract);
  // One file per contract at a time, because the limits apply to all its zones together.
  await store.runExclusive(`zone file ${found.contract}`, async () => {
    demandNames(served.names(found.contract, found.id) + file.names);
    for (let tries = 0; tries < maxTries; tries++) if (await applyFile(machinery, x, found, file)) return;
    throw new Fault('unavailable', 'Others change the records of the zone at the same time. Try again.', {
      retryAfterS: 1,
    });
  });
  return regionalList(machinery, record as Resource, x);
}

// Writes some hundred records per write set, so that other calls are served in between. All changes of a name are in
// one set if they fit. False: something else has changed the zone; another try finds the remaining changes.
async function applyFile(machinery: Machinery, x: Exchange, found: Row, file: ZoneFile): Promise<boolean> {
  const { store, now } = machinery;
  const row = await store.at(found.contract, pathOf(found));
  if (!row || row.state === 'DELETING') throw missingRow(found);
  const slice = new TimeSlice();
  const guard: Write = { op: 'guard', table: 'resource', key: row, version: row.version };
  const changes = await changesOf(machinery, row, file);
  const every = [guard, serialWrite(row.contract, row.id)]; // of each set: by the serial other nodes notice it
  let writes: Write[] = [...every];
  let length = 0; // of the rows
  for (const part of writesOf(x, row, changes, now())) {
    writes.push(...part);
    for (const write of part) if ('row' in write) length += write.row.body.length;
    if (writes.length < writesPerSet && length < maxSetLength) continue;
    if (!(await store.apply(writes)).ok) return false;
    writes = [...every];
    length = 0;
    await slice.pause();
  }
  const targets = [targetOf(row, `${zone.actions}.import`)];
  const last = withEntry(x, { writes, targets }, now());
  return (await store.apply(last)).ok;
}

type Added = readonly [claim: string, body: string];

type Removed = Pick<Row, 'id' | 'version' | 'hidden'>;

interface NameChanges {
  removed: Removed[];
  added: Added[];
}

// By name. Unchanged records stay.
async function changesOf({ store }: Machinery, row: Row, file: ZoneFile): Promise<Map<string, NameChanges>> {
  const changes = new Map<string, NameChanges>();
  const at = (name: string): NameChanges => {
    const known = changes.get(name) ?? { removed: [], added: [] };
    changes.set(name, known);
    return known;
  };
  const slice = new TimeSlice();
  const kept = new Set<string>();
  let [oldRecords, oldBytes] = [0, 0];
  for await (const rows of store.pages(recordsBelow(row), 'resource', rowsPerPage)) {
    for (const one of rows) {
      const values = JSON.parse(one.body) as RecordValues;
      const claim = recordClaim(row.id, values);
      oldRecords += 1;
      oldBytes += contentBytesOf(one);
      if (file.wanted.get(claim)?.body === JSON.stringify(orderedRecord(values))) kept.add(claim);
      else at(values.name).removed.push({ id: one.id, version: one.version, hidden: one.hidden });
      await slice.pause();
    }
  }
  const total = (await store.counted(row.contract, counterOf('records'))) - oldRecords + file.records;
  if (total > limits.records)
    throw new Fault('refused', `The contract would have more than ${limits.records} records.`);
  demandContent((await countedContentOf(store, row.contract)) - oldBytes + file.contentBytes);
  for (const [claim, { name, body }] of file.wanted) {
    if (!kept.has(claim)) at(name).added.push([claim, body]);
    await slice.pause();
  }
  return changes;
}

function* writesOf(
  x: Exchange,
  above: Row,
  changes: ReadonlyMap<string, NameChanges>,
  time: number,
): Generator<Write[]> {
  for (const { removed, added } of changes.values()) {
    for (const one of removed) yield removal(above, one);
    for (const one of added) yield creation(x, above, one, time);
  }
}

function removal(above: Row, removed: Removed): Write[] {
  const key = { contract: above.contract, place: recordsBelow(above).place, id: removed.id };
  return [
    { op: 'remove', table: 'resource', key, version: removed.version },
    ...releaseWrites(key, reservationsOf(removed), noReservations()),
  ];
}

function creation(x: Exchange, above: Row, [claim, body]: Added, time: number): Write[] {
  const { contract, owner } = above;
  const place = `${pathOf(above)}/records`;
  const { content } = JSON.parse(body) as RecordValues;
  const counts = { [counterOf('records')]: 1, ...countedContent(content) };
  const reservations: Reservations = { claims: [claim], counts, links: [] };
  const row = rowOf({
    contract,
    place,
    id: uuid(),
    kind: record.name,
    state: 'AVAILABLE',
    time,
    owner,
    meta: madeBy(x.who, owner),
    body,
    hidden: hiddenText({}, reservations),
  });
  return [
    { op: 'insert', table: 'resource', row },
    ...reserveWrites(row, noReservations(), reservations, () => undefined),
  ];
}
