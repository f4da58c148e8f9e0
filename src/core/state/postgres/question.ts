// One question that is asked thousands of times a second, on a connection of its own. pg opens it (address, TLS,
// password); from then on its bytes are written and read here, for what pg does around a question costs as much as the
// asking. Whatever is unusual in an answer, or no answer, ends the connection, and who asked goes the long way until
// there is a new one.
import type { Socket } from 'node:net';
import type { Client } from 'pg';
import { askClient, Link, type LinkOptions, type Statement } from './connection.ts';

type Answered = (value: string | undefined) => void;

const mostMissed = 4; // beats without an answer

export interface QuestionOptions {
  connect: LinkOptions['connect'];
  statement: Statement; // takes no values and finds one text
  beatMs: number;
}

export class Question {
  readonly #link: Link;
  readonly #options: QuestionOptions;
  readonly #bytes: Buffer;
  #line: Line | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: QuestionOptions) {
    this.#link = new Link({ connect: options.connect, opened: (client) => this.#take(client) });
    this.#options = options;
    this.#bytes = asking(options.statement.name);
  }

  async open(): Promise<void> {
    await this.#link.open();
    this.#timer = setInterval(() => this.#line?.beat(), this.#options.beatMs).unref();
  }

  // Undefined where it can't be asked here: the link is at it to be opened again.
  ask(): Promise<string | undefined> {
    return this.#line?.ask(this.#bytes) ?? Promise.resolve(undefined);
  }

  silence(): void {
    this.#link.silence();
  }

  get reconnects(): number {
    return Math.max(0, this.#link.reconnects);
  }

  async close(): Promise<void> {
    await this.#link.close();
    clearInterval(this.#timer);
  }

  async #take(client: Client): Promise<void> {
    await askClient(client, this.#options.statement); // from now on the server knows it by its name
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    const line = new Line(stream);
    stream.removeAllListeners('data');
    stream.on('data', (bytes: Buffer) => line.read(bytes));
    stream.once('close', () => {
      if (this.#line === line) this.#line = undefined;
      line.end();
    });
    this.#line = line;
  }
}

// One connection, and who waits for its answers, in their order.
class Line {
  readonly #stream: Socket;
  readonly #waiting: Answered[] = [];
  #rest: Buffer | undefined; // of a message that has not come whole
  #text: string | undefined; // the answer that is being read
  #answers = 0;
  #seen = 0; // of them, at the last beat
  #missed = 0;

  constructor(stream: Socket) {
    this.#stream = stream;
  }

  ask(bytes: Buffer): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#stream.write(bytes);
    });
  }

  // A connection that is dead does not tell; only that nothing comes does.
  beat(): void {
    this.#missed = this.#waiting.length > 0 && this.#answers === this.#seen ? this.#missed + 1 : 0;
    this.#seen = this.#answers;
    if (this.#missed >= mostMissed) this.#stream.destroy();
  }

  end(): void {
    for (const answered of this.#waiting.splice(0)) answered(undefined);
  }

  read(chunk: Buffer): void {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    while (at + headBytes <= bytes.length) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (end > bytes.length && end <= at + mostBytes) break; // the rest of it will come
      if (end > bytes.length || end < at + headBytes || !this.#hear(bytes, at, end)) {
        this.#stream.destroy();
        return;
      }
      at = end;
    }
    this.#rest = at < bytes.length ? bytes.subarray(at) : undefined;
  }

  // False: not a message that was waited for.
  #hear(bytes: Buffer, at: number, end: number): boolean {
    switch (bytes[at]) {
      case kinds.row:
        this.#text = bytes.toString('latin1', at + 11, end);
        return true;
      case kinds.ready: {
        const [text, answered] = [this.#text, this.#waiting.shift()];
        this.#text = undefined;
        this.#answers += 1;
        answered?.(text);
        return text !== undefined && answered !== undefined;
      }
      default:
        return passedOver.has(bytes[at] as number);
    }
  }
}

const headBytes = 5; // a message's kind and length
const mostBytes = 64 * 1024;

// The kinds of messages that come, by their first byte.
const kinds = { bound: 0x32, row: 0x44, complete: 0x43, ready: 0x5a, notice: 0x4e, setting: 0x53 };
const passedOver = new Set([kinds.bound, kinds.complete, kinds.notice, kinds.setting]);

// Bind without values, execute, sync: https://www.postgresql.org/docs/current/protocol-message-formats.html
function asking(name: string): Buffer {
  const message = (kind: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(headBytes, kind);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const bind = Buffer.concat([Buffer.from(`\0${name}\0`), Buffer.alloc(6)]);
  return Buffer.concat([message('B', bind), message('E', Buffer.alloc(5)), message('S', Buffer.alloc(0))]);
}
