// Reads a multipart/form-data body while it arrives: all fields before the file, then the file as a stream. Content
// after the file is ignored.
import type { Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { Fault } from '../../../base/fault.ts';
import { TimeSlice } from '../../../core/threads/time-slice.ts';
import { s3Fault } from '../../wire/error.ts';

const mostFieldBytes = 20 * 1024; // of all fields together
const mostFields = 200;
const mostPieceBytes = 16 * 1024;

export interface Form {
  fields: Map<string, string>; // by lower-case name, those before the file
  fileName: string;
  fileType: string | undefined;
  file: AsyncIterable<Buffer>;
}

// `type` is the content type, which names the boundary.
export async function readForm(type: string, body: AsyncIterable<Buffer>): Promise<Form> {
  if (!/^multipart\/form-data\s*;/i.test(type)) throw malformed();
  const parser = await createParser(type);
  const { promise, resolve, reject } = Promise.withResolvers<Form>();
  const refused = new AbortController();
  const refuse = (error: Error): void => {
    reject(error);
    refused.abort(error);
  };
  const fields = new Map<string, string>();
  let size = 0;
  parser.on('field', (name: string | undefined, value, isNameCut, isCut) => {
    if (name === undefined) return refuse(malformed());
    size += name.length + value.length;
    if (isNameCut || isCut || size > mostFieldBytes) refuse(s3Fault('MaxPostPreDataLengthExceededError'));
    fields.set(name.toLowerCase(), value);
  });
  for (const limit of ['fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, () => refuse(s3Fault('MaxPostPreDataLengthExceededError')));
  let hasFile = false;
  parser.on('file', (_name, file: Readable, fileName, _encoding, mimeType) => {
    file.on('error', () => {}); // it may fail before it is read; its reader gets the error
    if (hasFile) return void file.resume();
    hasFile = true;
    resolve({ fields, fileName: fileName ?? '', fileType: mimeType, file: whole(file, parsed) });
  });
  const parsed = feed(parser, body, refused.signal);
  parsed.then(() => reject(noFile()), reject); // has no effect after a file
  return promise;
}

async function createParser(type: string): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: { fieldSize: mostFieldBytes, fieldNameSize: 200, fields: mostFields, parts: mostFields },
      isPartAFile: (name) => name?.toLowerCase() === 'file',
    });
  } catch {
    throw malformed(); // without a boundary
  }
}

// Writes the body to the parser at the pace of the file's reader. Resolves when all of it was parsed. The parser does
// not report the end of some truncated bodies, so its end is not awaited.
async function feed(parser: BusboyInstance, body: AsyncIterable<Buffer>, refused: AbortSignal): Promise<void> {
  let isBroken = false;
  let goOn = (): void => {};
  parser.on('error', () => {
    isBroken = true;
    goOn();
  });
  parser.on('drain', () => goOn());
  const slice = new TimeSlice(); // pieces that have arrived already are read without a pause
  for await (const piece of shortPieces(body)) {
    const drained = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    if (!written(parser, piece)) await drained;
    if (isBroken) throw malformed();
    refused.throwIfAborted();
    await slice.pause();
  }
  parser.end();
  await new Promise(setImmediate); // the parser reports a missing end a moment later
  if (isBroken) throw malformed();
}

// Many short fields in one piece take long.
async function* shortPieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of body)
    for (let from = 0; from < piece.length; from += mostPieceBytes) yield piece.subarray(from, from + mostPieceBytes);
}

function written(parser: BusboyInstance, piece: Buffer): boolean {
  try {
    return parser.write(piece);
  } catch {
    throw malformed(); // headers that the parser does not expect
  }
}

// Yields the file, which is complete only when the body has been parsed to its end.
async function* whole(file: Readable, parsed: Promise<void>): AsyncGenerator<Buffer> {
  parsed.catch((error: Error) => file.destroy(error));
  try {
    for await (const piece of file) yield piece as Buffer;
  } catch (error) {
    throw error instanceof Fault ? error : malformed();
  }
  await parsed;
}

const malformed = (): Error => s3Fault('MalformedPOSTRequest');
const noFile = (): Error => s3Fault('InvalidArgument', 'POST requires exactly one file upload per request.');
