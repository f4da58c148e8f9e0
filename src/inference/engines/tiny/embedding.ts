// Embeddings without a neural network: words and groups of letters are counted at positions that their hashes give.
// Texts that share words or word stems are near each other. It does not know meaning.
import { TimeSlice } from '../../../core/threads/time-slice.ts';
import { type EmbeddingEngine, tooLongText } from '../engine.ts';
import { hashOf, randomOf } from './random.ts';
import { tinyName } from './text.ts';
import { countTokens } from './tokenizer.ts';

const dimensions = 1024;
const contextTokens = 8192;
const madeBy = 'tiny 1'; // changes whenever the vectors of a text change
const gramSize = 3;
const placesOfFeature = 8; // so that the first numbers of a vector alone are useful too
// Stop words occur in nearly every text, so they say little about it.
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
    const slice = new TimeSlice();
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

// Other calls get their turns between the words: a few bytes can contain very many words.
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
  // All texts without a word share one direction.
  if (length === 0) vector[0] = 1;
  else for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] as number) / length;
  return vector;
}

// Good enough for English: lakes and lake, played and playing.
const stemOf = (word: string): string =>
  (word.length > 4 ? word.replace(/(?:ies|es|s|ed|ing|ly)$/, '') : word).replace(/e$/, '');
