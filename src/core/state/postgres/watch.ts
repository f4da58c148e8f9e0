// Listens to the notifications of other nodes, on a separate connection. Whenever some may have been missed, all
// listeners are called: after each connect, and every second while there is no connection. Its heartbeat also detects a
// server that no longer responds (a machine that hangs, a cable that is cut), which no connection reports by itself.
import type { Client } from 'pg';
import { askClient, Connection, type ConnectionOptions, type Statement } from './connection.ts';
import { isTimeout } from './faults.ts';

const maxMissed = 4; // heartbeats without an answer
const heartbeat: Statement = { name: 'heartbeat', text: 'SELECT 1' };

export interface WatchOptions {
  connect: ConnectionOptions['connect'];
  channel: string;
  node: string;
  heartbeatMs: number;
  unresponsive: () => void;
}

type Listener = (detail: string) => void;

export class Watch {
  readonly #connection: Connection;
  readonly #options: WatchOptions;
  readonly #listeners = new Map<string, Set<Listener>>();
  #timer: NodeJS.Timeout | undefined;
  #missed = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#connection = new Connection({ connect: options.connect, opened: (client) => this.#listen(client) });
  }

  async open(): Promise<void> {
    await this.#connection.open();
    this.#timer = setInterval(() => this.#sendHeartbeat(), this.#options.heartbeatMs).unref();
  }

  add(topic: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  get reconnects(): number {
    return Math.max(0, this.#connection.reconnects);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#listeners.clear();
    await this.#connection.close();
  }

  async #listen(client: Client): Promise<void> {
    client.on('notification', ({ payload = '' }) => {
      const [node, topic = '', ...detail] = payload.split(' ');
      if (node === this.#options.node) return;
      for (const listener of this.#listeners.get(topic) ?? []) listener(detail.join(' '));
    });
    await askClient(client, { name: '', text: `LISTEN ${this.#options.channel}` });
    this.#missed = 0;
    this.#callAll();
  }

  // Detects and replaces a connection that died without notice.
  #sendHeartbeat(): void {
    if (++this.#missed === maxMissed) this.#options.unresponsive();
    this.#connection.query(heartbeat).then(
      () => {
        this.#missed = 0;
      },
      (error: unknown) => {
        if (!isTimeout(error)) this.#missed = 0; // an error is an answer too
        this.#callAll();
      },
    );
  }

  #callAll(): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener('');
  }
}
