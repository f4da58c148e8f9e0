// A multipart/form-data body, read while it arrives: all fields before the file, then the file as a stream. What comes
// after the file is not looked at.
import type { Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { bodyStream } from '../../../surface/http/body.ts';
import type { Exchange } from '../../../surface/http/exchange.ts';
import { s3Fault } from '../../wire/error.ts';

const mostFieldBytes = 20 * 1024; // of all fields together
const mostFields = 200;

export interface Form {
  fields: Map<string, string>; // by lower-case name, those before the file
  fileName: string;
  fileType: string | undefined;
  file: AsyncIterable<Buffer>;
}

export async function readForm(x: Exchange): Promise<Form> {
  const type = x.req.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type)) throw s3Fault('MalformedPOSTRequest');
  const parser = await createParser(type);
  const { promise, resolve, reject } = Promise.withResolvers<Form>();
  const fields = new Map<string, string>();
  let size = 0;
  parser.on('field', (name, value, isNameCut, isCut) => {
    size += name.length + value.length;
    if (isNameCut || isCut || size > mostFieldBytes) reject(s3Fault('MaxPostPreDataLengthExceededError'));
    fields.set(name.toLowerCase(), value);
  });
  parser.on('fieldsLimit', () => reject(s3Fault('MaxPostPreDataLengthExceededError')));
  let hasFile = false;
  parser.on('file', (name, file: Readable, fileName, _encoding, mimeType) => {
    if (name.toLowerCase() !== 'file' || hasFile) return void file.resume();
    hasFile = true;
    resolve({ fields, fileName: fileName ?? '', fileType: mimeType, file: whole(file, failure) });
  });
  parser.on('finish', () => reject(noFile()));
  const failure = feed(parser, x);
  failure.catch(reject);
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
    throw s3Fault('MalformedPOSTRequest'); // without a boundary
  }
}

// Writes the body to the parser, at the pace of whoever reads the file. Resolves when all of it was parsed.
async function feed(parser: BusboyInstance, x: Exchange): Promise<void> {
  const finished = new Promise<void>((resolve, reject) => {
    parser.once('finish', resolve);
    parser.once('error', () => reject(s3Fault('MalformedPOSTRequest')));
  });
  finished.catch(() => {});
  for await (const piece of bodyStream(x)) {
    if (parser.write(piece)) continue;
    await Promise.race([new Promise((resolve) => parser.once('drain', resolve)), finished]);
  }
  parser.end();
  await finished;
}

// The file, which is whole only when the body has been parsed to its end.
async function* whole(file: Readable, parsed: Promise<void>): AsyncGenerator<Buffer> {
  parsed.catch((error: Error) => file.destroy(error));
  for await (const piece of file) yield piece as Buffer;
  await parsed;
}

const noFile = (): Error => s3Fault('InvalidArgument', 'POST requires exactly one file upload per request.');
