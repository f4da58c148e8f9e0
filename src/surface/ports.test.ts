// Ports between products.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ports, port } from './ports.ts';

const words = port<{ say(): string }>('words');

test('a port that no product fills, or two, fails with its name', () => {
  assert.throws(() => new Ports().use(words), /no product fills the port words/);
  assert.equal(new Ports().find(words), undefined);
  const twice = new Ports();
  twice.fill(words, { say: () => '' });
  assert.throws(() => twice.fill(words, { say: () => '' }), /two products fill the port words/);
});
