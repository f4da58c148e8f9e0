// One connection that comes back by itself. Statements are sent without waiting for those before them. While the
// server is gone everything is refused at once, and it is tried in the background until it answers.
import type { Socket } from 'node:net';
import type { Client } from 'pg';
import { Fault } from '../../../base/fault.ts';
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

export interface LinkOptions {
  connect: () => Promise<Client>;
  opened?: (client: Client) => Promise<void>; // before anybody else uses the connection
  down?: (fault: Fault) => void; // it could not be opened again at once
  refusal?: string; // what that means to who is refused then: nothing was changed
}

const pausesMs = [50, 100, 200, 500];

export class Link {
  readonly #options: LinkOptions;
  #client: Client | undefined;
  #opening: Promise<Client> | undefined;
  #fault: Fault | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;
  #awaiting: (() => void)[] = [];
  busy = 0;
  reconnects = -1;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get fault(): Fault | undefined {
    return this.#fault;
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  // The first time: whoever opens the store wants to know why it failed, not to wait.
  async open(): Promise<void> {
    const client = await this.#options.connect();
    await this.#take(client);
  }

  async query(statement: Statement, values: unknown[] = []): Promise<Answer> {
    return ask(this.#client ?? (await this.#ready()), statement, values, this);
  }

  // For statements that belong together: all go to this one connection, or fail when it is gone.
  async session(): Promise<Ask> {
    const client = this.#client ?? (await this.#ready());
    return (statement, values = []) => ask(client, statement, values, this);
  }

  // Resolves when the connection stands (again), at the latest after so many ms: true if it does.
  async back(ms: number): Promise<boolean> {
    if (this.#client || this.#closed) return this.connected;
    this.#reopen();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaiting.push(resolve);
    const limit = setTimeout(resolve, ms);
    await promise;
    clearTimeout(limit);
    return this.connected;
  }

  // Whatever this connection was doing is given up; a new one takes its place.
  drop(client = this.#client): void {
    if (!client || client !== this.#client) return;
    this.#client = undefined;
    void client.end().catch(() => {});
    this.#reopen();
  }

  // The server is silent though the connection stands: from now on everything is refused, until a new one is answered.
  silence(): void {
    this.#refuse(new Lost('it is silent'));
    const client = this.#client;
    this.drop();
    // `end` would wait for all answers.
    (client as unknown as { connection: { stream: Socket } } | undefined)?.connection.stream.destroy();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#opening?.catch(() => {});
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
    for (const wake of this.#awaiting.splice(0)) wake();
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
      if (this.#closed) throw new Lost('closed meanwhile');
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    this.#fault = undefined;
    this.#failures = 0;
    this.reconnects += 1;
    for (const wake of this.#awaiting.splice(0)) wake();
  }
}

export const askClient = (client: Client, statement: Statement, values: unknown[] = []): Promise<Answer> =>
  ask(client, statement, values);

function ask(client: Client, { name, text }: Statement, values: unknown[], link?: Link): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (link) link.busy += 1;
    void client.query({ name, text, values, rowMode: 'array' }, (error: Error | undefined, answer: unknown) => {
      if (link) link.busy -= 1;
      if (!error) return resolve(answer as Answer);
      if (isAnswer(error)) return reject(scrubbed(error));
      link?.drop(client);
      reject(new Lost(error.message, { cause: error }));
    });
  });
}

// PostgreSQL quotes the row it refused, which may hold secrets, and errors end up in logs.
const scrubbed = (error: Error): Error => Object.assign(error, { detail: undefined, where: undefined });

// Several links for reads. Another is opened only where those there are have much to do.
export class Pool {
  readonly #options: LinkOptions;
  readonly #most: number;
  readonly #links: Link[] = [];

  constructor(options: LinkOptions, most: number) {
    this.#options = options;
    this.#most = most;
  }

  async open(): Promise<void> {
    await this.#add().open();
  }

  // What only looks can be asked again. After an outage each connection may turn out to be dead, one by one.
  async query(statement: Statement, values: unknown[]): Promise<Answer> {
    for (let tries = this.#links.length; ; tries--) {
      try {
        return await this.#least().query(statement, values);
      } catch (error) {
        // It may have waited for one connection that does not come back, while another did.
        const isRefused = error instanceof Fault && this.#links.some(({ connected }) => connected);
        if (tries === 0 || (!(error instanceof Lost) && !isRefused)) throw error;
      }
    }
  }

  silence(): void {
    for (const link of this.#links) link.silence();
  }

  get size(): number {
    return this.#links.filter((link) => link.connected).length;
  }

  get reconnects(): number {
    return this.#links.reduce((sum, link) => sum + Math.max(0, link.reconnects), 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.close()));
  }

  #least(): Link {
    let least = this.#links[0] as Link;
    for (const link of this.#links) if (link.connected && (link.busy < least.busy || !least.connected)) least = link;
    if (least.busy >= enough && this.#links.length < this.#most) void this.#add().back(0);
    return least;
  }

  #add(): Link {
    const link = new Link(this.#options);
    this.#links.push(link);
    return link;
  }
}

const enough = 8;
