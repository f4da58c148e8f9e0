// The declarations as consoles, tools and tests read them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all } from '../harness/samples.ts';

test('the columns of a resource are properties of it', () => {
  for (const {
    name,
    shown: { columns },
    properties,
  } of all) {
    assert.ok(columns && columns.length > 0, `${name} has no columns`);
    for (const column of columns) assert.ok(column in properties, `${name} has no ${column}`);
  }
});

test('each operation on a resource is a verb or an action of it, in states that clients see', () => {
  for (const {
    name,
    lifecycle: { can, acts },
  } of all)
    for (const [word, states] of Object.entries(can)) {
      assert.ok(['replace', 'change', 'remove', ...Object.keys(acts)].includes(word), `${name} can not ${word}`);
      for (const state of states) assert.match(state, /^(?:AVAILABLE|BUSY|INACTIVE|RUNNING|SHUTOFF|SUSPENDED)$/);
    }
});

test('the parents of a sample are declared, and a resource that can be changed has a sample of a change', () => {
  const names = new Set(all.map(({ name }) => name));
  for (const {
    name,
    sample,
    lifecycle: { change },
    verbs,
  } of all) {
    for (const needed of Object.values(sample?.needs ?? {})) assert.ok(names.has(needed), `${name} needs ${needed}`);
    if (change.length > 0 && verbs.includes('change')) assert.ok(sample?.change, `${name} has no sample of a change`);
  }
});
