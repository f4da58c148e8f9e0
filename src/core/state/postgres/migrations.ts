// The schema of a PostgreSQL state, and the migrations from every older schema. Migrations only go forward, each in one
// transaction. An advisory lock lets one node at a time migrate; the others find the work done.
import type { Client } from 'pg';
import { Fault } from '../../../base/fault.ts';
import { linksOnce } from '../sqlite/migrations.ts';
import type { Address } from './address.ts';

// The collation "C" orders by bytes, as every engine must, whatever the locale of the database.
const columns = `
    contract bigint NOT NULL, place text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
    kind text NOT NULL, state text NOT NULL, version bigint NOT NULL, time bigint NOT NULL, owner text NOT NULL,
    meta text NOT NULL, body text NOT NULL, hidden text NOT NULL, PRIMARY KEY (contract, place, id)`;

const firstTables = ['resource', 'request', 'journal', 'activity', 'usage', 'claim', 'link'];

// Tables whose rows change often leave room on their pages for heap-only updates, which need no index change.
const roomy = 'WITH (fillfactor = 50)';

export const migrations: readonly string[] = [
  `${firstTables.map((table) => `CREATE TABLE ${table} (${columns});`).join('\n  ')}
  CREATE TABLE counter (
    contract bigint NOT NULL, name text COLLATE "C" NOT NULL, value bigint NOT NULL, PRIMARY KEY (contract, name)
  ) ${roomy};
  CREATE TABLE sequence (
    source text COLLATE "C" NOT NULL, contract bigint NOT NULL, place text COLLATE "C" NOT NULL,
    last bigint NOT NULL, time bigint NOT NULL, prior bigint, PRIMARY KEY (source, contract, place)
  ) ${roomy};
  CREATE TABLE lease (name text COLLATE "C" PRIMARY KEY, holder text NOT NULL, until bigint NOT NULL) ${roomy};
  -- The last committed batch of each node, in case its answer was lost: see node-row.ts.
  CREATE TABLE node (
    id text COLLATE "C" PRIMARY KEY, epoch bigint NOT NULL, batch bigint NOT NULL, result text NOT NULL,
    seen timestamptz NOT NULL
  ) ${roomy};`,
  linksOnce,
  `CREATE TABLE object (${columns});`,
];

export async function migrate(client: Client, { label, schema }: Address, list = migrations): Promise<void> {
  await demandOurs(client, label, schema);
  if ((await versionOf(client, schema)) === list.length) return;
  // Another node may be migrating, for as long as it needs.
  await client.query("SET statement_timeout = 0; SET lock_timeout = 0; SET client_min_messages = 'warning'");
  await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`cumulet ${schema}`]);
  try {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query(`CREATE TABLE IF NOT EXISTS ${schema}.migration (
      version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now())`);
    const found = (await versionOf(client, schema)) ?? 0;
    if (found > list.length) {
      const message = `${label} was written by a newer version of Cumulet (${found}, this one knows ${list.length}): `;
      throw new Fault('unavailable', `${message}start that version, or name another schema`);
    }
    for (let version = found; version < list.length; version++) {
      await client.query(`BEGIN; ${list[version]} INSERT INTO migration (version) VALUES (${version + 1}); COMMIT`);
    }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    await client.query('SELECT pg_advisory_unlock_all()').catch(() => {});
  }
}

// Our tables are not created among those of another program.
async function demandOurs(client: Client, label: string, schema: string): Promise<void> {
  const { rows } = await client.query(
    `SELECT relname AS name, EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'made') AS made
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY relname`,
    [schema],
  );
  if (rows.length === 0 || rows.some(({ name, made }) => name === 'migration' && made)) return;
  const names = rows.map(({ name }) => name);
  const some = names.length > 3 ? `${names.slice(0, 3).join(', ')} …` : names.join(', ');
  throw new Fault(
    'unavailable',
    `${label} holds tables of another program (${some}): name another schema by ?schema=NAME`,
  );
}

async function versionOf(client: Client, schema: string): Promise<number | undefined> {
  const there = await client.query('SELECT to_regclass($1) IS NOT NULL AS there', [`${schema}.migration`]);
  if (there.rows[0]?.there !== true) return undefined;
  const { rows } = await client.query(`SELECT coalesce(max(version), 0) AS version FROM ${schema}.migration`);
  return Number(rows[0]?.version);
}
