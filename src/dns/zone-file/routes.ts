// The zone file of a zone: read, and replaced by another one as a whole.

import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import { textOf } from '../../base/json.ts';
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
import { applyChange, withEntry } from '../../surface/change.ts';
import { textSchema } from '../../surface/docs/openapi.ts';
import type { Exchange, Reply, Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { findRegional, missing } from '../../surface/regional-dialect/find.ts';
import { regionalList } from '../../surface/regional-dialect/list.ts';
import { counterOf, limits } from '../zones/limits.ts';
import { checkedRecordName, checkRecord, type RecordValues, record, recordClaim } from '../zones/record.ts';
import { serialOf, serialWrite } from '../zones/serial.ts';
import { zone } from '../zones/zone.ts';
import { type ParsedRecord, parseZoneFile } from './parse.ts';
import { zoneFileOf } from './write.ts';

const mostBytes = 16 * 1024 * 1024;

export function zoneFileRoutes(machinery: Machinery): Route[] {
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
      summary: 'Replace all records by those of a BIND zone file; its SOA and the zone’s own NS lines are ignored',
      takesBytes: true,
      bodyLimit: mostBytes,
      bodyTypes: { 'text/plain': { ...textSchema, description: 'A BIND zone file' } },
      notedAfter: false,
      replySchema: { type: 'object' },
      resolve: (x) => findRegional(machinery, x, [], zone as Resource, 'change'),
      call: (x) => replaceAll(machinery, x),
    },
  ];
}

async function readFile({ store }: Machinery, x: Exchange): Promise<Reply> {
  const row = x.rows[0] as Row;
  const { zoneName } = JSON.parse(row.body) as { zoneName: string };
  const records = await store.children(row.contract, `${pathOf(row)}/records`);
  const values = records.map(({ body }) => JSON.parse(body) as RecordValues);
  const serial = serialOf(await store.engine.counters(row.contract), row.id);
  return { status: 200, body: zoneFileOf(zoneName, serial, values), type: 'text/plain; charset=utf-8' };
}

async function replaceAll(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { store, now } = machinery;
  const found = x.rows[0] as Row;
  const { zoneName } = JSON.parse(found.body) as { zoneName: string };
  const wanted = recordsOf(textOf(x.bytes), zoneName, found.id);
  await applyChange(store, async () => {
    const row = await store.at(found.contract, pathOf(found));
    if (!row || row.state === 'DELETING') throw missing();
    const old = await store.children(row.contract, `${pathOf(row)}/records`);
    const kept = new Set<string>();
    const writes: Write[] = [];
    for (const one of old) {
      const claim = recordClaim(row.id, JSON.parse(one.body) as RecordValues);
      const same = wanted.get(claim);
      if (same && JSON.stringify(same) === JSON.stringify(ordered(JSON.parse(one.body) as RecordValues)))
        kept.add(claim);
      else
        writes.push(
          { op: 'remove', table: 'resource', key: one, version: one.version },
          ...releaseWrites(one, reservationsOf(one), noReservations()),
        );
    }
    const total = (await store.counted(row.contract, counterOf('records'))) - old.length + wanted.size;
    if (total > limits.records)
      throw new Fault('refused', `The contract would have more than ${limits.records} records.`);
    for (const [claim, values] of wanted) if (!kept.has(claim)) writes.push(...creation(x, row, claim, values, now()));
    const targets = [targetOf(row, `${zone.actions}.import`)];
    return withEntry(x, { writes: [...writes, serialWrite(row.contract, row.id)], targets }, now());
  });
  return regionalList(machinery, record as Resource, x);
}

// By their claims: a record that the file has twice is made once.
function recordsOf(text: string, zoneName: string, zoneId: string): Map<string, RecordValues> {
  const wanted = new Map<string, RecordValues>();
  const names = new Map<string, Set<string>>(); // types by name
  for (const parsed of parseZoneFile(text, zoneName)) {
    const values = valuesOf(parsed, zoneName);
    wanted.set(recordClaim(zoneId, values), values);
    const types = names.get(values.name) ?? new Set();
    names.set(values.name, types.add(values.type));
    if (
      types.has('CNAME') &&
      (types.size > 1 || [...wanted.values()].filter((one) => one.name === values.name).length > 1)
    )
      throw new Fault(
        'refused',
        `Line ${parsed.line}: a CNAME can not be beside other records of the name ${values.name || '@'}.`,
      );
  }
  return wanted;
}

function valuesOf({ line, ...parsed }: ParsedRecord, zoneName: string): RecordValues {
  try {
    const values = ordered({ ...parsed, name: checkedRecordName(`${parsed.name}.`, zoneName) });
    checkRecord(values);
    return values;
  } catch (error) {
    if (error instanceof Fault) throw new Fault('refused', `Line ${line}: ${error.message}`);
    throw error;
  }
}

const ordered = ({ name, type, content, ttl, priority, enabled }: RecordValues): RecordValues => ({
  name,
  type,
  content,
  ttl,
  ...(priority != null && { priority }),
  enabled,
});

function creation(x: Exchange, above: Row, claim: string, values: RecordValues, time: number): Write[] {
  const { contract, owner } = above;
  const place = `${pathOf(above)}/records`;
  const reservations: Reservations = { claims: [claim], counts: { [counterOf('records')]: 1 }, links: [] };
  const row = rowOf({
    contract,
    place,
    id: uuid(),
    kind: record.name,
    state: 'AVAILABLE',
    time,
    owner,
    meta: madeBy(x.who, owner),
    body: JSON.stringify(values),
    hidden: hiddenText({}, reservations),
  });
  return [
    { op: 'insert', table: 'resource', row },
    ...reserveWrites(row, noReservations(), reservations, () => undefined),
  ];
}
