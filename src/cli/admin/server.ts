// The admin socket of a running region: JSON over HTTP on a Unix socket in the data folder (on Windows, a named pipe),
// which only the folder's owner can open. It needs no token: a process that can open it may do everything.
import { chmodSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../base/fault.ts';
import { machineRefusal } from '../../base/file-error.ts';
import { createServer } from '../../base/http.ts';
import { type Json, parseJson } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import { socketPlace } from '../region/socket-path.ts';

const socketName = 'admin.sock';

// A handler may return an iterable: its items are sent as lines of JSON until it ends or the client leaves.
export type Handlers = Readonly<Record<string, (body: Json) => Promise<unknown>>>;

export interface Admin {
  close(): Promise<void>; // takes no new calls; resolves when running calls are answered
}

const mostBytes = 1024 * 1024;

// The caller holds the folder's lock, so an existing socket file is stale.
export async function openAdmin(folder: string, handlers: Handlers, log: Log): Promise<Admin> {
  const server = createServer((req, res) => void answer(handlers, log, req, res));
  const socket = socketPlace(folder, socketName);
  const { path, file } = socket;
  if (file !== undefined) rmSync(file, { force: true });
  try {
    await listen(server, path);
    if (file !== undefined) chmodSync(file, 0o600);
  } catch (error) {
    server.close();
    socket.close();
    throw new Fault(
      'unavailable',
      `The socket ${file ?? path} can't be opened (${(error as NodeJS.ErrnoException).code}).`,
      {
        cause: error,
      },
    );
  }
  return {
    close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => {
        socket.close(); // removes the file too
        resolve();
      });
      server.closeIdleConnections();
      return promise;
    },
  };
}

// The umask keeps others out between listen and chmod.
function listen(server: Server, path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  const before = process.umask(0o177);
  try {
    server.listen(path, resolve);
  } finally {
    process.umask(before);
  }
  return promise;
}

async function answer(handlers: Handlers, log: Log, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const name = (req.url ?? '').slice(1);
  const reply = (status: number, value: unknown): void => {
    res.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
    res.end(JSON.stringify(value));
  };
  try {
    const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
    if (!handler)
      throw new Fault('missing', `This region does not know the operation '${name}'. It may run another version.`);
    const value = await handler(parseJson(await bodyOf(req)));
    if (isStream(value))
      await pipeline(linesOf(value), res).catch(() => {}); // the client left
    else reply(200, value ?? null);
  } catch (error) {
    if (error instanceof Fault)
      return reply(400, { messages: error.problems.map(({ message }) => message.replace('[(root).', '[')) });
    log.error('admin call failed', { operation: name, error });
    const refusal = machineRefusal(error);
    if (refusal !== undefined) reply(400, { messages: [refusal] });
    else reply(500, { messages: [`The region failed at '${name}'. See its log for the reason.`] });
  }
}

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

async function* linesOf(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw new Fault('oversized', `The request has more than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
