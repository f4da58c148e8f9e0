// The state in PostgreSQL, for one node or several. One connection writes, several read, one listens. Every commit is
// on the server's disk before it is acknowledged. Reads see committed data, including all acknowledged writes.
import type { Client } from 'pg';
import { Fault } from '../../../base/fault.ts';
import { uuid } from '../../../base/ids.ts';
import type { Dump, Lease, Outcome, Row, Scan, StateCheck, StateEngine, Table, WriteSet } from '../engine.ts';
import type { StateFigures } from '../figures.ts';
import { limitOf, planScan, queryOf, restOfRow, rowFrom } from '../scan.ts';
import { SingleFlight } from '../single-flight.ts';
import { type Address, parseAddress } from './address.ts';
import { type Connect, connector } from './client.ts';
import { CommitQueue } from './commit-queue.ts';
import { type Answer, Connection, Pool, type Statement } from './connection.ts';
import { checkPostgres, dumpPostgres, loadPostgres } from './dump.ts';
import { adviceOn, codeOf, storeFault } from './faults.ts';
import { migrate, migrations } from './migrations.ts';
import { leave, NodeRow } from './node-row.ts';
import { Watch } from './watch.ts';

export interface PostgresOptions {
  url: string;
  poolSize?: number; // connections for reads
  heartbeatMs?: number; // interval between checks that the server still answers
  outcomeTimeoutMs?: number; // how long the outcome of a batch is looked for after its connection broke
  migrations?: readonly string[];
}

export async function openPostgres(options: PostgresOptions): Promise<StateEngine> {
  const address = parseAddress(options.url);
  const connect = await connector(address);
  let engine: PostgresEngine | undefined;
  try {
    await prepare(connect, address, options.migrations ?? migrations);
    engine = new PostgresEngine(connect, address, options);
    await engine.open();
    return engine;
  } catch (error) {
    await engine?.close();
    if (error instanceof Fault) throw error;
    const reason = storeFault(error, '')?.message.slice(0, -2) ?? (error instanceof Error ? error.message : 'unknown');
    throw new Fault('unavailable', `${address.label} can not be opened (${reason}): ${adviceOn(error)}`, {
      cause: error,
    });
  }
}

async function prepare(connect: Connect, address: Address, list: readonly string[]): Promise<void> {
  const client = await connect({ query_timeout: 0 });
  try {
    const { rows } = await client.query('SHOW server_encoding');
    if (rows[0]?.server_encoding !== 'UTF8')
      throw new Fault(
        'unavailable',
        `${address.label} holds ${rows[0]?.server_encoding}, not UTF8: name another database`,
      );
    await migrate(client, address, list);
  } finally {
    await client.end();
  }
}

// PostgreSQL's texts can't hold a NUL, so a key with one matches no row.
const noText = '22021';

const currentState: Statement = { name: 'current', text: 'SELECT pg_current_snapshot()::text' };
const countersOf: Statement = { name: 'counters', text: 'SELECT name, value FROM counter WHERE contract = $1' };
const namedCounters: Statement = { name: 'named counters', text: `${countersOf.text} AND name = ANY($2)` };
// Uses the database's clock, read after the row is locked.
const leasing: Statement = {
  name: 'lease',
  text: `INSERT INTO lease (name, holder, until) VALUES ($1, $2, ${nowMs()} + $3) ON CONFLICT (name) DO UPDATE
    SET holder = excluded.holder, until = ${nowMs()} + $3
    WHERE lease.holder = excluded.holder OR lease.until <= ${nowMs()} RETURNING 1`,
};

const unleasing: Statement = {
  name: 'unlease',
  text: 'DELETE FROM lease WHERE name = $1 AND holder = $2 RETURNING 1',
};
const leasesOf: Statement = {
  name: 'leases',
  text: `SELECT name, holder, until - ${nowMs()} FROM lease WHERE starts_with(name, $1) ORDER BY name`,
};

class PostgresEngine implements StateEngine {
  readonly exclusive = false;
  readonly #connect: Connect;
  readonly #writer: Connection;
  readonly #readers: Pool;
  readonly #watch: Watch;
  readonly #queue: CommitQueue;
  readonly #node = new NodeRow(uuid());
  readonly #current: SingleFlight<string>;
  #closing: Promise<void> | undefined;

  constructor(connect: Connect, { schema }: Address, options: PostgresOptions) {
    const { poolSize = 4, outcomeTimeoutMs = 10_000, heartbeatMs = 1000 } = options;
    const channel = `cumulet_${schema}`;
    this.#connect = connect;
    const opened = (client: Client): Promise<void> => this.#node.register(client);
    this.#writer = new Connection({ connect, opened, down: (fault) => this.#queue.refuse(fault) });
    this.#queue = new CommitQueue({ connection: this.#writer, node: this.#node, channel, outcomeTimeoutMs });
    this.#readers = new Pool({ connect, refusal: 'nothing could be read' }, poolSize);
    this.#watch = new Watch({
      connect: () => connect({ query_timeout: 2000 }),
      channel,
      node: this.#node.id,
      heartbeatMs,
      unresponsive: () => this.#abandon(),
    });
    this.#current = new SingleFlight(() => this.#queryCurrent());
  }

  async open(): Promise<void> {
    await Promise.all([this.#writer.open(), this.#readers.open(), this.#watch.open()]);
  }

  async get(table: Table, contract: number, place: string, id: string): Promise<Row | undefined> {
    const { rows } = await this.#query(getting(table), [contract, place, id]);
    return rows[0] && rowFrom(contract, place, id, rows[0], 0);
  }

  async range(table: Table, scan: Scan): Promise<Row[]> {
    const plan = planScan(scan);
    if (this.#closing) throw closed();
    if (!plan) return [];
    const { rows } = await this.#query(ranging(queryOf(table, plan)), [
      ...plan.values,
      limitOf(scan),
      scan.offset ?? 0,
    ]);
    return rows.map((row) => rowFrom(row[0] as number, row[1] as string, row[2] as string, row, 3));
  }

  async counters(contract: number, names?: readonly string[]): Promise<Map<string, number>> {
    const { rows } = await (names
      ? this.#query(namedCounters, [contract, names])
      : this.#query(countersOf, [contract]));
    return new Map(rows as [string, number][]);
  }

  apply(set: WriteSet, topics: readonly string[] = []): Promise<Outcome> {
    if (this.#closing) return Promise.reject(closed());
    return this.#queue.push(set, topics);
  }

  async lease(name: string, holder: string, ms: number): Promise<boolean> {
    if (ms <= 0) return (await this.#query(unleasing, [name, holder])).rows.length > 0;
    const { rows } = await this.#query(leasing, [name, holder, ms]);
    return rows.length > 0;
  }

  async leases(prefix: string): Promise<Lease[]> {
    const { rows } = await this.#query(leasesOf, [prefix]);
    return rows.map(([name, holder, leftMs]) => ({ name, holder, leftMs }) as Lease);
  }

  // Commits and rolled back transactions change the snapshot's text; nothing else does.
  current(): Promise<string> {
    return this.#current.get();
  }

  watch(topic: string, listener: (detail: string) => void): () => void {
    return this.#watch.add(topic, listener);
  }

  dump(): Dump {
    return dumpPostgres(() => this.#openAnother());
  }

  load(pages: Dump, replace: boolean): Promise<void> {
    return loadPostgres(() => this.#openAnother(), pages, replace);
  }

  check(): Promise<StateCheck> {
    return checkPostgres(() => this.#openAnother());
  }

  figures(): StateFigures {
    return {
      ...this.#queue.figures(),
      reconnects: Math.max(0, this.#writer.reconnects) + this.#readers.reconnects + this.#watch.reconnects,
      poolSize: this.#readers.size,
      connected: this.#writer.connected ? 1 : 0,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.drain();
    if (this.#writer.connected) await this.#writer.query(leave, [this.#node.id]).catch(() => {});
    await Promise.all([this.#writer.close(), this.#readers.close(), this.#watch.close()]);
  }

  // Callers don't wait for a server that may never answer; when it is back, the outcome of the running batch is read.
  #abandon(): void {
    this.#readers.abandon();
    this.#writer.abandon();
  }

  async #queryCurrent(): Promise<string> {
    return (await this.#query(currentState, [])).rows[0]?.[0] as string;
  }

  // A separate connection for long work.
  #openAnother(): Promise<Client> {
    return this.#closing ? Promise.reject(closed()) : this.#connect({ query_timeout: 0 });
  }

  async #query(statement: Statement, values: unknown[]): Promise<Answer> {
    if (this.#closing) throw closed();
    try {
      return await this.#readers.query(statement, values);
    } catch (error) {
      if (codeOf(error) === noText) return { command: '', rows: [] };
      const fault = storeFault(error, 'nothing could be read') ?? error;
      throw fault instanceof Fault ? asRead(fault) : fault;
    }
  }
}

// The fault of a lost connection speaks of changes.
const asRead = (fault: Fault): Fault =>
  new Fault(fault.kind, fault.message.replace('nothing was changed', 'nothing could be read'), fault.detail);

const getters: Partial<Record<Table, Statement>> = {};
function getting(table: Table): Statement {
  getters[table] ??= {
    name: `get ${table}`,
    text: `SELECT ${restOfRow} FROM ${table} WHERE contract = $1 AND place = $2 AND id = $3`,
  };
  return getters[table];
}

const ranges = new Map<string, Statement>();
function ranging(query: string): Statement {
  let statement = ranges.get(query);
  if (!statement) {
    let value = 0;
    statement = { name: `range ${ranges.size}`, text: query.replaceAll('?', () => `$${++value}`) };
    ranges.set(query, statement);
  }
  return statement;
}

function nowMs(): string {
  return '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
}

const closed = (): Fault => new Fault('unavailable', 'the state is closed: nothing was changed');
