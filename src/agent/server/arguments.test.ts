// What is wrong with arguments is told so that the next try can be right.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Values } from '../../base/json.ts';
import { input, optional, type Tool, text, whole } from '../tool.ts';
import { checkArguments } from './arguments.ts';

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

test('[TOOLS-05] a message names what is missing, what is not known, and the values that are allowed', () => {
  checkArguments(tool, { name: 'x', protocol: 'UDP', parts: [{ size: 1 }] });
  const wrong: [Values, string][] = [
    [{}, "must have required property 'name'"],
    [{ name: 'x', protocol: 'HTTP' }, 'protocol must be one of "TCP", "UDP"'],
    [{ name: 'x', colour: 1 }, 'has an unknown property "colour"; there are "name", "protocol", "parts"'],
    [{ name: 'x', parts: [{ size: 10 }] }, 'parts/0/size must be <= 9'],
    [{ name: 'x', parts: [{ size: 1, form: 1 }] }, 'parts/0 has an unknown property "form"; there are "size"'],
  ];
  for (const [args, message] of wrong)
    assert.throws(() => checkArguments(tool, args), { message: `The arguments of a_tool are wrong: ${message}` });
  assert.throws(() => checkArguments({ ...tool, input: input({}) }, { a: 1 }), /"a"; it takes none$/);
});
