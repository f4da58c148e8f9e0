// Carries connections from machines to the region over one stream, whose other end (relay-script.ts) listens in the
// network of the machines. A frame is the number of a connection, a kind, and a length with that many bytes. Each end
// sends at most `windowBytes` of a connection before the other end has returned credit for them. So a slow connection
// never stops the stream, and buffers are bounded.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const kinds = { open: 0, data: 1, end: 2, reset: 3, credit: 4 } as const;
const headerBytes = 9;
const windowBytes = 262_144;

interface Connection {
  socket: Socket;
  credit: number;
}

interface Frame {
  number: number;
  kind: number;
  data: Buffer;
}

export class RegionRelay {
  readonly #stream: Duplex;
  readonly #connect: (port: number) => Socket;
  readonly #connections = new Map<number, Connection>();

  // `connect` opens a half-open connection to the region for one that a machine has opened to the port.
  constructor(stream: Duplex, connect: (port: number) => Socket) {
    this.#stream = stream;
    this.#connect = connect;
    stream.on('error', () => undefined); // run() reports it
    stream.on('drain', () => {
      for (const connection of this.#connections.values()) this.#resume(connection);
    });
  }

  // Resolves or rejects when the stream has ended, and closes all connections.
  async run(): Promise<void> {
    try {
      for await (const frame of framesOf(this.#stream)) this.#take(frame);
    } finally {
      this.#stream.destroy();
      for (const { socket } of this.#connections.values()) socket.destroy();
    }
  }

  #take({ number, kind, data }: Frame): void {
    if (kind === kinds.open) {
      this.#open(number, data.readUInt32BE());
      return;
    }
    const connection = this.#connections.get(number);
    if (!connection) return; // it was reset in the meantime
    const { socket } = connection;
    if (kind === kinds.data)
      socket.write(data, (error) => {
        if (!error) this.#send(number, kinds.credit, numberBytes(data.length));
      });
    else if (kind === kinds.end) socket.end();
    else if (kind === kinds.credit) {
      connection.credit += data.readUInt32BE();
      this.#resume(connection);
    } else {
      this.#connections.delete(number);
      socket.resetAndDestroy();
    }
  }

  #open(number: number, port: number): void {
    const socket = this.#connect(port);
    const connection: Connection = { socket, credit: windowBytes };
    this.#connections.set(number, connection);
    socket.on('data', (chunk: Buffer) => {
      connection.credit -= chunk.length;
      this.#send(number, kinds.data, chunk);
      if (connection.credit <= 0 || this.#stream.writableNeedDrain) socket.pause();
    });
    socket.once('end', () => this.#send(number, kinds.end));
    socket.on('error', () => undefined); // 'close' follows
    socket.once('close', () => {
      const hasEnded = socket.readableEnded && socket.writableFinished;
      if (this.#connections.delete(number) && !hasEnded) this.#send(number, kinds.reset);
    });
  }

  #resume({ socket, credit }: Connection): void {
    if (credit > 0 && !this.#stream.writableNeedDrain) socket.resume();
  }

  #send(number: number, kind: number, data: Buffer = Buffer.alloc(0)): void {
    if (!this.#stream.writable) return;
    const header = Buffer.alloc(headerBytes);
    header.writeUInt32BE(number);
    header.writeUInt8(kind, 4);
    header.writeUInt32BE(data.length, 5);
    this.#stream.write(Buffer.concat([header, data]));
  }
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

async function* framesOf(stream: Duplex): AsyncGenerator<Frame> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= headerBytes) {
      const end = headerBytes + held.readUInt32BE(5);
      if (held.length < end) break;
      yield { number: held.readUInt32BE(), kind: held.readUInt8(4), data: held.subarray(headerBytes, end) };
      held = held.subarray(end);
    }
  }
}
