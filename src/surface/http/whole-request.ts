// Plain requests that came whole, read without a parser's machinery. Only what can be read in one way is read here: an
// ordinary method, a path, headers of plain characters, each once, and the body of the length they tell. Of anything
// else (a piece of a request, a body in chunks, a tunnel, a name twice, an odd byte) this says nothing, and node:http
// has to judge it: see lane.ts.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Values } from '../../base/json.ts';
import { lastMade } from '../../base/last-made.ts';
import { isHost } from './host-names.ts';

export class WholeRequest {
  readonly complete = true;
  readonly method: string;
  readonly url: string;
  readonly fields: Fields;
  readonly content: Buffer;
  readonly socket: Socket;

  constructor(head: Head, content: Buffer, socket: Socket) {
    this.method = head.method;
    this.url = head.url;
    this.fields = head.fields;
    this.content = content;
    this.socket = socket;
  }

  get headers(): Readonly<IncomingHttpHeaders> {
    return this.fields.headers;
  }

  get destroyed(): boolean {
    return this.socket.destroyed;
  }
}

export interface Head {
  method: string;
  url: string;
  fields: Fields;
  bodyAt: number;
}

// All lines behind the first.
export interface Fields {
  bytes: Buffer; // from the end of the first line to that of the head
  headers: IncomingHttpHeaders;
  length: number; // of the body
  kept?: Values; // what a request remembers of them, as soon as one does
}

const mostHead = 8 * 1024;
const mostHeaders = 50;
const headEnd = '\r\n\r\n';
const firstLine = /^(GET|POST|PUT|PATCH|DELETE|HEAD) (\/[!-~]*) HTTP\/1\.1$/;
const header = /^([A-Za-z][A-Za-z0-9-]*):([\t -~]*)$/; // linear, whatever comes
// What speaks of the connection, or of a body that comes otherwise.
const unusual = new Set(['transfer-encoding', 'expect', 'upgrade', 'te', 'trailer', 'http2-settings', 'keep-alive']);

// `last`: those of the request before, for most clients say the same each time, and bytes are compared faster than made
// into texts. Undefined: not for us, or not all of it is here.
export function headOf(chunk: Buffer, last: Fields | undefined): Head | undefined {
  const line = chunk.indexOf(0x0d);
  if (line < 0) return undefined;
  const fields = last && isAt(chunk, line, last.bytes) ? last : fieldsOf(chunk, line);
  if (!fields) return undefined;
  const bodyAt = line + fields.bytes.length;
  if (bodyAt > mostHead || chunk.length < bodyAt + fields.length) return undefined;
  const [, method, url] = firstLineOf(chunk.toString('latin1', 0, line)) ?? [];
  return method === undefined || url === undefined ? undefined : { method, url, fields, bodyAt };
}

// Who calls the same again gets the same texts, which are compared by their address from there on.
const firstLineOf = lastMade((text: string) => firstLine.exec(text));

const isAt = (chunk: Buffer, at: number, bytes: Buffer): boolean => {
  const end = at + bytes.length;
  return chunk.length >= end && chunk.compare(bytes, 0, bytes.length, at, end) === 0;
};

function fieldsOf(chunk: Buffer, line: number): Fields | undefined {
  const end = chunk.indexOf(headEnd, line, 'latin1');
  if (end < 0 || end > mostHead || chunk[line + 1] !== 0x0a) return undefined;
  const bytes = Buffer.allocUnsafeSlow(end + headEnd.length - line); // its own: as long as it is kept, nothing else is
  chunk.copy(bytes, 0, line);
  const text = bytes.toString('latin1', 2, bytes.length - 2);
  const lines = text.split('\r\n');
  if (lines.pop() !== '' || lines.length > mostHeaders) return undefined;
  const headers: IncomingHttpHeaders = {};
  for (const line of lines) {
    const [, given, value] = header.exec(line) ?? [];
    const name = given?.toLowerCase();
    if (name === undefined || Object.hasOwn(headers, name) || unusual.has(name) || name.startsWith('proxy-'))
      return undefined;
    headers[name] = value?.trim(); // of blanks and tabs: there is nothing else in it to trim
  }
  if (!headers.host || !isHost(headers.host) || !/^(keep-alive)?$/i.test(headers.connection ?? '')) return undefined;
  const length = headers['content-length'] ?? '0';
  return /^\d{1,7}$/.test(length) ? { bytes, headers, length: Number(length) } : undefined;
}
