// The models of a topic's messages: displayed bytes and paging.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { hexText, preview, readable } from '../../../console/streaming/bytes.ts';
import { inspectionPath, type MessagePage, type MessagesQuestion } from '../../../console/streaming/inspection.ts';
import { MessagesModel } from '../../../console/streaming/messages-model.ts';

const shown = (content: string | Uint8Array | null, bytes?: number) => {
  const buffer = content === null ? null : Buffer.from(content);
  return { base64: buffer?.toString('base64') ?? null, bytes: bytes ?? buffer?.length ?? 0 };
};

suite('bytes of a message', () => {
  test('are text, JSON or hexadecimal', () => {
    assert.deepEqual(readable(shown('grüße')), { text: 'grüße', form: 'text', isCut: false });
    assert.deepEqual(readable(shown('{"a":[1]}')).text, '{\n  "a": [\n    1\n  ]\n}');
    assert.equal(readable(shown('{"a":1}'), 'text').text, '{"a":1}');
    assert.equal(readable(shown(null)).form, 'null');
    assert.equal(readable(shown(Uint8Array.of(0, 255))).form, 'hex');
    assert.equal(readable(shown('ab'), 'hex').text, hexText(Buffer.from('ab')));
    assert.equal(hexText(Buffer.from('ab\n')), `000000  61 62 0a${' '.repeat(39)}  ab.`);
    assert.equal(readable(shown('')).text, '');
  });

  test('that are truncated inside a character are still text', () => {
    const cut = readable(shown(Buffer.from('grüß').subarray(0, 3), 1000));
    assert.deepEqual(cut, { text: 'gr', form: 'text', isCut: true });
    assert.equal(preview(shown('a\n  b', 9000)), 'a b …');
    assert.equal(preview(shown(Uint8Array.of(1, 2))), '01 02');
  });
});

suite('messages of a topic', () => {
  // Three partitions of a hundred messages each; those of the second are the newest.
  const questions: MessagesQuestion[] = [];
  const read = async (_path: string, question: MessagesQuestion): Promise<MessagePage> => {
    questions.push(question);
    const { partition, at, limit } = question;
    const from = at === 'newest' ? 100 - limit : at === 'oldest' ? 0 : Number(at);
    const messages = Array.from({ length: Math.max(0, Math.min(limit, 100 - from)) }, (_, index) => ({
      offset: from + index,
      timeMs: from + index + (partition === 1 ? 1000 : 0),
      key: shown(null),
      value: shown('x'),
      headers: [],
    }));
    return { startOffset: 0, endOffset: 100, messages, nextOffset: from + messages.length, skipped: 0 };
  };
  const ending = new AbortController().signal;

  test('of all partitions are merged, the newest first', async () => {
    const model = new MessagesModel('/streaming/clusters/c/topics/t', 3, ending, read);
    assert.equal(model.partition.value, 'all');
    await model.load();
    assert.equal(model.messages.value?.length, 50);
    assert.deepEqual([model.messages.value?.[0]?.partition, model.messages.value?.[0]?.offset], [1, 99]);
    assert.equal(model.span.value, undefined, 'several partitions have no paging');
  });

  test('of one partition are read page by page from any position', async () => {
    const model = new MessagesModel('/p', 3, ending, read);
    model.partition.value = '0';
    model.place.value = 'offset';
    model.offset.value = '10';
    await model.load();
    assert.deepEqual([model.messages.value?.[0]?.offset, model.span.value?.next], [10, 60]);
    await model.turn(1);
    assert.deepEqual([model.messages.value?.[0]?.offset, model.messages.value?.length], [60, 40]);
    await model.turn(-1);
    assert.equal(model.messages.value?.[0]?.offset, 10);
    await model.turn(-1);
    assert.equal(model.messages.value?.[0]?.offset, 0);
    model.place.value = 'time';
    model.time.value = '2026-01-02T03:04:05';
    await model.load();
    assert.equal(questions.at(-1)?.at, new Date('2026-01-02T03:04:05').toISOString());
  });

  test('of many partitions are shown one by one', () => {
    const model = new MessagesModel('/p', 100, ending, read);
    assert.deepEqual([model.partition.value, model.options.length], ['0', 100]);
  });

  test('have the same address with and without a region', () => {
    const own = '/console/streaming/clusters/c/topics/t';
    assert.equal(inspectionPath('/de-txl/streaming/clusters/c/topics/t'), own);
    assert.equal(inspectionPath('/streaming/clusters/c/topics/t'), own);
  });
});
