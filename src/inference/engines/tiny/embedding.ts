// Embeddings without a neural network: the words of a text and the groups of letters in them are counted at places that
// their hashes name. Texts that share words, or words of one stem, are near each other; meaning it knows none.
import { TimeSlice } from '../../../core/operation/time-slice.ts';
import { type EmbeddingEngine, tooLongText } from '../engine.ts';
import { hashOf, randomOf } from './random.ts';
import { tinyName } from './text.ts';
import { countTokens } from './tokenizer.ts';

const dimensions = 1024;
const contextTokens = 8192;
const madeBy = 'tiny 1'; // another number where the vectors of a text change
const gramSize = 3;
const placesOfFeature = 8; // so that the first numbers of a vector tell something of it too
// Words that nearly every text has tell little of it.
const common = new Set(
  'a an and are as at be by do for from has have he her his how i in is it its my not of on or our she that the their they this to was we what when where which who will with you your'.split(
    ' ',
  ),
);

export const tinyEmbedding = (model: string): EmbeddingEngine => ({
  servedBy: `${tinyName} by hashed words, not ${model}`,
  dimensions,
  contextTokens,
  parallel: 4,
  async embed(texts, signal) {
    const vectors: Float32Array[] = [];
    let tokens = 0;
    const slice = new TimeSlice(Number.POSITIVE_INFINITY);
    for (const [index, text] of texts.entries()) {
      await slice.pause();
      signal.throwIfAborted();
      const count = countTokens(text, contextTokens + 1);
      if (count > contextTokens) throw tooLongText(index, undefined, contextTokens);
      tokens += count;
      vectors.push(await vectorOf(text, slice));
    }
    return { vectors, tokens, madeBy };
  },
});

// Others are served between the words: a few bytes can stand for very many of them.
async function vectorOf(text: string, slice: TimeSlice): Promise<Float32Array> {
  const vector = new Float32Array(dimensions);
  const add = (feature: string, weight: number): void => {
    const random = randomOf(hashOf(feature));
    for (let place = 0; place < placesOfFeature; place++) {
      const at = Math.floor(random() * dimensions);
      vector[at] = (vector[at] as number) + (random() < 0.5 ? weight : -weight);
    }
  };
  for (const word of text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []) {
    await slice.pause();
    const share = common.has(word) ? 0.1 : 1;
    add(`word ${stemOf(word)}`, share);
    const framed = `<${word}>`;
    const grams = framed.length - gramSize + 1;
    for (let at = 0; at < grams; at++) add(framed.slice(at, at + gramSize), (share * 0.5) / Math.sqrt(grams));
  }
  const length = Math.hypot(...vector);
  // A text without a word has a direction too: the same for all of them.
  if (length === 0) vector[0] = 1;
  else for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] as number) / length;
  return vector;
}

// Good enough for English: lakes and lake, played and playing.
const stemOf = (word: string): string =>
  (word.length > 4 ? word.replace(/(?:ies|es|s|ed|ing|ly)$/, '') : word).replace(/e$/, '');
