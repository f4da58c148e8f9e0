// Which call gets which sequence, and how much of a prompt the sequence already has.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Sequence, Token } from './library.ts';
import { Sequences } from './sequences.ts';

const longMs = 3_600_000;
const prompt = (first: number, length = 100): Token[] => Array.from({ length }, (_, at) => first + at);

// Remembers tokens like a sequence of the library, without a model.
function memory(): Sequence {
  const sequence = {
    contextTokens: [] as Token[],
    async clearHistory() {
      sequence.contextTokens = [];
    },
    async eraseContextTokenRanges([range]: { start: number; end: number }[]) {
      sequence.contextTokens.splice(range?.start ?? 0);
    },
    async evaluateWithoutGeneratingNewTokens(tokens: Token[]) {
      sequence.contextTokens.push(...tokens);
    },
  };
  return sequence as unknown as Sequence;
}

// Evaluates a prompt, and returns how much of it was known.
const ask = (sequences: Sequences, contract: number, tokens: Token[]): Promise<number> =>
  sequences.use(contract, tokens, async (sequence, known) => {
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(known));
    return known;
  });

suite('sequences', () => {
  test('reuse the common beginning of two prompts of a contract', async () => {
    const sequences = new Sequences([memory(), memory()], longMs);
    assert.equal(await ask(sequences, 1, prompt(0)), 0);
    assert.equal(await ask(sequences, 1, [...prompt(0), 7, 8, 9]), 100);
    assert.equal(await ask(sequences, 1, [...prompt(0, 50), 5, 6]), 50);
  });

  test('evaluate the last token again, because the call needs its successor', async () => {
    const sequences = new Sequences([memory()], longMs);
    await ask(sequences, 1, prompt(0));
    assert.equal(await ask(sequences, 1, prompt(0)), 99);
  });

  test('[INFER-10] never give a contract the prompts of another one', async () => {
    const sequences = new Sequences([memory()], longMs);
    await ask(sequences, 1, prompt(0));
    assert.equal(await ask(sequences, 2, prompt(0)), 0);
    assert.equal(await ask(sequences, 1, prompt(0)), 0);
  });

  test('[INFER-10] forget prompts that are not continued for a while', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const [known, fresh] = [memory(), memory()];
    const keeping = new Sequences([known], longMs);
    const forgetting = new Sequences([fresh], 0);
    await ask(keeping, 1, prompt(0));
    await ask(forgetting, 1, prompt(0));
    t.mock.timers.tick(longMs / 2);
    assert.deepEqual([known.contextTokens.length, fresh.contextTokens.length], [100, 0]);
    assert.deepEqual([await ask(keeping, 1, prompt(0)), await ask(forgetting, 1, prompt(0))], [99, 0]);
  });

  test('keep other prompts while there is a free sequence, and drop the oldest then', async () => {
    const sequences = new Sequences([memory(), memory()], longMs);
    await ask(sequences, 1, prompt(0));
    await ask(sequences, 1, prompt(1000));
    assert.equal(await ask(sequences, 1, prompt(0)), 99);
    await ask(sequences, 1, prompt(2000));
    assert.equal(await ask(sequences, 1, prompt(0)), 99);
    assert.equal(await ask(sequences, 1, prompt(1000)), 0);
  });

  test('wait in order while all are busy; a failure frees its sequence', async () => {
    const sequences = new Sequences([memory()], longMs);
    const order: number[] = [];
    const hold = Promise.withResolvers<void>();
    const first = sequences.use(1, prompt(0), async () => {
      await hold.promise;
      throw new Error('it failed');
    });
    const others = [1, 2].map((one) => sequences.use(one, prompt(0), async () => void order.push(one)));
    assert.equal(sequences.busy, 1);
    hold.resolve();
    await assert.rejects(first, /it failed/);
    await Promise.all(others);
    assert.deepEqual(order, [1, 2]);
    assert.equal(sequences.busy, 0);
  });
});
