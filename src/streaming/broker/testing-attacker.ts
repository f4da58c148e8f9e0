// A client in a thread, so that the time it takes to encrypt its requests does not count as time of the broker.
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

export interface Target {
  host: string | undefined;
  port: number;
  ca: string;
  key: string;
  cert: string;
}

export class Attacker {
  readonly #thread = new Worker(new URL(import.meta.url));

  // Connects and ends the handshake.
  async dial(target: Target): Promise<void> {
    await this.#ask(target);
  }

  // The frame of the answer, or undefined if the broker hangs up.
  async exchange(request: Buffer): Promise<Buffer | undefined> {
    const frame = await this.#ask(request);
    return frame && Buffer.from(frame);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  async #ask(message: Target | Buffer): Promise<Uint8Array | undefined> {
    this.#thread.postMessage(message);
    const [answer] = (await once(this.#thread, 'message')) as [Uint8Array | undefined];
    return answer;
  }
}

async function dial(target: Target): Promise<TLSSocket> {
  const socket = connect(target);
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

async function exchange(socket: TLSSocket, request: Uint8Array): Promise<Uint8Array | undefined> {
  socket.write(request);
  try {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of socket as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length >= 4 && length >= 4 + Buffer.concat(parts).readUInt32BE(0)) return Buffer.concat(parts).subarray(4);
    }
    return undefined;
  } finally {
    socket.destroy();
  }
}

if (!isMainThread) {
  let socket: TLSSocket | undefined;
  parentPort?.on('message', async (message: Target | Uint8Array) => {
    if (!(message instanceof Uint8Array)) {
      socket?.destroy();
      socket = await dial(message);
      parentPort?.postMessage(undefined);
    } else if (socket) parentPort?.postMessage(await exchange(socket, message));
  });
}
