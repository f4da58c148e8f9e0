// HTTP by hand, for requests that no client library would send: the bytes are sent unchanged, and the first answer is
// parsed. A call without an answer in time is a hang, and fails.
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { limits } from '../../src/testing/limits.ts';
import type { Answer } from './region.ts';

export async function wire(url: string, bytes: string | Buffer, limitMs?: number): Promise<Answer<unknown>> {
  const socket = dial(url);
  socket.write(bytes);
  return answerOn(socket, limitMs);
}

export function dial(url: string, servername?: string): Socket {
  const { protocol, hostname, port } = new URL(url);
  const at = { host: hostname, port: Number(port) };
  // The certificate is not checked here, because other tests do.
  if (protocol === 'https:')
    return connectSecurely({ ...at, rejectUnauthorized: false, ...(servername && { servername }) });
  return connect({ ...at, noDelay: true });
}

export async function answerOn(socket: Socket, limitMs: number = limits.request): Promise<Answer<unknown>> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer<unknown>>();
  let got = Buffer.alloc(0);
  const limit = setTimeout(() => {
    reject(new Error(`no answer in ${limitMs} ms; so far: ${got.toString('latin1').slice(0, 200)}`));
    socket.destroy();
  }, limitMs);
  const look = (): void => {
    const answer = parse(got);
    if (answer) resolve(answer);
  };
  socket.on('data', (chunk: Buffer) => {
    got = Buffer.concat([got, chunk]);
    look();
  });
  socket.on('error', (error) => {
    look();
    reject(error);
  });
  socket.on('close', () => {
    look();
    reject(new Error(`closed without an answer; so far: ${got.toString('latin1').slice(0, 200)}`));
  });
  return promise.finally(() => {
    clearTimeout(limit);
    socket.destroy();
  });
}

function parse(bytes: Buffer): Answer<unknown> | undefined {
  const cut = bytes.indexOf('\r\n\r\n');
  if (cut < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, cut).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines)
    headers[line.slice(0, line.indexOf(':')).toLowerCase()] = line.slice(line.indexOf(':') + 1).trim();
  const length = Number(headers['content-length'] ?? 0);
  const content = bytes.subarray(cut + 4);
  if (content.length < length) return undefined;
  const status = Number(first.split(' ')[1]);
  if (status === 100) return parse(content);
  const text = content.toString('utf8', 0, length);
  const isJson = length > 0 && headers['content-type'] === 'application/json';
  return { status, headers, body: isJson ? JSON.parse(text) : text };
}

export function head(method: string, path: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
