// One question that is asked thousands of times a second, on a connection of its own. pg opens it (address, TLS,
// password); from then on its bytes are written and read here, for what pg does around a question costs as much as the
// asking. Whatever is unusual in an answer ends the connection, and who asked goes the long way.
import type { Socket } from 'node:net';
import type { Client } from 'pg';
import { askClient, Link, type LinkOptions, type Statement } from './postgres-link.ts';

type Answered = (value: string | undefined) => void;

export class Question {
  readonly #link: Link;
  readonly #statement: Statement;
  readonly #bytes: Buffer;
  #stream: Socket | undefined;
  #waiting: Answered[] = []; // in the order of their answers

  // The statement takes no values and finds one text.
  constructor(connect: LinkOptions['connect'], statement: Statement) {
    this.#link = new Link({ connect, opened: (client) => this.#take(client) });
    this.#statement = statement;
    this.#bytes = asking(statement.name);
  }

  open(): Promise<void> {
    return this.#link.open();
  }

  // Undefined where it can't be asked here.
  ask(): Promise<string | undefined> {
    const stream = this.#stream;
    if (!stream) {
      void this.#link.back(0);
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      stream.write(this.#bytes);
    });
  }

  silence(): void {
    this.#link.silence();
  }

  get reconnects(): number {
    return Math.max(0, this.#link.reconnects);
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  async #take(client: Client): Promise<void> {
    await askClient(client, this.#statement); // from now on the server knows it by its name
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners('data');
    stream.on('data', (bytes: Buffer) => {
      if (!this.#read(bytes)) stream.destroy();
    });
    stream.once('close', () => {
      if (this.#stream !== stream) return;
      this.#stream = undefined;
      for (const answered of this.#waiting.splice(0)) answered(undefined);
    });
    this.#stream = stream;
  }

  // False: these bytes are not the answers that were waited for, or not whole.
  #read(bytes: Buffer): boolean {
    let text: string | undefined;
    for (let at = 0; at < bytes.length; ) {
      if (at + 5 > bytes.length) return false;
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (end > bytes.length || end < at + 5) return false;
      const kind = bytes[at];
      if (kind === kinds.row) text = bytes.toString('latin1', at + 11, end);
      else if (kind === kinds.ready) {
        if (text === undefined || this.#waiting.length === 0) return false;
        this.#waiting.shift()?.(text);
        text = undefined;
      } else if (kind !== kinds.bound && kind !== kinds.complete && kind !== kinds.notice && kind !== kinds.setting)
        return false;
      at = end;
    }
    return text === undefined;
  }
}

// The kinds of message that are awaited, by their first byte.
const kinds = { bound: 0x32, row: 0x44, complete: 0x43, ready: 0x5a, notice: 0x4e, setting: 0x53 };

// Bind without values, execute, sync: https://www.postgresql.org/docs/current/protocol-message-formats.html
function asking(name: string): Buffer {
  const message = (kind: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(5, kind);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const bind = Buffer.concat([Buffer.from(`\0${name}\0`), Buffer.alloc(6)]);
  return Buffer.concat([message('B', bind), message('E', Buffer.alloc(5)), message('S', Buffer.alloc(0))]);
}
