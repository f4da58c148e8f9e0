// Long answers: sent while they are drawn, kept while nothing changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LongAnswer, LongAnswers } from './long-answer.ts';
import type { Canvas } from './sliced-rendering.ts';

const line = 'x'.repeat(1000);

// So many lines, and a pause wherever one is due; `slow` makes each line take its time.
const lines =
  (count: number, slow = false) =>
  async (canvas: Canvas) => {
    for (let at = 0; at < count; at++) {
      if (canvas.isDue) await canvas.pause();
      canvas.pieces.push(`${at}${line}`);
      const until = performance.now() + (slow ? 0.3 : 0);
      while (performance.now() < until); // not a wait: it uses the processor
    }
  };
const whole = (count: number): string => Array.from({ length: count }, (_, at) => `${at}${line}`).join('');

async function received(answer: LongAnswer): Promise<{ text: string; pieces: number }> {
  assert.ok('stream' in answer, 'it is not long');
  const pieces: string[] = [];
  await answer.stream(async (piece) => {
    await new Promise(setImmediate);
    pieces.push(piece);
  });
  return { text: pieces.join(''), pieces: pieces.length };
}

test('a short answer is sent whole, however long it takes', async () => {
  const answers = new LongAnswers();
  assert.deepEqual(await answers.draw(lines(20, true), 'a', 1), { text: whole(20) });
  assert.equal(answers.get('a', 1), undefined);
});

test('a long answer is sent in pieces with the same text', async () => {
  const answers = new LongAnswers();
  const { text, pieces } = await received(await answers.draw(lines(600, true), 'a', 1));
  assert.equal(text, whole(600));
  assert.ok(pieces > 10, `${pieces}`);
});

test('it is sent again from memory as long as nothing has changed', async () => {
  const answers = new LongAnswers();
  await received(await answers.draw(lines(600, true), 'a', 1));
  const again = answers.get('a', 1);
  assert.ok(again);
  assert.equal((await received(again)).text, whole(600));
  assert.equal(answers.get('a', 2), undefined, 'something has changed');
  assert.equal(answers.get('a', 1), undefined, 'and what was before is not kept for it');
  await received(await answers.draw(lines(600, true), 'b', undefined));
  assert.equal(answers.get('b', 1), undefined, 'what must not be kept is not');
});

test('no more is kept than fits', async () => {
  const answers = new LongAnswers();
  const large = (canvas: Canvas) => {
    canvas.pieces.push('y'.repeat(10 * 1024 * 1024));
    return canvas.pause().then(() => void canvas.pieces.push('z'));
  };
  for (const key of ['a', 'b', 'c', 'd']) await received(await answers.draw(large, key, 1));
  assert.equal(answers.get('a', 1), undefined);
  for (const key of ['b', 'c', 'd']) assert.ok(answers.get(key, 1), key);
});

test('an error during rendering reaches the caller, before and after the first piece', async () => {
  const answers = new LongAnswers();
  const broken = () => Promise.reject(new Error('broken'));
  await assert.rejects(answers.draw(broken, 'a', 1), /broken/);
  const later = async (canvas: Canvas) => {
    canvas.pieces.push('y'.repeat(300_000));
    await canvas.pause();
    throw new Error('broken later');
  };
  await assert.rejects(received(await answers.draw(later, 'a', 1)), /broken later/);
  assert.equal(answers.get('a', 1), undefined);
});

test('a client that stops reading stops the rendering', async () => {
  const answers = new LongAnswers();
  let drawn = 0;
  const endless = async (canvas: Canvas) => {
    for (;;) {
      canvas.pieces.push('y'.repeat(300_000));
      drawn += 1;
      await canvas.pause();
    }
  };
  const answer = await answers.draw(endless, 'a', 1);
  assert.ok('stream' in answer);
  const gone = () => Promise.reject(new Error('gone'));
  await assert.rejects(answer.stream(gone), /gone/);
  assert.ok(drawn < 5);
});
