// A plain connection with one request under way at a time: bytes out, and of an answer only its status and its end.
import { connect, type Socket } from 'node:net';

const bufferBytes = 256 * 1024;

export class Line {
  readonly #socket: Socket;
  #answer = new Framing();
  #settle: (status: number) => void = () => {};
  #fail: (error: Error) => void = () => {};

  static async open(port: number): Promise<Line> {
    const line = new Line(port);
    await new Promise<void>((resolve, reject) => line.#socket.once('connect', resolve).once('error', reject));
    return line;
  }

  // All answers are read into one buffer, so that reading a large one costs little.
  private constructor(port: number) {
    const take = (bytes: number, buffer: Uint8Array): boolean => {
      this.#take(Buffer.from(buffer.buffer, buffer.byteOffset, bytes));
      return true;
    };
    const onread = { buffer: Buffer.alloc(bufferBytes), callback: take };
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed a connection')));
  }

  #take(bytes: Buffer): void {
    const status = this.#answer.take(bytes);
    if (status === 0) return;
    this.#answer = new Framing();
    this.#settle(status);
  }

  send(...pieces: (Buffer | string)[]): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      this.#socket.cork();
      for (const piece of pieces) this.#socket.write(piece);
      this.#socket.uncork();
    });
  }

  // A body that is too large to be held: each piece is written when the one before it has left.
  async sendLong(head: string, piece: Buffer, times: number): Promise<number> {
    const answered = this.send(head);
    for (let sent = 0; sent < times; sent++)
      if (!this.#socket.write(piece)) await new Promise((resolve) => this.#socket.once('drain', resolve));
    return answered;
  }

  close(): void {
    this.#fail = () => {};
    this.#socket.end();
  }
}

const lastChunk = Buffer.from('\r\n0\r\n\r\n');

// Finds the end of one answer: by its length, or by the last chunk, whose bytes never occur in JSON or XML.
class Framing {
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  #left = 0;
  #chunked = false;
  #tail: Buffer = Buffer.alloc(0);

  // The status when the answer is whole, else 0. The bytes are used again by the next read.
  take(chunk: Buffer): number {
    if (this.#status > 0) return this.#more(chunk);
    this.#head = Buffer.concat([this.#head, chunk]);
    const cut = this.#head.indexOf('\r\n\r\n');
    if (cut < 0) return 0;
    const head = this.#head.toString('latin1', 0, cut);
    this.#status = Number(head.slice(9, 12));
    this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    this.#chunked = /\r\ntransfer-encoding: *chunked/i.test(head);
    return this.#more(this.#head.subarray(cut + (this.#chunked ? 2 : 4)));
  }

  #more(chunk: Buffer): number {
    if (!this.#chunked) {
      this.#left -= chunk.length;
      return this.#left > 0 ? 0 : this.#status;
    }
    this.#tail = chunk.length >= lastChunk.length ? chunk : Buffer.concat([this.#tail, chunk]);
    this.#tail = Buffer.from(this.#tail.subarray(-lastChunk.length));
    return this.#tail.equals(lastChunk) ? this.#status : 0;
  }
}
