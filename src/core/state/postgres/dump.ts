// Dumps of a PostgreSQL state, and loading them, each on a separate connection. A dump is one read-only transaction
// with a cursor: it sees one snapshot, and blocks only statements that truncate the tables. A load is one transaction
// that locks out writers.
import type { Client } from 'pg';
import { Fault } from '../../../base/fault.ts';
import { anyRow, dumpTables, inPages, notEmpty, pageRows, selectAll, shapeOf } from '../dump/dump.ts';
import type { Dump, DumpPage, DumpRow, DumpTable, StateCheck } from '../engine.ts';
import { unknownOutcome } from '../unknown-outcome.ts';
import { askClient } from './connection.ts';
import { isDamage, isRefusal, Lost, storeFault } from './faults.ts';

type Connect = () => Promise<Client>;

// Between two pages the reader may wait for a disk; the connection of a dead process closes by itself.
const longTimeouts = 'SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 600000';
const all = dumpTables.join(', ');

export async function* dumpPostgres(connect: Connect): AsyncGenerator<DumpPage> {
  let client: Client | undefined;
  try {
    client = await connect();
    await client.query(longTimeouts);
    // Locked before the snapshot is taken: a TRUNCATE would empty the tables for older snapshots too.
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE ${all} IN ACCESS SHARE MODE`);
    for (const table of dumpTables) {
      await client.query(`DECLARE pages NO SCROLL CURSOR FOR ${selectAll(table)}`);
      for (;;) {
        const { rows } = await askClient(client, { name: '', text: `FETCH ${pageRows} FROM pages` });
        for (const page of inPages(rows as unknown as DumpRow[])) yield { table, rows: page };
        if (rows.length < pageRows) break;
      }
      await client.query('CLOSE pages');
    }
  } catch (error) {
    throw faultOf(error, 'nothing could be read');
  } finally {
    await client?.end().catch(() => {});
  }
}

// Rows are read to their end: PostgreSQL itself compares the checksum of each page that it reads from the disk.
export async function checkPostgres(connect: Connect): Promise<StateCheck> {
  const found: StateCheck = { rows: 0, damage: [], notes: [await checksumsNote(connect)] };
  try {
    for await (const { rows } of dumpPostgres(connect)) found.rows += rows.length;
  } catch (error) {
    const cause = error instanceof Fault ? error.cause : undefined;
    if (!(cause instanceof Error) || !isDamage(cause)) throw error;
    found.damage.push(cause.message);
  }
  return found;
}

async function checksumsNote(connect: Connect): Promise<string> {
  let client: Client | undefined;
  try {
    client = await connect();
    const { rows } = await client.query('SHOW data_checksums');
    return rows[0]?.data_checksums === 'on'
      ? 'PostgreSQL compares the checksum of each page that it reads from the disk; pg_amcheck checks the indexes too.'
      : 'PostgreSQL was set up without checksums, so a flipped bit stays unnoticed: see pg_checksums --enable.';
  } catch (error) {
    throw faultOf(error, 'nothing could be read');
  } finally {
    await client?.end().catch(() => {});
  }
}

export async function loadPostgres(connect: Connect, pages: Dump, replace: boolean): Promise<void> {
  let client: Client | undefined;
  let committing = false;
  try {
    client = await connect();
    await client.query(`${longTimeouts}; BEGIN`);
    if (replace) await client.query(`TRUNCATE ${all}`);
    else await client.query(`LOCK TABLE ${all} IN EXCLUSIVE MODE`);
    const { rows: found } = await askClient(client, { name: '', text: anyRow() });
    if (found[0]?.[0] === true) throw notEmpty();
    // The next page is read while the database stores this one.
    let stored: Promise<unknown> = Promise.resolve();
    for await (const { table, rows } of pages) {
      const values = [asObjects(table, rows)];
      await stored;
      stored = askClient(client, { name: `load ${table}`, text: insertInto(table) }, values);
      stored.catch(() => {}); // reported at the next page, or after the last
    }
    await stored;
    committing = true;
    await askClient(client, { name: '', text: 'COMMIT' });
    // Vacuumed now; otherwise the first reads would set hint bits and write every page again.
    await client.query(`VACUUM (ANALYZE) ${all}`).catch(() => {});
  } catch (error) {
    if (committing && error instanceof Lost) throw unknownOutcome(error);
    throw faultOf(error, 'nothing was changed');
  } finally {
    await client?.end().catch(() => {}); // rolls back
  }
}

function insertInto(table: DumpTable): string {
  const { columns, whole } = shapeOf(table);
  const types = columns.map((name, at) => `${name} ${whole[at] ? 'bigint' : 'text'}`);
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${columns.join(', ')}
    FROM json_to_recordset($1::json) AS v(${types.join(', ')})`;
}

function asObjects(table: DumpTable, rows: readonly DumpRow[]): string {
  const names = shapeOf(table).columns.map((name) => `${JSON.stringify(name)}:`);
  const texts = rows.map((row) => `{${row.map((value, at) => names[at] + JSON.stringify(value)).join(',')}}`);
  return `[${texts.join(',')}]`;
}

// For statements sent without askClient: an error without a code is a broken connection.
function faultOf(error: unknown, then: string): unknown {
  const known = storeFault(error, then);
  if (known || !(error instanceof Error)) return known ?? error;
  if (isRefusal(error))
    return new Fault('refused', `a row has a character that PostgreSQL refuses, such as NUL: ${then}`, {
      cause: error,
    });
  const isBroken = !('code' in error) && /connection|timeout/i.test(error.message);
  return isBroken ? storeFault(new Lost(error.message, { cause: error }), then) : error;
}
