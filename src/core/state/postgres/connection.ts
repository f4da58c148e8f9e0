// A connection that reopens itself. Statements are pipelined: sent without waiting for those before them. While the
// server is down every statement is refused at once, and reconnecting continues in the background.
import type { Client } from 'pg';
import { Fault } from '../../../base/fault.ts';
import { destroyClient } from './client.ts';
import { isAnswer, Lost, storeFault } from './faults.ts';

export interface Statement {
  name: string;
  text: string;
}

export interface Answer {
  command: string;
  rows: unknown[][];
}

export type Ask = (statement: Statement, values?: unknown[]) => Promise<Answer>;

export interface ConnectionOptions {
  connect: () => Promise<Client>;
  opened?: (client: Client) => Promise<void>; // before anybody else uses the connection
  down?: (fault: Fault) => void; // it could not be reopened at once
  refusal?: string; // how the fault's message ends; by default: nothing was changed
}

const pausesMs = [50, 100, 200, 500];

export class Connection {
  readonly #options: ConnectionOptions;
  #client: Client | undefined;
  #opening: Promise<Client> | undefined;
  #fault: Fault | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;
  #reopenWaiters: (() => void)[] = [];
  busy = 0;
  reconnects = -1;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get fault(): Fault | undefined {
    return this.#fault;
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  // The first time: a failure is thrown, not retried.
  async open(): Promise<void> {
    const client = await this.#options.connect();
    await this.#take(client);
  }

  async query(statement: Statement, values: unknown[] = []): Promise<Answer> {
    return ask(this.#client ?? (await this.#ready()), statement, values, this);
  }

  // For statements that belong together: all use the same connection, or fail when it is lost.
  async session(): Promise<Ask> {
    const client = this.#client ?? (await this.#ready());
    return (statement, values = []) => ask(client, statement, values, this);
  }

  // Resolves when the connection is open (again), at the latest after so many ms: true if it is.
  async reopened(ms: number): Promise<boolean> {
    if (this.#client || this.#closed) return this.connected;
    this.#reopen();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reopenWaiters.push(resolve);
    const limit = setTimeout(resolve, ms);
    await promise;
    clearTimeout(limit);
    return this.connected;
  }

  // Gives up what this connection was doing, and opens a new one.
  drop(client = this.#client): void {
    if (!client || client !== this.#client) return;
    this.#client = undefined;
    void client.end().catch(() => {});
    this.#reopen();
  }

  // The server does not respond though the connection is open: every statement is refused until a new one is open.
  abandon(): void {
    this.#refuse(new Lost('the server does not respond'));
    const client = this.#client;
    this.drop();
    if (client) destroyClient(client);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#opening?.catch(() => {});
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
    for (const wake of this.#reopenWaiters.splice(0)) wake();
  }

  async #ready(): Promise<Client> {
    if (this.#fault) throw this.#fault;
    if (this.#closed) throw new Lost('closed');
    this.#reopen();
    return this.#opening as Promise<Client>;
  }

  #reopen(): void {
    if (this.#closed || this.#client || this.#opening) return;
    clearTimeout(this.#timer);
    this.#opening = this.#attempt();
    this.#opening.catch(() => {});
  }

  async #attempt(): Promise<Client> {
    try {
      const client = await this.#options.connect();
      await this.#take(client);
      return client;
    } catch (error) {
      const known = storeFault(error, '') ? error : new Lost('it could not be connected to', { cause: error });
      const fault = this.#refuse(known);
      if (!this.#closed) this.#tryLater();
      throw fault;
    } finally {
      this.#opening = undefined;
    }
  }

  #refuse(error: unknown): Fault {
    const fault = storeFault(error, this.#options.refusal ?? 'nothing was changed') as Fault;
    this.#fault = fault;
    this.#options.down?.(fault);
    return fault;
  }

  #tryLater(): void {
    const pause = pausesMs[Math.min(this.#failures++, pausesMs.length - 1)];
    this.#timer = setTimeout(() => this.#reopen(), pause);
  }

  async #take(client: Client): Promise<void> {
    client.on('error', () => this.drop(client));
    client.on('end', () => this.drop(client));
    try {
      await this.#options.opened?.(client);
      if (this.#closed) throw new Lost('closed while connecting');
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    this.#fault = undefined;
    this.#failures = 0;
    this.reconnects += 1;
    for (const wake of this.#reopenWaiters.splice(0)) wake();
  }
}

export const askClient = (client: Client, statement: Statement, values: unknown[] = []): Promise<Answer> =>
  ask(client, statement, values);

function ask(client: Client, { name, text }: Statement, values: unknown[], connection?: Connection): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (connection) connection.busy += 1;
    void client.query({ name, text, values, rowMode: 'array' }, (error: Error | undefined, answer: unknown) => {
      if (connection) connection.busy -= 1;
      if (!error) return resolve(answer as Answer);
      if (isAnswer(error)) return reject(scrubbed(error));
      connection?.drop(client);
      reject(new Lost(error.message, { cause: error }));
    });
  });
}

// PostgreSQL quotes the refused row, which may hold secrets, and errors are logged.
const scrubbed = (error: Error): Error => Object.assign(error, { detail: undefined, where: undefined });

// Several connections for reads. Another is opened only when all open ones are busy.
export class Pool {
  readonly #options: ConnectionOptions;
  readonly #maxSize: number;
  readonly #connections: Connection[] = [];

  constructor(options: ConnectionOptions, maxSize: number) {
    this.#options = options;
    this.#maxSize = maxSize;
  }

  async open(): Promise<void> {
    await this.#add().open();
  }

  // Reads can be repeated. After an outage each connection may turn out to be dead, one by one.
  async query(statement: Statement, values: unknown[]): Promise<Answer> {
    for (let tries = this.#connections.length; ; tries--) {
      try {
        return await this.#least().query(statement, values);
      } catch (error) {
        // It may have waited for a connection that did not come back, while another one did.
        const isRefused = error instanceof Fault && this.#connections.some(({ connected }) => connected);
        if (tries === 0 || (!(error instanceof Lost) && !isRefused)) throw error;
      }
    }
  }

  abandon(): void {
    for (const connection of this.#connections) connection.abandon();
  }

  get size(): number {
    return this.#connections.filter((connection) => connection.connected).length;
  }

  get reconnects(): number {
    return this.#connections.reduce((sum, connection) => sum + Math.max(0, connection.reconnects), 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #least(): Connection {
    let least = this.#connections[0] as Connection;
    for (const one of this.#connections) if (one.connected && (one.busy < least.busy || !least.connected)) least = one;
    if (least.busy >= busyStatements && this.#connections.length < this.#maxSize) void this.#add().reopened(0);
    return least;
  }

  #add(): Connection {
    const connection = new Connection(this.#options);
    this.#connections.push(connection);
    return connection;
  }
}

const busyStatements = 8; // in flight on one connection
