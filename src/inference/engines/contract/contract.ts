// The contract suite that every source of engines must pass. The bench names a model per kind; a kind that the source
// does not serve is undefined, and its tests are skipped.
import assert from 'node:assert/strict';
import { type ContractCase, type ContractOptions, engineContract } from '../../../testing/engine-contract.ts';
import type { EngineSource, TextOrder, TextPart } from '../engine.ts';

export interface InferenceBench {
  source: EngineSource;
  close?(): Promise<void>;
}

export interface ServedKinds {
  text?: string; // the id of a model
  embedding?: string;
  image?: string;
}

type Case = ContractCase<InferenceBench>;

export function inferenceContract(
  name: string,
  open: () => Promise<InferenceBench>,
  { text, embedding, image }: ServedKinds,
  options: ContractOptions = {},
): void {
  const parts = {
    ...(text !== undefined && { text: (test: Case) => textContract(test, text) }),
    ...(embedding !== undefined && { embeddings: (test: Case) => embeddingContract(test, embedding) }),
    ...(image !== undefined && { images: (test: Case) => imageContract(test, image) }),
  };
  engineContract(name, open, parts, options);
}

const noAbort = new AbortController().signal;

export const orderOf = (more: Partial<TextOrder> = {}): TextOrder => ({
  contract: 1,
  input: { turns: [{ role: 'user', content: 'Which rivers flow through the city?' }], tools: [] },
  topP: 1,
  seed: 7,
  stop: [],
  presencePenalty: 0,
  frequencyPenalty: 0,
  logitBias: {},
  ...more,
});

function found<Engine>(engine: Engine | undefined): Engine {
  assert.ok(engine, 'the source has no engine for the model of the bench');
  return engine;
}

async function answerOf({ source }: InferenceBench, model: string, order: TextOrder) {
  const parts: TextPart[] = [];
  for await (const part of found(source.text?.(model)).generate(order, noAbort)) parts.push(part);
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
  const end = parts.at(-1);
  assert.ok(end?.kind === 'end', 'the last part is the end');
  return { parts, text, end };
}

function textContract(test: Case, model: string): void {
  test('a source gives the same engine each time, with its name and its limits', async ({ source }) => {
    const engine = found(source.text?.(model));
    assert.equal(source.text?.(model), engine);
    assert.ok(engine.servedBy.length > 0 && engine.contextTokens > 0 && engine.parallel >= 1);
  });

  test('a chat and a prompt are answered by text and one end with the counts', async (bench) => {
    for (const input of [orderOf().input, { prompt: 'Once upon a time' }]) {
      const { parts, text, end } = await answerOf(bench, model, orderOf({ input, maxTokens: 24 }));
      assert.notEqual(text, '');
      assert.equal(parts.filter(({ kind }) => kind === 'end').length, 1);
      assert.ok(end.promptTokens > 0 && end.completionTokens > 0, JSON.stringify(end));
    }
  });

  test('an answer ends with `length` at the maximum of tokens', async (bench) => {
    const { end } = await answerOf(bench, model, orderOf({ maxTokens: 2 }));
    assert.deepEqual([end.reason, end.completionTokens], ['length', 2]);
  });

  test('an answer ends before a stop sequence', async (bench) => {
    const { text: whole } = await answerOf(bench, model, orderOf({ maxTokens: 24, temperature: 0 }));
    const stop = whole.trim().slice(3, 6);
    const { text, end } = await answerOf(bench, model, orderOf({ maxTokens: 24, temperature: 0, stop: [stop] }));
    assert.equal(text, whole.slice(0, whole.indexOf(stop)));
    assert.equal(end.reason, 'stop');
  });

  test('an answer in the form of a schema is valid JSON of it', async (bench) => {
    const schema = {
      type: 'object',
      properties: { isOpen: { type: 'boolean' } },
      required: ['isOpen'],
      additionalProperties: false,
    };
    const { text } = await answerOf(bench, model, orderOf({ form: { kind: 'schema', schema } }));
    const answer = JSON.parse(text) as { isOpen: unknown };
    assert.deepEqual(Object.keys(answer), ['isOpen']);
    assert.equal(typeof answer.isOpen, 'boolean');
  });

  test('a longer input has more tokens, where the engine counts them', async ({ source }) => {
    const engine = found(source.text?.(model));
    const short = await engine.countTokens({ prompt: 'one two' }, noAbort);
    const long = await engine.countTokens({ prompt: 'one two three four five six' }, noAbort);
    assert.equal(short === undefined, long === undefined);
    if (short !== undefined && long !== undefined) assert.ok(0 < short && short < long);
  });

  test('an abort ends the answer, and the engine serves the next order', async (bench) => {
    const leaving = new AbortController();
    const parts = found(bench.source.text?.(model)).generate(orderOf(), leaving.signal);
    await assert.rejects(async () => {
      for await (const { kind } of parts) if (kind !== 'end') leaving.abort(new Error('the client left'));
    }, /the client left/);
    await answerOf(bench, model, orderOf({ maxTokens: 2 }));
  });
}

function embeddingContract(test: Case, model: string): void {
  test('each text has a vector of length 1, in order', async ({ source }) => {
    const engine = found(source.embedding?.(model));
    assert.equal(source.embedding?.(model), engine);
    const texts = ['a river', 'a mountain', 'a river'];
    const { vectors, tokens, madeBy } = await engine.embed(texts, noAbort);
    assert.equal(vectors.length, texts.length);
    for (const vector of vectors) {
      assert.equal(vector.length, engine.dimensions);
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-3);
    }
    assert.deepEqual(vectors[0], vectors[2]);
    assert.notDeepEqual(vectors[0], vectors[1]);
    assert.ok(tokens >= texts.length);
    assert.equal((await engine.embed(['a lake'], noAbort)).madeBy, madeBy);
  });

  test('an abort ends the work', async ({ source }) => {
    const gone = AbortSignal.abort(new Error('the client left'));
    await assert.rejects(found(source.embedding?.(model)).embed(['a river'], gone), /the client left/);
  });
}

function imageContract(test: Case, model: string): void {
  test('an image is a PNG of the size that was ordered', async ({ source }) => {
    const engine = found(source.image?.(model));
    const image = Buffer.from(await engine.make({ prompt: 'a river', width: 1024, height: 1792, seed: 3 }, noAbort));
    assert.equal(image.toString('latin1', 1, 4), 'PNG');
    assert.deepEqual([image.readUInt32BE(16), image.readUInt32BE(20)], [1024, 1792]);
  });
}
