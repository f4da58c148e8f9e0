// Decodes a request frame (without its length), and encodes an answer (with its length). The header of a request names
// the API and its version, so it is read first. ApiVersions is answered with the oldest header in every version,
// because the client does not know yet which versions we support.
import type { Api } from './api.ts';
import { apis } from './apis.ts';
import { MalformedError, Reader } from './reader.ts';
import { Writer } from './writer.ts';

export interface RequestHeader {
  apiKey: number;
  version: number;
  correlationId: number;
  clientId: string;
}

export interface Request extends RequestHeader {
  api: Api<never, never>;
  body: unknown;
}

const apiVersionsKey = 18;
export const smallestFrame = 8;
const correlationBytes = 4;
const mostInAnswer = 250_000; // elements of all arrays

// The header fields that are the same in every version.
export function readHeader(frame: Buffer): RequestHeader {
  const reader = new Reader(frame);
  return { apiKey: reader.int16(), version: reader.int16(), correlationId: reader.int32(), clientId: '' };
}

export const isSupported = (api: Api<never, never> | undefined, version: number): boolean =>
  api !== undefined && version >= api.versions[0] && version <= api.versions[1];

export function readRequest(frame: Buffer): Request {
  const header = readHeader(frame);
  const api = apis.get(header.apiKey);
  if (!api || !isSupported(api, header.version))
    throw new MalformedError(`API ${header.apiKey} has no version ${header.version}`);
  const codec = api.at(header.version);
  const reader = new Reader(frame, smallestFrame);
  const clientIdLength = reader.int16();
  const clientId = clientIdLength < 0 ? '' : reader.text(clientIdLength);
  if (codec.flexible) skipTagged(reader);
  const body: unknown = codec.request.read(reader);
  return { ...header, clientId, api, body };
}

export function writeRequest(api: Api<never, never>, header: Omit<RequestHeader, 'apiKey'>, body: unknown): Buffer[] {
  const codec = api.at(header.version);
  const writer = new Writer();
  writer.int16(api.key);
  writer.int16(header.version);
  writer.int32(header.correlationId);
  writer.int16(Buffer.byteLength(header.clientId));
  writer.text(header.clientId, Buffer.byteLength(header.clientId));
  if (codec.flexible) writer.unsignedVarint(0);
  codec.request.write(writer, body as never);
  return withLength(writer);
}

export function writeResponse(api: Api<never, never>, version: number, correlationId: number, body: unknown): Buffer[] {
  const codec = api.at(version);
  const writer = new Writer();
  writer.int32(correlationId);
  if (codec.flexible && api.key !== apiVersionsKey) writer.unsignedVarint(0);
  codec.response.write(writer, body as never);
  return withLength(writer);
}

// Decodes the answer to one of our own requests, from a frame without its length.
export function readResponse<Answer>(api: Api<never, never, Answer>, version: number, frame: Buffer): Answer {
  const codec = api.at(version);
  const reader = new Reader(frame, correlationBytes, frame.length, mostInAnswer);
  if (codec.flexible && api.key !== apiVersionsKey) skipTagged(reader);
  return codec.response.read(reader);
}

function withLength(writer: Writer): Buffer[] {
  const prefix = Buffer.allocUnsafe(4);
  prefix.writeUInt32BE(writer.length);
  return [prefix, ...writer.finish()];
}

function skipTagged(reader: Reader): void {
  for (let count = reader.elements(reader.unsignedVarint()); count > 0; count--) {
    reader.unsignedVarint();
    reader.skip(reader.unsignedVarint());
  }
}
