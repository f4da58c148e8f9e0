// The short way of a plain connection: requests that came whole (whole-request.ts) are answered right here, which takes
// half the time of node:http's way. The first thing that is unusual in any way ends it: the connection is handed to
// node:http with every byte that was not answered, and stays there. So limits, slow clients, pipes that trickle and
// whatever is wrong are node:http's to judge, as ever, and this has no rules of its own to get wrong.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { httpDate } from '../../base/clock.ts';
import { statusWords } from '../../base/http.ts';
import { lastMade } from '../../base/last-made.ts';
import type { Answer } from './exchange.ts';
import { readShared } from './shared-reads.ts';
import { type Fields, headOf, WholeRequest } from './whole-request.ts';

export interface LaneOptions {
  handle(request: WholeRequest, answer: Answer): void;
  refuse(socket: Socket): void; // one that was opened, and then nothing came
  mayOpen(socket: Socket): boolean;
  silentMs: number; // before the first request …
  idleMs: number; // … and after an answer
  lookMs: number; // how often that is looked at
}

export interface Lane {
  leave(): void; // from now on every answer says that its connection ends with it
  closeIdle(): void;
}

// Comes before node:http at the server's door.
export function openLane(server: Server, options: LaneOptions): Lane {
  const [native] = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const open = new Set<Connection>();
  const lane: Inside = {
    ...options,
    now: 0,
    isLeaving: false,
    open,
    fields: undefined,
    lasting: `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(options.idleMs / 1000)}\r\n\r\n`,
    handOver: (socket) => native?.call(server, socket),
  };
  const looking = setInterval(() => {
    lane.now += options.lookMs;
    for (const connection of open) connection.look();
  }, options.lookMs).unref();
  server.on('connection', (socket: Socket) => {
    if (options.mayOpen(socket)) open.add(new Connection(socket, lane));
  });
  server.once('close', () => clearInterval(looking));
  return {
    leave: () => {
      lane.isLeaving = true;
    },
    closeIdle: () => {
      for (const connection of open) connection.closeIdle();
    },
  };
}

interface Inside extends LaneOptions {
  now: number; // in steps of lookMs: all that it is for is to find out who is idle
  isLeaving: boolean;
  open: Set<Connection>;
  fields: Fields | undefined; // of the last request of all: connections of one client say the same
  lasting: string; // how the head of an answer ends
  handOver(socket: Socket): void;
}

class Connection {
  readonly socket: Socket;
  readonly #lane: Inside;
  #fields: Fields | undefined; // of the last request
  #rest: Buffer | undefined; // what has come behind a request that is not answered yet
  #isAnswering = false;
  #isTaking = false;
  #isDraining = false;
  #isOver = false;
  #isHandedOver = false;
  #isLast = false; // the client has said that nothing more comes
  #wasUsed = false;
  #idleSince: number;

  constructor(socket: Socket, lane: Inside) {
    this.socket = socket;
    this.#lane = lane;
    this.#idleSince = lane.now;
    if (!readShared(socket, this.#read)) socket.on('data', this.#came);
    socket.on('end', this.#ended);
    socket.on('error', destroyed);
    socket.on('close', this.#closed);
  }

  // Is this answer the last one?
  get isLeaving(): boolean {
    return this.#lane.isLeaving || (this.#isLast && !this.#rest);
  }

  get lasting(): string {
    return this.#lane.lasting;
  }

  look(): void {
    if (this.#isAnswering || this.socket.writableLength > 0) {
      this.#idleSince = this.#lane.now; // it is not idle as long as an answer is on its way
      return;
    }
    const idleMs = this.#lane.now - this.#idleSince;
    if (this.#wasUsed ? idleMs <= this.#lane.idleMs : idleMs <= this.#lane.silentMs) return;
    if (this.#wasUsed) this.socket.destroy();
    else {
      this.#letGo();
      this.#lane.refuse(this.socket.resume());
    }
  }

  closeIdle(): void {
    if (!this.#isAnswering) this.#end();
  }

  // What was written still goes out; what comes now is not looked at any more, for nobody would hear of it.
  #end(): void {
    this.#isOver = true;
    this.#rest = undefined;
    this.socket.destroySoon();
  }

  // An answer is out: its last bytes are with the socket.
  answered(): void {
    this.#isAnswering = false;
    this.#idleSince = this.#lane.now;
    if (this.isLeaving) this.#end();
    else if (this.#rest && !this.#isTaking) this.#take();
  }

  readonly #read = (bytes: Buffer): boolean => {
    if (this.#isHandedOver) return this.socket.push(Buffer.from(bytes));
    this.#came(bytes);
    if (this.#rest) this.#rest = Buffer.from(this.#rest);
    return true;
  };

  readonly #came = (chunk: Buffer): void => {
    if (this.#isOver) return;
    this.#rest = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    if (this.#isAnswering || this.socket.writableNeedDrain) this.#wait();
    else this.#take();
  };

  // One at a time, and none whose client takes no answers: most of what it sends meanwhile stays in the system's hands.
  // A little is read, for only who reads hears that a client has left.
  #wait(): void {
    if (this.#rest && this.#rest.length >= mostAhead) this.socket.pause();
    if (this.#isAnswering || this.#isDraining) return;
    this.#isDraining = true;
    this.socket.once('drain', () => {
      this.#isDraining = false;
      this.#take();
    });
  }

  #take(): void {
    this.#isTaking = true;
    while (this.#rest && !this.#isAnswering && !this.socket.destroyed) {
      if (this.socket.writableNeedDrain) {
        this.#wait();
        break;
      }
      const chunk = this.#rest;
      const head = headOf(chunk, this.#fields ?? this.#lane.fields);
      if (!head) {
        this.#handOver(chunk);
        return;
      }
      const end = head.bodyAt + head.fields.length;
      this.#rest = end < chunk.length ? chunk.subarray(end) : undefined;
      this.#fields = head.fields;
      this.#lane.fields = head.fields;
      this.#isAnswering = true;
      this.#wasUsed = true;
      const request = new WholeRequest(head, contentOf(chunk, head.bodyAt, end), this.socket);
      this.#lane.handle(request, new LaneAnswer(this, head.method === 'HEAD'));
    }
    this.#isTaking = false;
    if (!this.#rest && this.socket.isPaused()) this.socket.resume();
  }

  #handOver(bytes: Buffer): void {
    const { socket } = this;
    this.#letGo();
    if (this.#isLast) return void socket.destroySoon(); // no parser can be told any more what came after its end
    socket.unshift(Buffer.from(bytes));
    this.#lane.handOver(socket);
    socket.resume();
  }

  #letGo(): void {
    const { socket } = this;
    this.#isHandedOver = true;
    this.#rest = undefined;
    this.#lane.open.delete(this);
    socket.off('data', this.#came).off('end', this.#ended).off('error', destroyed).off('close', this.#closed);
  }

  readonly #ended = (): void => {
    this.#isLast = true;
    if (!this.#isAnswering && !this.#rest) this.#end();
  };

  readonly #closed = (): void => {
    this.#lane.open.delete(this);
  };
}

const mostAhead = 64 * 1024;
const none = Buffer.alloc(0);
const contentOf = (chunk: Buffer, from: number, to: number): Buffer =>
  from === to ? none : Buffer.from(chunk.subarray(from, to));

function destroyed(this: Socket): void {
  this.destroy(); // a client may leave at any time
}

const impossible = /[^\t\x20-\x7e\x80-\xff]/; // in a header's value: it might begin another one

// Lines of a head begin with the end of the one before. What is joined beforehand is one piece, for each piece of an
// answer takes its time: headers that say the same in each answer are kept whole, of the others how they begin.
const lines = new Map<string, { front: string; value: string; line: string; changes: number }>();
const mostChanges = 1000;

function lineOf(name: string, value: string): string {
  const known = lines.get(name);
  const isKept = !known || known.changes < mostChanges;
  if (isKept && known?.value === value) return known.line;
  if (impossible.test(value)) throw new Error(`the header ${name} has an impossible value`);
  if (!isKept) return known.front + value;
  const front = known?.front ?? ['\r\n', name, ': '].join('');
  const line = [front, value].join('');
  lines.set(name, { front, value, line, changes: known ? known.changes + 1 : 0 });
  return line;
}

const firstLines = new Map<number, string>();

function firstLineOf(status: number): string {
  let line = firstLines.get(status);
  if (line === undefined) {
    line = ['HTTP/1.1 ', status, ' ', statusWords[status] ?? 'Unknown'].join('');
    firstLines.set(status, line);
  }
  return line;
}

// How a head ends: with the date, and whether the connection stays.
const endOf = lastMade((date: string, lasting: string): string => ['\r\nDate: ', date, '\r\n', lasting].join(''));

class LaneAnswer implements Answer {
  readonly socket: Socket;
  readonly #connection: Connection;
  readonly #isHead: boolean;
  #head = '';
  #isChunked = false;

  constructor(connection: Connection, isHead: boolean) {
    this.socket = connection.socket;
    this.#connection = connection;
    this.#isHead = isHead;
  }

  get destroyed(): boolean {
    return this.socket.destroyed;
  }

  writeHead(status: number, headers: readonly string[]): void {
    let head = firstLineOf(status);
    let isMeasured = status === 204 || status === 304;
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at] as string;
      if (name === 'Content-Length') isMeasured = true;
      head += lineOf(name, headers[at + 1] as string);
    }
    this.#isChunked = !isMeasured && !this.#isHead;
    if (this.#isChunked) head += '\r\nTransfer-Encoding: chunked';
    this.#head = head + endOf(httpDate(), this.#connection.isLeaving ? ending : this.#connection.lasting);
  }

  // One text is made, looked at and written: each other way, a part of it would be copied once more.
  endPlain(status: number, headers: readonly string[], content: string): boolean {
    this.writeHead(status, headers);
    const text = this.#head + content;
    if (this.#isChunked || Buffer.byteLength(text) !== text.length) return false;
    this.socket.write(text, 'latin1');
    this.#connection.answered();
    return true;
  }

  write(content: string | Buffer): boolean {
    const { socket } = this;
    const size = Buffer.byteLength(content);
    socket.cork();
    this.#writeHead();
    if (size > 0 && this.#isChunked) socket.write(`${size.toString(16)}\r\n`);
    if (size > 0) socket.write(content);
    if (size > 0 && this.#isChunked) socket.write('\r\n');
    socket.uncork();
    return !socket.writableNeedDrain;
  }

  end(content: string | Buffer = '', encoding: BufferEncoding = 'utf8'): void {
    if (encoding === 'latin1' && !this.#isChunked) this.socket.write(this.#head + content, encoding);
    else {
      this.write(content);
      if (this.#isChunked) this.socket.write('0\r\n\r\n');
    }
    this.#connection.answered();
  }

  destroy(): void {
    this.socket.destroy();
  }

  #writeHead(): void {
    if (this.#head !== '') this.socket.write(this.#head, 'latin1');
    this.#head = '';
  }
}

const ending = 'Connection: close\r\n\r\n';
