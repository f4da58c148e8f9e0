// The models of a topic's messages: displayed bytes and paging.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { hexText, preview, readable } from '../../../console/streaming/bytes.ts';
import { inspectionPath, type MessagePage, type MessagesQuestion } from '../../../console/streaming/inspection.ts';
import { LiveTail } from '../../../console/streaming/live-tail.ts';
import { MessagesModel } from '../../../console/streaming/messages-model.ts';
import { messageFrom, problemsIn } from '../../../console/streaming/new-message.ts';

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

  test('are filtered by a text in their key, value or headers', async () => {
    const page = await read('/p', { partition: 0, at: '97', limit: 3 });
    const filled = page.messages.map((one, at) => ({
      ...one,
      key: at === 0 ? shown('Order-1') : one.key,
      headers: at === 1 ? [{ key: 'trace', value: shown('order-2') }] : [],
    }));
    const model = new MessagesModel('/p', 1, ending, async () => ({ ...page, messages: filled }));
    await model.load();
    assert.equal(model.found?.length, 3);
    model.text.value = ' ORDER';
    assert.deepEqual(
      model.found?.map(({ offset }) => offset),
      [98, 97],
    );
    model.text.value = 'x';
    assert.equal(model.found?.length, 3, 'the value');
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

suite('a live tail', () => {
  const one = (offset: number, timeMs: number) => ({
    offset,
    timeMs,
    key: shown(null),
    value: shown('x'),
    headers: [],
  });
  const pageOf = (from: number, count: number, endOffset: number): MessagePage => ({
    startOffset: 0,
    endOffset,
    messages: Array.from({ length: count }, (_, at) => one(from + at, from + at)),
    nextOffset: from + count,
    skipped: 0,
  });

  test('continues where the page ends, adds new messages at the top, keeps 500 and stops when it is paused', async () => {
    const requested: string[] = [];
    const read = async (): Promise<MessagePage> => pageOf(0, 50, 50);
    const model: MessagesModel = new MessagesModel(
      '/p',
      2,
      new AbortController().signal,
      read,
      async (_path, after) => {
        requested.push(after.join(' '));
        if (requested.length === 7) model.pause();
        return { pages: after.map(([partition, offset]) => pageOf(offset, partition === 0 ? 100 : 0, offset + 100)) };
      },
    );
    await model.follow(() => false, 1);
    assert.deepEqual(requested.slice(0, 2), ['0,50 1,50', '0,150 1,50']);
    assert.equal(requested.length, 7);
    assert.equal(model.messages.value?.length, 500);
    assert.deepEqual([model.messages.value?.[0]?.offset, model.isLive.value], [649, false]);
  });

  test('skips messages that arrive too fast, and reports their number', async () => {
    const pages = [pageOf(0, 100, 5000)];
    const offsets: number[] = [];
    const tail = new LiveTail('/p', new Map([[3, 0]]), async (_path, [after]) => {
      offsets.push(after?.[1] ?? -1);
      return { pages };
    });
    const { messages, missed } = await tail.poll(new AbortController().signal);
    assert.deepEqual([messages.length, messages[0]?.partition, missed], [100, 3, 4800]);
    await tail.poll(new AbortController().signal);
    assert.deepEqual(offsets, [0, 4900]);
  });
});

suite('a new message', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  test('has key, value and headers as base64; an empty key and a missing value are null', () => {
    assert.deepEqual(messageFrom({ key: 'k', value: 'grüße', headers: [{ key: 'trace', value: 't' }] }), {
      partition: null,
      key: base64('k'),
      value: base64('grüße'),
      headers: [{ key: 'trace', value: base64('t') }],
    });
    assert.deepEqual(messageFrom({ partition: 2, isNull: true, value: 'x' }), {
      partition: 2,
      key: null,
      value: null,
      headers: [],
    });
    assert.equal(messageFrom({ format: 'Base64', value: ' aGFs bG8= ' }).value, 'aGFsbG8=');
  });

  test('must be valid in its format', () => {
    assert.deepEqual(problemsIn({ format: 'Text', value: '{' }), {});
    assert.match(problemsIn({ format: 'JSON', value: '{' }).value ?? '', /not valid JSON/);
    assert.match(problemsIn({ format: 'Base64', value: '!' }).value ?? '', /not valid base64/);
    assert.deepEqual(problemsIn({ format: 'JSON', value: '{', isNull: true }), {});
  });
});
