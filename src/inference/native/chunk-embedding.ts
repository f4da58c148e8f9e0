// Documents as chunks with their vectors. Chunks are measured with our own tokenizer. If the model counts more tokens
// and refuses a chunk as too long, the chunk is halved.
import { Fault } from '../../base/fault.ts';
import type { Model } from '../catalogue.ts';
import { type Inference, isTooLong } from '../inference.ts';
import { type Chunk, chunksOf, halvesOf } from './chunks.ts';
import type { Chunking } from './collection.ts';

const textsAtOnce = 64; // embedded by one order
const maxChunks = 10_000; // of all texts: with an overlap of all but one token, each token is a chunk

export interface EmbeddedChunk extends Chunk {
  vector: Float32Array;
  madeBy: string; // the model that created the vector
}

export interface EmbeddingJob {
  inference: Inference;
  contract: number;
  model: Model;
  chunking: Chunking;
  signal: AbortSignal;
  isBilled: boolean;
}

interface Piece {
  text: string; // the whole document
  chunk: Chunk;
}

// The chunks of each text.
export async function embedTexts(job: EmbeddingJob, texts: readonly string[]): Promise<EmbeddedChunk[][]> {
  const most = job.inference.longestText(job.model);
  const cut = texts.map((text) => chunksOf(text, job.chunking, most).map((chunk): Piece => ({ text, chunk })));
  const pieces = cut.flat();
  if (pieces.length > maxChunks)
    throw new Fault(
      'refused',
      `The documents have ${pieces.length} chunks, but one call embeds at most ${maxChunks}. ` +
        'Send fewer documents at once, or create a collection with larger chunks or less overlap.',
      { code: '100' },
    );
  const embedded: EmbeddedChunk[][] = [];
  for (let at = 0; at < pieces.length; at += textsAtOnce)
    embedded.push(...(await embedPieces(job, pieces.slice(at, at + textsAtOnce))));
  return cut.map(({ length }) => embedded.splice(0, length).flat());
}

async function embedPieces(job: EmbeddingJob, pieces: readonly Piece[]): Promise<EmbeddedChunk[][]> {
  const { inference, contract, model, signal, isBilled } = job;
  const texts = pieces.map(({ text, chunk: { from, to } }) => text.slice(from, to));
  try {
    const { vectors, madeBy } = await inference.embed(contract, model, texts, signal, isBilled);
    return pieces.map(({ chunk }, at) => [{ ...chunk, vector: vectors[at] as Float32Array, madeBy }]);
  } catch (error) {
    if (!isTooLong(error)) throw error;
    return embedShorter(job, pieces, error);
  }
}

// A chunk that is too long is found by halving the list.
async function embedShorter(job: EmbeddingJob, pieces: readonly Piece[], error: unknown): Promise<EmbeddedChunk[][]> {
  if (pieces.length > 1) {
    const middle = pieces.length / 2;
    return [...(await embedPieces(job, pieces.slice(0, middle))), ...(await embedPieces(job, pieces.slice(middle)))];
  }
  const { text, chunk } = pieces[0] as Piece;
  const [first, second] = halvesOf(text, chunk);
  if (!first || !second) throw error;
  const kept = job.chunking.enabled ? [first, second] : [first];
  const embedded = await embedPieces(
    job,
    kept.map((half) => ({ text, chunk: half })),
  );
  return [embedded.flat()];
}
