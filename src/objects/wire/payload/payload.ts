// The body of an upload: decoded, hashed and verified while it passes, with constant memory and at the consumer's pace.
// The yielded bytes must not be trusted before the end: only the end proves hashes and signatures.
import { createHash } from 'node:crypto';
import { TimeSlice } from '../../../core/threads/time-slice.ts';
import { s3Fault } from '../error.ts';
import type { ChunkSigning } from '../signature/signer.ts';
import { type Checksum, type ChecksumStream, checksumHeader, createChecksum, isChecksumValue } from './checksum.ts';
import { ChunkDecoder, type Trailers } from './chunk-decoder.ts';
import { invalidChecksum, type PayloadPlan } from './payload-plan.ts';

export interface PayloadDigest {
  size: number;
  md5: Buffer;
  checksum: Checksum | undefined;
}

export interface Payload {
  length: number | undefined; // as the headers announce it
  body: AsyncIterable<Buffer>; // to be iterated once, to its end
  digest(): PayloadDigest; // after the end of the body
}

type Source = AsyncIterable<Uint8Array>;

export function readPayload(source: Source, plan: PayloadPlan, signing: ChunkSigning | undefined): Payload {
  let digest: PayloadDigest | undefined;
  const decoded = plan.mode.kind === 'chunked' ? decodeChunks(source, plan, signing) : withoutTrailer(source);
  return {
    length: plan.length,
    body: verify(decoded, plan, (computed) => {
      digest = computed;
    }),
    digest() {
      if (!digest) throw new Error('The body was not read to its end');
      return digest;
    },
  };
}

async function* verify(
  decoded: AsyncGenerator<Buffer, Trailers>,
  plan: PayloadPlan,
  done: (digest: PayloadDigest) => void,
): AsyncGenerator<Buffer> {
  const md5 = createHash('md5');
  const sha256 = plan.mode.kind === 'hash' ? createHash('sha256') : undefined;
  const checksum = plan.algorithm && createChecksum(plan.algorithm);
  let size = 0;
  let next = await decoded.next();
  try {
    for (; !next.done; next = await decoded.next()) {
      const bytes = next.value;
      size += bytes.length;
      if (size > (plan.length ?? Number.POSITIVE_INFINITY)) throw wrongLength();
      md5.update(bytes);
      sha256?.update(bytes);
      checksum?.update(bytes);
      yield bytes;
    }
  } finally {
    if (!next.done) await decoded.return(new Map()); // releases the source when the consumer stops early
  }
  if (plan.length !== undefined && size !== plan.length) throw wrongLength();
  const digest = { size, md5: md5.digest(), checksum: finish(plan, checksum, next.value) };
  if (plan.md5 && !plan.md5.equals(digest.md5)) throw s3Fault('BadDigest');
  if (plan.mode.kind === 'hash' && sha256?.digest('hex') !== plan.mode.sha256) {
    throw s3Fault('XAmzContentSHA256Mismatch');
  }
  done(digest);
}

function finish(plan: PayloadPlan, stream: ChecksumStream | undefined, trailers: Trailers): Checksum | undefined {
  const { algorithm } = plan;
  if (!algorithm || !stream) return undefined;
  const value = stream.digest().toString('base64');
  const given = plan.trailerAlgorithm ? trailers.get(checksumHeader(algorithm)) : plan.checksum?.value;
  if (plan.trailerAlgorithm && given === undefined) throw s3Fault('MalformedTrailerError');
  if (given !== undefined && !isChecksumValue(algorithm, given)) throw invalidChecksum(algorithm, 'trailing header');
  if (given !== undefined && given !== value) {
    throw s3Fault('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`);
  }
  return { algorithm, value };
}

async function* decodeChunks(
  source: Source,
  plan: PayloadPlan,
  signing: ChunkSigning | undefined,
): AsyncGenerator<Buffer, Trailers> {
  const isSigned = plan.mode.kind === 'chunked' && plan.mode.isSigned;
  if (isSigned && !signing) throw s3Fault('InvalidRequest', 'A payload with signed chunks needs a signed request.');
  const decoder = new ChunkDecoder(isSigned ? signing : undefined);
  const slice = new TimeSlice();
  for await (const bytes of source) {
    let pieces: Buffer[] = [];
    for (const piece of decoder.push(asBuffer(bytes))) {
      if (pieces.push(piece) < mostAtOnce) continue;
      yield* gathered(pieces);
      pieces = [];
      await slice.pause();
    }
    yield* gathered(pieces);
    await slice.pause();
  }
  return decoder.end();
}

// A client may send a chunk for each byte, and a small piece costs as much as a large one.
const gathered = (pieces: Buffer[]): Buffer[] => (pieces.length > mostPieces ? [Buffer.concat(pieces)] : pieces);
const mostPieces = 8;
const mostAtOnce = 256;

async function* withoutTrailer(source: Source): AsyncGenerator<Buffer, Trailers> {
  for await (const bytes of source) if (bytes.length > 0) yield asBuffer(bytes);
  return new Map();
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const wrongLength = (): Error =>
  s3Fault('IncompleteBody', 'The request body does not have the length that its headers announce.');
