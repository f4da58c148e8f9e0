// kill -9 under load: whatever was answered is there after the restart, and nothing is half made. Six rounds, a
// hundred with --full.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { type Chance, chanceOf, isFull } from '../../src/testing/seed.ts';
import { assertWhole } from '../harness/invariants.ts';
import { core } from '../harness/people.ts';
import { endsWithin, launch } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { stateFor } from '../harness/states.ts';
import { Audit, assertRound } from './checks.ts';
import { Ledger } from './ledger.ts';
import { write, writers } from './works.ts';
import type { Round } from './writers.ts';

const rounds = isFull ? 100 : 6;

test(`[GEN-06] nothing answered is lost in ${rounds} rounds of kill -9 under ${writers} writers`, async (t) => {
  const chance = chanceOf(t);
  await using region = await startRegion({ args: ['--pace', '5', '--rate-burst', '1000000'] });
  const ledger = new Ledger();
  const audit = new Audit();
  let answered = 0;
  for (let number = 0; number < rounds; number++) {
    const changes = await untilKilled(region, ledger, chance, number);
    answered += changes;
    await region.start();
    await assertRound(region, ledger, audit);
  }
  t.diagnostic(`${answered} answered changes, ${ledger.resources.size} resources exist, ${audit.entries} entries`);
  assert.ok(answered > rounds * 10, 'too little was written to prove anything');
});

test('[GEN-06] [AUTH-01] a first start that is killed can be begun again, and its owner gets in', async (t) => {
  const chance = chanceOf(t);
  const env = { CUMULET_OWNER_PASSWORD: '' }; // so that one is generated, which is shown once
  for (let round = 0; round < rounds / 2; round++) {
    const data = mkdtempSync(join(tmpdir(), 'cumulet-first-'));
    const first = launch(['up', '--json', '--port', '0', '--data', data, ...(await stateFor(data))], { env });
    setTimeout(() => first.kill('SIGKILL'), 100 + chance.below(600)); // deadline
    assert.ok(await endsWithin(first, limits.regionStop));
    await using region = await startRegion({ data, env });
    const { status } = await region.call('GET', `${core}/datacenters`, undefined, { basic: region.owner });
    assert.equal(status, 200);
    await assertWhole(data);
    await region.stop();
    rmSync(data, { recursive: true });
  }
});

// Lets the writers write until a random number of answers came, and a random moment more; then kill -9.
async function untilKilled(region: Region, ledger: Ledger, chance: Chance, number: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const enough = 20 + chance.below(300);
  const momentMs = chance.below(20);
  let count = 0;
  const answered = (): void => {
    if (++count === enough) setTimeout(resolve, momentMs); // deadline
  };
  const round: Round = {
    ledger,
    chance,
    number,
    over: false,
    answered,
    call: (...args) => region.call(...args),
    look: (path) => region.call('GET', path),
  };
  const all = Promise.all(Array.from({ length: writers }, (_, index) => write(round, index)));
  await Promise.race([promise, all]);
  round.over = true;
  await region.kill();
  await all;
  return count;
}
