// Plain requests that came whole, read without a parser's machinery. Only what can be read in one way is read here: an
// ordinary method, a path, headers of plain characters, each once, and the body of the length they tell. Of anything
// else (a piece of a request, a body in chunks, a tunnel, a name twice, an odd byte) this says nothing, and node:http
// has to judge it: see lane.ts.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Values } from '../base/json.ts';

export class WholeRequest {
  readonly complete = true;
  readonly method: string;
  readonly url: string;
  readonly fields: Fields;
  readonly content: Buffer; // part of what was read: nobody's own
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
  text: string;
  headers: IncomingHttpHeaders;
  length: number; // of the body
  kept?: Values; // what a request remembers of them, as soon as one does
}

const mostHead = 8 * 1024;
const mostHeaders = 50;
const headEnd = '\r\n\r\n';
const firstLine = /^(GET|POST|PUT|PATCH|DELETE|HEAD) (\/[!-~]*) HTTP\/1\.1\r\n/;
const header = /^([A-Za-z][A-Za-z0-9-]*):([\t -~]*)$/; // linear, whatever comes
// What speaks of the connection, or of a body that comes otherwise.
const unusual = new Set(['transfer-encoding', 'expect', 'upgrade', 'te', 'trailer', 'http2-settings', 'keep-alive']);

// `last`: those of the request before, for most clients say the same each time. Undefined: not for us, or not all of it
// is here.
export function headOf(chunk: Buffer, last: Fields | undefined): Head | undefined {
  const end = chunk.indexOf(headEnd, 0, 'latin1');
  if (end < 0 || end > mostHead) return undefined;
  const head = chunk.toString('latin1', 0, end + 2);
  const found = firstLine.exec(head);
  if (!found) return undefined;
  const text = head.slice(found[0].length);
  const fields = text === last?.text ? last : fieldsOf(text);
  const bodyAt = end + headEnd.length;
  if (!fields || chunk.length < bodyAt + fields.length) return undefined;
  return { method: found[1] as string, url: found[2] as string, fields, bodyAt };
}

function fieldsOf(text: string): Fields | undefined {
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
  if (!headers.host || !/^(keep-alive)?$/i.test(headers.connection ?? '')) return undefined;
  const length = headers['content-length'] ?? '0';
  return /^\d{1,7}$/.test(length) ? { text, headers, length: Number(length) } : undefined;
}
