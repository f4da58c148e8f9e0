// Decodes an aws-chunked body: "<hex size>;chunk-signature=<hex>\r
// <bytes>\r
// ", ended by a chunk of size 0 and trailers. Bytes are passed on before the signature of their chunk can be verified,
// so that memory stays constant: their consumer must not publish anything until end() has returned.
import { createHash, type Hash } from 'node:crypto';
import { isEqual, sha256, sign } from '../../../core/s3-signature/signing-key.ts';
import { s3Fault } from '../error.ts';
import type { ChunkSigning } from '../signature/signer.ts';

const mostLine = 1024;
const mostTrailer = 16 * 1024;
const emptySha256 = sha256('');

export type Trailers = Map<string, string>; // by lower-case name

export class ChunkDecoder {
  readonly #signing: ChunkSigning | undefined; // undefined: the chunks are not signed
  #previous: string;
  #state: 'line' | 'data' | 'data-end' | 'trailer' = 'line';
  #line = Buffer.alloc(0); // an unfinished line, line end or trailer
  #remaining = 0;
  #signature = '';
  #hash: Hash | undefined;

  constructor(signing: ChunkSigning | undefined) {
    this.#signing = signing;
    this.#previous = signing?.seed ?? '';
  }

  // Yields the decoded bytes, as views of the pushed ones.
  *push(bytes: Buffer): Generator<Buffer> {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#state === 'data') {
        const data = rest.subarray(0, this.#remaining);
        rest = rest.subarray(data.length);
        this.#remaining -= data.length;
        this.#hash?.update(data);
        if (this.#remaining === 0) this.#endData();
        yield data;
      } else if (this.#state === 'trailer') {
        this.#line = Buffer.concat([this.#line, rest]);
        if (this.#line.length > mostTrailer) throw s3Fault('MalformedTrailerError');
        return;
      } else {
        rest = this.#takeLine(rest);
      }
    }
  }

  // Must be called at the end of the body: verifies the trailer and returns it.
  end(): Trailers {
    if (this.#state !== 'trailer') throw s3Fault('IncompleteBody');
    const { trailers, signature } = parseTrailer(this.#line.toString('latin1'));
    if (this.#signing && (trailers.size > 0 || signature !== undefined)) {
      const text = [...trailers].map(([name, value]) => `${name}:${value}\n`).join('');
      this.#verify('AWS4-HMAC-SHA256-TRAILER', [sha256(text)], signature ?? '');
    }
    return trailers;
  }

  #takeLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(10);
    const piece = end < 0 ? bytes : bytes.subarray(0, end + 1);
    if (this.#line.length + piece.length > mostLine) throw malformed('A chunk header is too long.');
    this.#line = Buffer.concat([this.#line, piece]);
    if (end < 0) return bytes.subarray(bytes.length);
    const line = this.#line.toString('latin1');
    if (!line.endsWith('\r\n')) throw malformed('A line must end with CRLF.');
    this.#line = Buffer.alloc(0);
    if (this.#state === 'data-end') {
      if (line !== '\r\n') throw malformed('A chunk is longer than its size.');
      this.#state = 'line';
    } else this.#beginChunk(line.slice(0, -2));
    return bytes.subarray(end + 1);
  }

  #beginChunk(line: string): void {
    const match = /^([0-9a-f]{1,12})\s*(?:;\s*(.*))?$/i.exec(line);
    if (!match) throw malformed('A chunk header must begin with its size in hex.');
    this.#remaining = Number.parseInt(match[1] as string, 16);
    this.#signature = /(?:^|;)\s*chunk-signature=([0-9a-f]{64})\s*(?:;|$)/.exec(match[2] ?? '')?.[1] ?? '';
    if (this.#signing) this.#hash = createHash('sha256');
    if (this.#remaining > 0) {
      this.#state = 'data';
      return;
    }
    this.#endData();
    this.#state = 'trailer';
  }

  #endData(): void {
    this.#state = 'data-end';
    if (!this.#hash) return;
    this.#verify('AWS4-HMAC-SHA256-PAYLOAD', [emptySha256, this.#hash.digest('hex')], this.#signature);
    this.#hash = undefined;
  }

  #verify(algorithm: string, hashes: string[], given: string): void {
    const signing = this.#signing as ChunkSigning;
    const text = [algorithm, signing.timestamp, signing.scope, this.#previous, ...hashes].join('\n');
    if (!isEqual(sign(signing.key, text), given)) throw s3Fault('SignatureDoesNotMatch');
    this.#previous = given;
  }
}

function parseTrailer(text: string): { trailers: Trailers; signature: string | undefined } {
  const trailers: Trailers = new Map();
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (name === '' || trailers.has(name)) throw s3Fault('MalformedTrailerError');
    trailers.set(name, line.slice(colon + 1).trim());
  }
  const signature = trailers.get('x-amz-trailer-signature');
  trailers.delete('x-amz-trailer-signature');
  return { trailers, signature };
}

const malformed = (reason: string): Error => s3Fault('InvalidRequest', `The chunked body is malformed. ${reason}`);
