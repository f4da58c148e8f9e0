// Documents that are embedded again while clients wait.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { Renewals } from './renewals.ts';

const tells = (says: RegExp) => (error: unknown) =>
  error instanceof Fault && error.kind === 'unavailable' && says.test(error.message);

test('a client that waits too long gets the progress; the work continues, once for all clients', async () => {
  const renewals = new Renewals(20);
  const last = Promise.withResolvers<void>();
  const renewed: string[] = [];
  const renew = async (id: string): Promise<void> => {
    if (id === 'c') await last.promise;
    renewed.push(id);
  };
  for (let attempt = 0; attempt < 2; attempt++)
    await assert.rejects(renewals.run('one', ['a', 'b', 'c'], renew), tells(/2 of 3 are done/));
  last.resolve();
  await renewals.run('one', ['c'], renew);
  assert.deepEqual(new Set(renewed), new Set(['a', 'b', 'c']));
  assert.equal(renewed.filter((id) => id === 'a').length, 1);
});

test('waiting clients get a failure, and the next call starts again', async () => {
  const renewals = new Renewals();
  const failing = async (): Promise<void> => {
    throw new Fault('unavailable', 'The upstream is gone.');
  };
  await assert.rejects(renewals.run('one', ['a'], failing), tells(/upstream is gone/));
  await renewals.run('one', ['a'], async () => {});
  await renewals.close();
  await assert.rejects(
    renewals.run('one', ['a'], async () => {}),
    tells(/region is stopping/),
  );
});
