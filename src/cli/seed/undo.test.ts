// What a refused seed takes back, in which order, and what it tells of that.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { type Undo, undoneIfItFails } from './undo.ts';

const refused = (work: (undo: Undo) => void | Promise<void>): Promise<string[]> =>
  undoneIfItFails<void>(async (undo) => {
    await work(undo);
    throw new Fault('refused', 'seed.yaml:7: too many');
  }).then(
    () => assert.fail('it was not refused'),
    (error: unknown) => (error as Fault).problems.map(({ message }) => message),
  );

const allBack = 'What the seed had made before that was removed again.';

test('what was made is taken back, the last first, and what was in use a second time', async () => {
  const order: string[] = [];
  let isUsed = true;
  const told = await refused((undo) => {
    undo.add('a block', async () => {
      order.push('block');
      isUsed = false;
      return undefined;
    });
    undo.add('a server', async () => {
      order.push('server');
      return isUsed ? 'in use' : undefined;
    });
  });
  assert.deepEqual(order, ['server', 'block', 'server']);
  assert.deepEqual(told, ['seed.yaml:7: too many', allBack]);
});

test('what stays is told, also by a part of the seed that is undone before the others', async () => {
  const told = await refused(async (outer) => {
    outer.add('a block', async () => undefined);
    await undoneIfItFails(async (inner) => {
      inner.add('a bucket', () => Promise.reject(new Error('it is not empty')));
      inner.add('an object', async () => undefined);
      throw new Fault('refused', 'seed.yaml:9: no');
    });
  });
  const left = 'This was made by the seed and could not be removed again: a bucket: it is not empty';
  assert.deepEqual(told, ['seed.yaml:9: no', left]);
});

test('where nothing was made, the refusal alone is told; a bug stays what it is', async () => {
  assert.deepEqual(await refused(() => {}), ['seed.yaml:7: too many']);
  const bug = new TypeError('x is undefined');
  const thrown = undoneIfItFails((undo) => {
    undo.add('a block', async () => undefined);
    throw bug;
  });
  await assert.rejects(thrown, bug);
});
