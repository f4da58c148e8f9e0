// Hears what other nodes have touched, on a connection of its own. Whenever it can't be known what was missed, all who
// watch are called: after each connecting, and every second while there is no connection. Its beat also finds out that
// the server has fallen silent (a machine that hangs, a wire that is cut), which no connection tells by itself.
import type { Client } from 'pg';
import { askClient, Link, type LinkOptions, type Statement } from './connection.ts';
import { isTimeout } from './faults.ts';

const mostMissed = 4; // beats without an answer: the server is silent
const beat: Statement = { name: 'beat', text: 'SELECT 1' };

export interface WatchOptions {
  connect: LinkOptions['connect'];
  channel: string;
  node: string;
  beatMs: number;
  silent: () => void;
}

export class Watch {
  readonly #link: Link;
  readonly #options: WatchOptions;
  readonly #listeners = new Map<string, Set<() => void>>();
  #timer: NodeJS.Timeout | undefined;
  #missed = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#link = new Link({ connect: options.connect, opened: (client) => this.#listen(client) });
  }

  async open(): Promise<void> {
    await this.#link.open();
    this.#timer = setInterval(() => this.#beat(), this.#options.beatMs).unref();
  }

  add(topic: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  get reconnects(): number {
    return Math.max(0, this.#link.reconnects);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#listeners.clear();
    await this.#link.close();
  }

  async #listen(client: Client): Promise<void> {
    client.on('notification', ({ payload = '' }) => {
      const [node, topic = ''] = payload.split(' ');
      if (node !== this.#options.node) for (const listener of this.#listeners.get(topic) ?? []) listener();
    });
    await askClient(client, { name: '', text: `LISTEN ${this.#options.channel}` });
    this.#missed = 0;
    this.#callAll();
  }

  // A connection that died in silence is found out by this, and replaced.
  #beat(): void {
    if (++this.#missed === mostMissed) this.#options.silent();
    this.#link.query(beat).then(
      () => {
        this.#missed = 0;
      },
      (error: unknown) => {
        if (!isTimeout(error)) this.#missed = 0; // a refusal is an answer, and others get it too
        this.#callAll();
      },
    );
  }

  #callAll(): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener();
  }
}
