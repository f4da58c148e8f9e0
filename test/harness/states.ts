// Where the regions of tests keep their state, and a look at its rows past the region: read from the store itself,
// because the API would not show what should not be there. CUMULET_STATE=postgres puts the state of every region into
// PostgreSQL: a schema for each data folder.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tables, unpacked } from '../../src/testing/black-box/rows.ts';
import { freshUrl } from '../../src/testing/postgres.ts';

export const onPostgres = process.env.CUMULET_STATE === 'postgres';
export const noFile = onPostgres && 'it is about the file of SQLite, and the state is in PostgreSQL';

const urls = new Map<string, string>(); // by data folder

// The options of `up` for a data folder.
export async function stateFor(data: string): Promise<string[]> {
  const url = urls.get(data) ?? (onPostgres ? await freshUrl() : undefined);
  if (url === undefined) return [];
  urls.set(data, url);
  return ['--state', url];
}

// A copy of a data folder, or a node's own, belongs to the state of another.
export function shareState(data: string, url: string | undefined): void {
  if (url !== undefined) urls.set(data, url);
}

export const urlOf = (data: string): string | undefined => urls.get(data);

export interface Rows {
  ask(sql: string): Promise<Record<string, unknown>[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

// Both engines have the same tables and columns. SQLite's file is only read.
export async function openRows(data: string): Promise<Rows> {
  const url = urls.get(data);
  if (url !== undefined) return openSchema(url);
  const db = new DatabaseSync(join(data, 'state.db'), { readOnly: true });
  // There a row's parts are one text; a view of each table shows them as columns.
  for (const name of ['kind', 'state', 'owner', 'hidden', 'meta', 'body'] as const)
    db.function(`${name}_of`, (rest) => unpacked(0, '', '', 1, 0, String(rest))[name]);
  for (const table of tables)
    db.exec(`CREATE TEMP VIEW ${table} AS SELECT contract, place, id, kind_of(rest) AS kind, state_of(rest) AS state,
      version, time, owner_of(rest) AS owner, meta_of(rest) AS meta, body_of(rest) AS body, hidden_of(rest) AS hidden
      FROM main.${table}`);
  return {
    ask: async (sql) => db.prepare(sql).all(),
    [Symbol.asyncDispose]: async () => db.close(),
  };
}

async function openSchema(text: string): Promise<Rows> {
  const { default: pg } = await import('pg');
  const url = new URL(text);
  const schema = url.searchParams.get('schema') ?? 'cumulet';
  url.search = '';
  const client = new pg.Client({ connectionString: url.href, options: `-c search_path=${schema}` });
  await client.connect();
  return {
    async ask(sql) {
      const { rows, fields } = await client.query<Record<string, unknown>>(sql);
      // Large whole numbers come as text; ours are all small enough.
      const whole = fields.filter(({ dataTypeID }) => dataTypeID === bigint).map(({ name }) => name);
      for (const row of rows) for (const name of whole) row[name] = Number(row[name]);
      return rows;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const bigint = 20;
