// Hears what other nodes have touched, on a connection of its own. Whenever it can't be known what was missed, all who
// watch are called: after each connecting, and every second while there is no connection.
import type { Client } from 'pg';
import { askClient, Link, type LinkOptions, type Statement } from './postgres-link.ts';

const beatMs = 1000;
const beat: Statement = { name: 'beat', text: 'SELECT 1' };

export class Watch {
  readonly #link: Link;
  readonly #own: string;
  readonly #listeners = new Map<string, Set<() => void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(connect: LinkOptions['connect'], channel: string, node: string) {
    this.#own = node;
    this.#link = new Link({ connect, opened: (client) => this.#listen(client, channel) });
  }

  async open(): Promise<void> {
    await this.#link.open();
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
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

  async #listen(client: Client, channel: string): Promise<void> {
    client.on('notification', ({ payload = '' }) => {
      const [node, topic = ''] = payload.split(' ');
      if (node !== this.#own) for (const listener of this.#listeners.get(topic) ?? []) listener();
    });
    await askClient(client, { name: '', text: `LISTEN ${channel}` });
    this.#callAll();
  }

  // A connection that died in silence is found out by this, and replaced.
  #beat(): void {
    this.#link.query(beat).catch(() => this.#callAll());
  }

  #callAll(): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener();
  }
}
