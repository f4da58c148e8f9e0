// The output of a model as parts for the client.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { batchingOf, shares } from './batching.ts';
import type { Model, Token } from './library.ts';
import { Detokenizer, Speech } from './output.ts';

suite('text of tokens', () => {
  // Each token is a byte.
  const model = { detokenize: (tokens: readonly Token[]) => Buffer.from(tokens).toString('utf8') } as Model;

  test('is sent at character boundaries', () => {
    const text = new Detokenizer(model, []);
    const bytes = [...Buffer.from('aé日🙂')];
    assert.deepEqual(
      bytes.map((byte) => text.add(byte)).filter((one) => one !== ''),
      ['a', 'é', '日', '🙂'],
    );
    text.add(0xe6);
    assert.equal(text.rest(), '\ufffd');
  });
});

suite('free text', () => {
  const tools = [{ name: 'weather' }];
  const parts = (text: string, size = 3) => {
    const speech = new Speech(tools, () => 'call_1');
    const said = [];
    for (let at = 0; at < text.length; at += size) said.push(...speech.add(text.slice(at, at + size)));
    said.push(...speech.rest());
    const merged: Record<string, string> = {};
    for (const part of said) {
      if (part.kind === 'call') merged.call = `${part.call.name} ${part.call.arguments}`;
      else if (part.kind !== 'end') merged[part.kind] = (merged[part.kind] ?? '') + part.text;
    }
    return merged;
  };

  test('is text, unchanged', () => {
    assert.deepEqual(parts('It is sunny {really}.'), { text: 'It is sunny {really}.' });
    assert.deepEqual(new Speech(tools, String).add('It'), [{ kind: 'text', text: 'It' }]);
  });

  test('or calls, in the forms that models are trained on', () => {
    const call = { call: 'weather {"city":"Rome"}' };
    assert.deepEqual(parts('{"name":"weather","arguments":{"city":"Rome"}}'), call);
    assert.deepEqual(parts('{"name": "weather", "parameters": {"city": "Rome"}}'), call);
    assert.deepEqual(parts('<tool_call>\n{"name":"weather","arguments":{"city":"Rome"}}\n</tool_call>'), call);
    assert.deepEqual(parts('[TOOL_CALLS] [{"name":"weather","arguments":{"city":"Rome"}}]'), call);
  });

  test('but not what only looks like one', () => {
    for (const text of ['{"name":"other","arguments":{}}', '{"name":', '{"a":1}'])
      assert.deepEqual(parts(text), { text });
  });

  test('after reasoning', () => {
    assert.deepEqual(parts('<think>hm, Rome</think>Sunny.'), { reasoning: 'hm, Rome', text: 'Sunny.' });
    assert.deepEqual(parts('<think>hm</think>{"name":"weather","arguments":{}}'), {
      reasoning: 'hm',
      call: 'weather {}',
    });
    assert.deepEqual(parts('<unknown>'), { text: '<unknown>' });
  });
});

suite('a batch', () => {
  const item = (length: number) => ({ tokens: Array.from({ length }, () => 0) });

  test('has every sequence that generates, and long prompts share the rest', () => {
    const [one, other, long, longer] = [item(1), item(1), item(300), item(900)];
    const amounts = shares([long, one, longer, other], 512).map(({ item: each, processAmount }) => [
      each.tokens.length,
      processAmount,
    ]);
    assert.deepEqual(amounts, [
      [1, 1],
      [1, 1],
      [300, 255],
      [900, 255],
    ]);
  });

  test('waits for the sequences at work, but not for ever', () => {
    const batching = batchingOf(() => 2);
    const one = { items: [item(1)], size: 512 };
    let turns = 0;
    while (batching(one).length === 0) assert.ok(turns++ < 1000);
    assert.ok(turns > 10);
    assert.equal(batching({ items: [item(1), item(1)], size: 512 }).length, 2);
  });
});
