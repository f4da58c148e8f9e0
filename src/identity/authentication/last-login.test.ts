// What recording log-ins costs, and that the record is deleted with the user.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from '../../base/clock.ts';
import { silent } from '../../base/log.ts';
import { openWorkbench } from '../../core/testing.ts';
import { addContract, userPlace } from '../accounts/accounts.ts';
import { LastLogins, lastLoginOf, removeLastLogin } from './last-login.ts';

test('[AUTH-09] a log-in is written once a minute at most, and invalidates no cached identities', async () => {
  await using bench = await openWorkbench([], () => undefined);
  const { store } = bench;
  let time = 1_800_000_000_000;
  const logins = new LastLogins(
    store,
    createClock(0, () => time),
    silent,
  );
  await addContract(store, 1, { email: 'a@example.com', password: 'A-Password-1', role: 'owner' }, {}, time);
  const [user] = await store.range({ contract: 1, place: userPlace, limit: 1 });
  assert.ok(user);
  const caller = { contract: 1, user: user.id };
  const lastLogin = async (): Promise<unknown> => (await lastLoginOf(user, store)).lastLogin;
  const sets = (): number => store.engine.figures().sets ?? Number.NaN;
  const [epoch, before] = [store.identityEpoch, sets()];
  for (let times = 0; times < 100; times++) {
    logins.note(caller);
    await logins.flush();
  }
  assert.equal(await lastLogin(), '2027-01-15T08:00:00.000Z');
  time += 59_000;
  logins.note(caller);
  await logins.flush();
  assert.equal(sets() - before, 1);
  time += 2000;
  logins.note(caller);
  await logins.flush();
  assert.equal(await lastLogin(), '2027-01-15T08:01:01.000Z');
  assert.equal(sets() - before, 2);
  assert.equal(store.identityEpoch, epoch);
  assert.equal((await store.get(1, userPlace, user.id))?.version, user.version);

  time += 61_000;
  logins.note(caller);
  await store.must([{ op: 'remove', table: 'resource', key: user }, removeLastLogin(1, user.id)]);
  await logins.flush();
  assert.equal(await lastLogin(), null, 'nothing is written for a deleted user');
});
