// A full disk: changes are refused as unavailable, reads continue, and everything recovers by itself when there is room
// again.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertWhole } from '../harness/invariants.ts';
import { core } from '../harness/people.ts';
import { type Answer, createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';
import { noFile } from '../harness/states.ts';
import { assertPayload, expect } from '../sweep/api.ts';
import { fill, mounted } from './small-disk.ts';

const paceMs = 1500; // longer than it takes to fill the disk

test('[GEN-06] on a full disk changes are 503, reads continue, and nothing acknowledged is lost', {
  skip: noFile,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-disk-'));
  const why = mounted(folder);
  if (why !== undefined) {
    rmSync(folder, { recursive: true });
    return t.skip(`no small disk can be mounted here: ${why}`);
  }
  const data = join(folder, 'data');
  const filler = join(folder, 'filler');
  const region = await startRegion({ data, args: ['--pace', String(paceMs)] });
  try {
    const place = `${core}/datacenters`;
    const body = (name: string): object => ({ properties: { name, location: 'de/txl' } });
    const first = await createDone(region, place, body('first'));
    const pending: Answer[] = [await expect(region.call('POST', place, body('pending')), 202)];
    const since = performance.now();
    fill(filler);
    const refused = await untilRefused(region, place, body, pending);
    assertPayload(refused, 503, 'a creation');

    await t.test('changes of every kind are 503 with the payload', async () => {
      const own = `${place}/${first.id}`;
      const person = { firstname: 'A', lastname: 'B', email: 'a@example.com', password: 'Full-Disk-1' };
      for (const [method, path, sent] of [
        ['PATCH', own, { name: 'changed' }],
        ['DELETE', own],
        ['POST', `${own}/lans`, { properties: {} }],
        ['POST', `${own}/labels`, { properties: { key: 'a', value: 'b' } }],
        ['POST', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } }],
        ['POST', `${core}/um/users`, { properties: person }],
        ['GET', '/auth/v1/tokens/generate'],
        ['PUT', '/lab/clock', { advanceMs: 1 }],
      ] as const) {
        const answer = await region.call(method, path, sent);
        assertPayload(answer, 503, `${method} ${path}`);
        assert.match(JSON.stringify(answer.body), /disk/);
      }
    });

    await t.test('[GEN-06] readiness is 503 with the reason', async () => {
      const answer = await region.call('GET', '/ready', undefined, { token: null });
      assertPayload(answer, 503, '/ready');
      assert.match(JSON.stringify(answer.body), /The disk that holds the data folder is full.*Free space on it/);
      assert.ok(Number(answer.headers['retry-after']) > 0);
    });

    await t.test('reads and health continue', async () => {
      const { body: found } = await expect(region.call('GET', `${place}/${first.id}`), 200);
      assert.equal(found.properties.name, 'first');
      for (const path of [
        '/health',
        '/metrics',
        `${place}?depth=3`,
        `${core}/requests`,
        `/activitylog/v1/contracts/${region.contract}`,
      ])
        await expect(region.call('GET', path), 200);
    });

    await t.test('what was accepted before stays BUSY, for it can not be written down that it is done', async () => {
      const path = new URL(String(pending[0]?.headers.location)).pathname;
      // not a wait: each call is held for a while, and all must show the same
      while (performance.now() - since < paceMs * 2) {
        const { body: shown } = await expect(region.call('GET', path), 200);
        assert.equal(shown.metadata.status, 'BUSY');
      }
    });

    await t.test('with room again, changes work without a restart and what waited is done', async () => {
      rmSync(filler);
      await createDone(region, place, body('after'));
      await expect(region.call('GET', '/ready'), 200); // more than a second after the last call
      for (const { headers } of pending)
        assert.equal((await waitRequest(region, headers.location)).metadata.status, 'DONE');
      await assertThere(region, place, ['first', 'after', ...pending.map((one) => String(one.body.properties.name))]);
      await assertWhole(data);
    });

    await t.test('a start on a full disk loses nothing', async () => {
      await region.halt('SIGTERM');
      fill(filler);
      const started = await region.start().then(
        () => true,
        (error: Error) => assert.match(error.message, /cumulet: .*disk/),
      );
      if (started === true) await expect(region.call('GET', `${place}/${first.id}`), 200);
      rmSync(filler);
      await region.restart();
      await createDone(region, place, body('last'));
      await assertThere(region, place, [
        'first',
        'after',
        'last',
        ...pending.map((one) => String(one.body.properties.name)),
      ]);
    });
  } finally {
    await region.stop().finally(() => {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    });
  }
});

// The log may have a little room left that it has taken before.
async function untilRefused(
  region: Region,
  place: string,
  body: (name: string) => object,
  taken: Answer[],
): Promise<Answer> {
  for (let count = 0; count < 10_000; count++) {
    const answer = await region.call('POST', place, body(`filling-${count}`));
    if (answer.status !== 202) return answer;
    taken.push(answer);
  }
  throw new Error('the disk does not fill up');
}

async function assertThere(region: Region, place: string, names: string[]): Promise<void> {
  const { body } = await region.call('GET', `${place}?depth=1&limit=10000`);
  assert.deepEqual(body.items.map(({ properties }) => String(properties.name)).sort(), names.toSorted());
}
