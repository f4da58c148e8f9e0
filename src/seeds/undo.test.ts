// A refused seed removes what it created: the order, and its error messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { leftBehind, type Undo, undoneIfItFails } from './undo.ts';

const refused = (work: (undo: Undo) => void | Promise<void>): Promise<string[]> =>
  undoneIfItFails<void>(async (undo) => {
    await work(undo);
    throw new Fault('refused', 'seed.yaml:7: too many');
  }).then(
    () => assert.fail('the seed was not refused'),
    (error: unknown) => (error as Fault).problems.map(({ message }) => message),
  );

const allBack = 'Everything that was created before has been deleted again.';

test('changes are undone, last first, and those that others need are tried a second time', async () => {
  const order: string[] = [];
  let isUsed = true;
  const messages = await refused((undo) => {
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
  assert.deepEqual(messages, ['seed.yaml:7: too many', allBack]);
});

test('created resources are deleted at the same time, with everything in them, until none can be deleted', async () => {
  const calls: string[] = [];
  const both = Promise.withResolvers<void>();
  const messages = await refused((undo) => {
    undo.add('a change', async () => void calls.push('change'));
    for (const path of ['/blocks/1', '/datacenters/1', '/datacenters/1/servers/1', '/datacenters/10/servers/2'])
      undo.addCreated(path, path, async () => {
        calls.push(path);
        if (calls.length === 4) both.resolve();
        await both.promise;
        return path === '/blocks/1' && calls.length < 5 ? 'in use' : undefined;
      });
  });
  const outermost = ['/datacenters/10/servers/2', '/datacenters/1', '/blocks/1'];
  assert.deepEqual(calls, ['change', ...outermost, '/blocks/1']);
  assert.deepEqual(messages, ['seed.yaml:7: too many', allBack]);
});

test('remaining resources are reported, also by a part of the seed that is undone before the others', async () => {
  const messages = await refused(async (outer) => {
    outer.add('a block', async () => undefined);
    await undoneIfItFails(async (inner) => {
      inner.add('a bucket', () => Promise.reject(new Error('it is not empty')));
      inner.add('an object', async () => undefined);
      throw new Fault('refused', 'seed.yaml:9: no');
    });
  });
  const left = 'This was created before and could not be deleted again: a bucket: it is not empty';
  assert.deepEqual(messages, ['seed.yaml:9: no', left]);
  const error = new Fault('refused', '', { problems: messages.map((message) => ({ message })) });
  assert.deepEqual(leftBehind(error), ['a bucket: it is not empty']);
});

test('if nothing was created, only the refusal is reported; an internal error is unchanged', async () => {
  assert.deepEqual(await refused(() => {}), ['seed.yaml:7: too many']);
  const bug = new TypeError('x is undefined');
  const thrown = undoneIfItFails((undo) => {
    undo.add('a block', async () => undefined);
    throw bug;
  });
  await assert.rejects(thrown, bug);
});
