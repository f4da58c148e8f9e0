// Vectors of engines with another length than the catalogue promises.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../core/store.ts';
import { embeddingModel, type Model, Models } from './catalogue.ts';
import type { EmbeddingEngine } from './engines/engine.ts';
import { Inference } from './inference.ts';
import { Schedule } from './schedule.ts';
import { InferenceUsage } from './usage.ts';

const engineOf = (dimensions: number): EmbeddingEngine => ({
  servedBy: 'a model',
  dimensions,
  contextTokens: 512,
  parallel: 1,
  embed: async (texts) => {
    const vector = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
    return { vectors: texts.map(() => vector), tokens: texts.length, madeBy: 'x' };
  },
});

test('[INFER-05] the embedding model always answers 1024 numbers of length 1, whatever serves it', async () => {
  for (const [dimensions, says] of [
    [384, 'a model, its 384 numbers padded with zeros'],
    [1024, 'a model'],
    [4096, 'a model, the first 1024 of its 4096 numbers'],
  ] as const) {
    const models = new Models([{ embedding: () => engineOf(dimensions) }]);
    const usage = new InferenceUsage({} as Store, () => 0);
    const inference = new Inference(models, new Schedule(), usage);
    const model = models.find(embeddingModel) as Model;
    const { vectors } = await inference.embed(1, model, ['one', 'two'], new AbortController().signal);
    for (const vector of vectors) {
      assert.equal(vector.length, 1024);
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
    }
    assert.equal(await models.servedBy(model), says);
  }
});
