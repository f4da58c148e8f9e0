// The models of the playground: the chat and its requests.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ApiError } from '../../../console/api.ts';
import { ChatModel, figuresText, type OpenStream } from '../../../console/inference/chat/chat-model.ts';
import { bodyOf, type ChatBody, exampleSchema, exampleTools } from '../../../console/inference/chat/request.ts';
import { curlText, pythonText } from '../../../console/inference/chat/snippets.ts';
import { type Chunk, chunksOf } from '../../../console/inference/chat/stream.ts';
import { cosine } from '../../../console/inference/embeddings/similarity.ts';
import { refusalOf } from '../../../console/inference/failure.ts';
import { isStandIn } from '../../../console/inference/models.ts';

const settings = { model: 'm', system: '', temperature: '', maxTokens: '', seed: '', schema: '', tools: '' };

async function* list<T>(...items: T[]): AsyncGenerator<T> {
  yield* items;
}

const streamed = (...events: string[]) => list(...events.map((data) => ({ data })));

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of items) all.push(one);
  return all;
}

suite('a stream of a chat', () => {
  test('has text, reasoning, tool calls, the finish reason and the tokens', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const events = [
      { choices: [{ delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      { choices: [{ delta: { reasoning_content: 'hm' } }] },
      { choices: [{ delta: { content: 'hi' } }] },
      { choices: [{ delta: { tool_calls: [call] } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }], usage: null },
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
    ].map((one) => JSON.stringify(one));
    assert.deepEqual(await collect(chunksOf(streamed(...events, '', '[DONE]', 'never read'))), [
      { reasoning: 'hm' },
      { text: 'hi' },
      { call },
      { finish: 'stop' },
      { usage: { prompt_tokens: 1, completion_tokens: 2 } },
    ]);
  });

  test('that fails or breaks off throws an error', async () => {
    await assert.rejects(collect(chunksOf(streamed('{"error":{"message":"The model failed."}}'))), /The model failed/);
    await assert.rejects(collect(chunksOf(streamed('{"choices":[]}'))), /before the answer was complete/);
  });

  test("that is refused has the platform's message and the time to try again", async () => {
    const body = JSON.stringify({ error: { message: 'x' }, messages: [{ errorCode: '429', message: 'Used up.' }] });
    const error = await refusalOf(new Response(body, { status: 429, headers: { 'retry-after': '2' } }));
    assert.deepEqual([error.status, error.message], [429, 'Used up. Try again in 2 s.']);
    const other = await refusalOf(new Response(body, { status: 400 }));
    assert.equal(other.message, 'Used up.');
  });
});

suite('a chat', () => {
  // Returns prepared answers and records the requests.
  class Answerer {
    readonly bodies: ChatBody[] = [];
    answers: Chunk[][] = [];
    open: OpenStream = async (body) => {
      this.bodies.push(structuredClone(body));
      return { servedBy: 'the test', chunks: list(...(this.answers.shift() ?? [])) };
    };
  }
  const chatOf = (answerer: Answerer): ChatModel => {
    let now = 0;
    return new ChatModel('m', answerer.open, () => (now += 100));
  };
  const say = async (chat: ChatModel, text: string): Promise<void> => {
    chat.draft.value = text;
    await chat.send();
  };

  test('sends all turns to the model, and measures them', async () => {
    const answerer = new Answerer();
    const usage = { prompt_tokens: 3, completion_tokens: 4 };
    answerer.answers = [[{ text: 'a' }, { text: 'b' }, { finish: 'length' }, { usage }], [{ text: 'c' }]];
    const chat = chatOf(answerer);
    chat.set({ system: 'be short', temperature: '0.5', seed: '7' });
    await say(chat, 'one');
    const [, answer] = chat.turns.value;
    assert.equal(answer?.text.value, 'ab');
    assert.match(figuresText(answer?.figures.value as never), /^3 \+ 4 tokens · first after 100 ms · 200 ms in total/);
    await say(chat, 'two');
    assert.deepEqual(answerer.bodies[1], {
      model: 'm',
      temperature: 0.5,
      seed: 7,
      messages: [
        { role: 'system', content: 'be short' },
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'ab' },
        { role: 'user', content: 'two' },
      ],
    });
  });

  test('regenerates an answer, and goes back to an earlier turn', async () => {
    const answerer = new Answerer();
    answerer.answers = [[{ text: 'a' }], [{ text: 'b' }]];
    const chat = chatOf(answerer);
    await say(chat, 'one');
    await chat.regenerate();
    assert.deepEqual(
      chat.turns.value.map(({ text }) => text.value),
      ['one', 'b'],
    );
    assert.deepEqual(answerer.bodies[0], answerer.bodies[1]);
    assert.deepEqual(chat.body().messages, [{ role: 'user', content: 'one' }]);
    chat.edit(chat.turns.value[0] as never);
    assert.deepEqual([chat.draft.value, chat.turns.value.length], ['one', 0]);
  });

  test('continues after a tool has answered', async () => {
    const answerer = new Answerer();
    const call = { id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
    answerer.answers = [[{ call }], [{ text: 'warm' }]];
    const chat = chatOf(answerer);
    chat.set({ tools: exampleTools });
    await say(chat, 'weather?');
    await chat.answerCall(call, '20 degrees');
    assert.deepEqual(answerer.bodies[1]?.messages.slice(1), [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: '20 degrees', tool_call_id: 'c1' },
    ]);
    assert.equal(chat.turns.value.at(-1)?.text.value, 'warm');
  });

  test('sends no invalid settings, and keeps the draft of a failed request', async () => {
    const chat = new ChatModel('m', () => Promise.reject(new ApiError(429, [{ errorCode: '429', message: 'Slow.' }])));
    chat.set({ schema: '{' });
    await say(chat, 'x');
    assert.deepEqual([chat.problem.value?.field, chat.turns.value.length, chat.draft.value], ['schema', 0, 'x']);
    chat.set({ schema: exampleSchema });
    await chat.send();
    const failed = chat.turns.value[1]?.failure.value;
    assert.equal(failed instanceof ApiError && failed.message, 'Slow.');
    assert.equal(chat.isBusy.value, false);
    assert.throws(() => bodyOf({ ...settings, temperature: 'hot' }, []), /Type a number/);
  });

  test('is the same request with curl and with Python for any text', () => {
    const body = bodyOf({ ...settings, schema: exampleSchema }, [{ role: 'user', content: `it's "so"\n\u2028 \\ $x` }]);
    const curl = curlText('http://h/v1', body);
    const [, sent = ''] = /-d '(.*)'\n$/s.exec(curl) ?? [];
    assert.deepEqual(JSON.parse(sent.replaceAll("'\\''", "'")), { ...body, stream: true });
    const python = pythonText('http://h/v1', body);
    assert.match(python, /"strict": True,/);
    assert.match(python, /"content": "it's \\"so\\"\\n/);
    assert.doesNotMatch(python, /\b(?:true|false|null)\b/);
  });
});

suite('models', () => {
  test('that stand in for others are recognized', () => {
    const model = (id: string, served_by: string) => ({ id, kind: 'chat' as const, context_length: 1, served_by });
    assert.ok(isStandIn(model('a/B', 'the tiny built-in model, not a/B')));
    assert.ok(isStandIn(model('a/B-24', 'smollm2 on this machine')));
    assert.ok(!isStandIn(model('own/smollm2', 'SmolLM2 on this machine')));
  });

  test('are compared by the cosine', () => {
    assert.equal(cosine([1, 0], [0, 2]), 0);
    assert.equal(cosine([1, 1], [2, 2]).toFixed(6), '1.000000');
    assert.equal(cosine([0], [1]), 0);
  });
});
