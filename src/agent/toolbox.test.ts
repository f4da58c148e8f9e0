// Finds a tool among hundreds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../testing/processor-time.ts';
import { input, type Tool } from './tool.ts';
import { Toolbox } from './toolbox.ts';

const tools = Array.from(
  { length: 300 },
  (_, at): Tool => ({
    name: `list_parts_${at}`,
    group: 'compute',
    description: `List the parts of datacenter ${at} with their ids, names and states.`,
    input: input({}),
    read: async () => null,
  }),
);

test('[TOOLS-02] a query of a megabyte takes no longer than one of a few words, and finds its first words', () => {
  const toolbox = new Toolbox(tools);
  const words = Array.from({ length: 200_000 }, (_, at) => (at + 1000).toString(36)).join(' ');
  const usedMs = processorMs(() => {
    assert.equal(toolbox.search(`parts 7 77 ${words}`, undefined, 3)[0]?.name, 'list_parts_77');
    toolbox.suggestions(words.replaceAll(' ', '_'));
  });
  assert.ok(usedMs < 10_000, 'takes more than a minute without a bound');
});
