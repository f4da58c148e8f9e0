// Messages about wrong arguments help a model to correct the next call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Values } from '../../base/json.ts';
import { id, input, optional, type Tool, text, whole } from '../tool.ts';
import { checkedArguments } from './arguments.ts';

const tool: Tool = {
  name: 'a_tool',
  group: 'insight',
  description: '',
  input: input({
    name: text('Its name'),
    protocol: optional(text('TCP by default', { enum: ['TCP', 'UDP'] })),
    parts: optional({ type: 'array', items: input({ size: whole('Its size', 1, 9) }) }),
  }),
  read: async () => null,
};

test('[TOOLS-05] a message names missing and unknown arguments, and the allowed values', () => {
  checkedArguments(tool, { name: 'x', protocol: 'UDP', parts: [{ size: 1 }] });
  const wrong: [Values, string][] = [
    [{}, "must have required property 'name'"],
    [{ name: 'x', protocol: 'HTTP' }, 'protocol must be one of "TCP", "UDP"'],
    [{ name: 'x', colour: 1 }, 'has an unknown property "colour"; known properties: "name", "protocol", "parts"'],
    [{ name: 'x', parts: [{ size: 10 }] }, 'parts/0/size must be <= 9'],
    [{ name: 'x', parts: [{ size: 1, form: 1 }] }, 'parts/0 has an unknown property "form"; known properties: "size"'],
  ];
  for (const [args, message] of wrong)
    assert.throws(() => checkedArguments(tool, args), { message: `The arguments of a_tool are wrong: ${message}` });
  assert.throws(() => checkedArguments({ ...tool, input: input({}) }, { a: 1 }), /"a"; it takes none$/);
});

test('[TOOLS-02] numbers and texts are converted into each other, and null counts as not given', () => {
  const listLike = { ...tool, input: input({ lan_id: id('An id'), limit: optional(whole('How many', 1, 10)) }) };
  const given = { lan_id: 1, limit: '5' };
  assert.deepEqual(checkedArguments(listLike, given), { lan_id: '1', limit: 5 });

  assert.deepEqual(checkedArguments(listLike, { lan_id: '1', limit: null }), { lan_id: '1' });
  assert.throws(() => checkedArguments(listLike, { lan_id: null }), /required property 'lan_id'/);
  assert.throws(() => checkedArguments(listLike, { lan_id: { a: 1 } }), /lan_id must be string/);
  assert.throws(() => checkedArguments(listLike, { lan_id: 'x', limit: 'ten' }), /limit must be integer/);
});
