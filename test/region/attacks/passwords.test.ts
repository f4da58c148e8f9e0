// Guessing passwords: slow for the attacker, without locking out the owner of the account.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { addPerson, core } from '../../harness/people.ts';
import { type Owner, type Region, startRegion } from '../../harness/region.ts';

// A call with these credentials from one of the addresses of this machine.
function statusFrom(region: Region, localAddress: string, { email, password }: Owner): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = { localAddress, auth: `${email}:${password}` };
  request(new URL(`${core}/`, region.url), options, (response) => {
    response.resume().on('end', () => resolve(response.statusCode ?? 0));
  })
    .on('error', reject)
    .end();
  return promise;
}

test('wrong passwords from one address lock out this address only', async () => {
  await using region = await startRegion();
  const { basic } = await addPerson(region);
  const guesses = Array.from({ length: 20 }, (_, at) =>
    statusFrom(region, '127.0.0.2', { ...basic, password: `wrong ${at}` }),
  );
  const right = statusFrom(region, '127.0.0.2', basic); // behind them, while the address has to wait
  const statuses = await Promise.all(guesses);
  assert.ok(statuses.filter((status) => status === 401).length <= 10, statuses.join());
  assert.equal(await right, 429);
  assert.equal(await statusFrom(region, '127.0.0.9', basic), 200);
});

test('many addresses together do not get ten guesses each', async () => {
  await using region = await startRegion();
  const { basic } = await addPerson(region);
  const guesses = Array.from({ length: 100 }, (_, at) =>
    statusFrom(region, `127.0.1.${1 + (at % 12)}`, { ...basic, password: `wrong ${at}` }),
  );
  const right = statusFrom(region, '127.0.0.9', basic);
  const statuses = await Promise.all(guesses);
  assert.ok(statuses.filter((status) => status === 401).length <= 60, statuses.join());
  assert.equal(await right, 429);
});
