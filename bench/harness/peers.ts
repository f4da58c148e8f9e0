// The peers of the benchmarks: plain node:http servers that do the minimum for such an answer, each a child
// process on the servers' core, and moto_server, a well-known local cloud.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Answer } from './call.ts';
import { cacheFolder, end, start, within } from './children.ts';

export interface Peer {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

// bytes: writes the answer unchanged · stringify: serializes its body from the object each time
// parse: reads and parses the request's body first
type Way = 'bytes' | 'stringify' | 'parse';

interface Order {
  way: Way;
  answer: Answer;
}

// A peer sends the very headers that the region sent, so that both write and the generator reads equally much.
export async function rawHttp(way: Way, answer: Answer): Promise<Peer> {
  const child = start('server', process.execPath, [fileURLToPath(import.meta.url)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const listening = new Promise<number>((resolve, reject) => {
    child.once('message', (port: number) => resolve(port));
    child.once('exit', () => reject(new Error(`the ${way} peer ended`)));
  });
  const order: Order = { way, answer };
  child.send(order);
  const port = await within(10_000, `start of the ${way} peer`, listening);
  return { port, pid: child.pid ?? 0, stop: () => end(child) };
}

const motoPackage = 'moto[server]==5.2.5';

// The path of moto_server's program, installed on first use; a sentence where that can't be.
export async function motoServer(): Promise<{ python: string; program: string } | { missing: string }> {
  const folder = join(cacheFolder, 'moto-5.2.5');
  const python = join(folder, 'bin/python');
  const program = join(folder, 'bin/moto_server');
  if (existsSync(program)) return { python, program };
  const run = promisify(execFile);
  try {
    await run('python3', ['--version']);
  } catch {
    return { missing: 'python3 is not on PATH' };
  }
  process.stderr.write(`installing ${motoPackage} into the cache folder, once\n`);
  try {
    await mkdir(cacheFolder, { recursive: true });
    await run('python3', ['-m', 'venv', folder], { timeout: 120_000 });
    await run(python, ['-m', 'pip', 'install', '--quiet', motoPackage], { timeout: 600_000 });
    return { python, program };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    const reason = (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1);
    return { missing: `${motoPackage} could not be installed: ${reason}` };
  }
}

function listener({ way, answer }: Order, sendDate: boolean): RequestListener {
  const { status, headers, body } = answer;
  // A text is sent in one write with the head, which is faster; a Buffer would take two.
  if (way === 'bytes') {
    return (_, response) => {
      response.sendDate = sendDate;
      response.writeHead(status, headers).end(body);
    };
  }
  if (way === 'stringify') {
    const object: unknown = JSON.parse(body);
    const others = headers.filter((_, at) => !/^content-length$/i.test(headers[at - (at % 2)] ?? ''));
    return (_, response) => {
      const text = JSON.stringify(object);
      response.sendDate = sendDate;
      response.writeHead(status, [...others, 'Content-Length', String(Buffer.byteLength(text))]).end(text);
    };
  }
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString());
      response.sendDate = sendDate;
      response.writeHead(parsed ? status : 422, headers).end(body);
    });
  };
}

function serve(order: Order): void {
  const names = order.answer.headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  // node:http sets these by itself, so they are switched on or off instead of being copied.
  const own = ['date', 'connection', 'keep-alive', 'transfer-encoding'];
  const headers = order.answer.headers.filter((_, at, all) => !own.includes((all[at - (at % 2)] ?? '').toLowerCase()));
  const answer = { ...order.answer, headers };
  const server = createServer(listener({ ...order, answer }, names.includes('date')));
  if (!names.includes('keep-alive')) server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address && typeof address === 'object') process.send?.(address.port);
  });
}

if (import.meta.main) {
  process.once('message', serve);
  process.once('disconnect', () => process.exit());
}
