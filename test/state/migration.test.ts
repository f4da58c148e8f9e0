// The current version on a data folder that an older one left: nothing is lost, and a pending operation is resumed.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { until } from '../../src/testing/waiting.ts';
import { core } from '../harness/people.ts';
import { createDone, type Owner, ownerPassword, Region, type ResourceBody } from '../harness/region.ts';
import { turnBackClock } from './earlier-folders.ts';

interface Kept {
  answers: Record<string, ResourceBody>;
  activity: Log;
  madeAt: number;
  pending: string;
  tokens: { owner: string; person: string };
  person: Owner;
  pipeline: { id: string; path: string; key: string };
}

interface Log {
  hits: { total: number; hits: { _source: object }[] };
}

const fixture = join(import.meta.dirname, 'fixtures/state-v5');
const unzipped = (name: string): Buffer => gunzipSync(readFileSync(join(fixture, name)));

suite('a state folder of schema version 5', () => {
  const kept = JSON.parse(unzipped('answers.json.gz').toString()) as Kept;
  const data = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
  const region = new Region({ data, args: ['--state', `sqlite:${data}`] });
  before(async () => {
    writeFileSync(join(data, 'state.db'), unzipped('state.db.gz'));
    copyFileSync(join(fixture, 'region.key'), join(data, 'region.key'));
    turnBackClock(join(data, 'state.db'), kept.madeAt, 2200);
    region.token = kept.tokens.owner;
    await region.start();
  });
  after(async () => {
    await region.stop();
    rmSync(data, { recursive: true, force: true });
  });

  const ask = async (path: string, token = kept.tokens.owner) => {
    const { status, body } = await region.call('GET', path, undefined, { token });
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    return JSON.parse(JSON.stringify(body).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')) as ResourceBody;
  };

  test('every audit entry is there, in its order and with its content', async () => {
    const { hits } = (await ask(`/activitylog/v1/contracts/${region.contract}?limit=1000`)) as unknown as Log;
    const known = kept.activity.hits.hits;
    assert.deepEqual(hits.hits.slice(-known.length), known);
  });

  test('the operation that was pending is resumed', async () => {
    await until(
      'the pending IP block',
      async () => (await ask(`${core}/ipblocks/${kept.pending}`)).metadata.state === 'AVAILABLE',
    );
  });

  for (const [path, answer] of Object.entries(kept.answers))
    test(`GET ${path.replace(/\?.*/, '')} answers as before`, async () => {
      assert.deepEqual(await ask(path), answer);
    });

  test('passwords, tokens and the key of a pipeline are good', async () => {
    const owner = { email: 'owner@cumulet.local', password: ownerPassword };
    for (const basic of [owner, kept.person]) {
      const { status } = await region.call('GET', '/auth/v1/tokens/generate', undefined, { basic });
      assert.equal(status, 200, basic.email);
    }
    assert.equal((await ask(`${core}/ipblocks?depth=1`, kept.tokens.person)).items.length, 1);
    const { path, key } = kept.pipeline;
    const query = await region.call('GET', `${path}/api/v1/query?query=up`, undefined, {
      token: null,
      headers: { apikey: key },
    });
    assert.equal(query.status, 200, JSON.stringify(query.body));
  });

  test('it continues: a change is made and audited after the others, also after another start', async () => {
    const made = await createDone(region, `${core}/datacenters`, { properties: { name: 'new', location: 'de/txl' } });
    await region.restart();
    const [newest] = ((await ask(`/activitylog/v1/contracts/${region.contract}?limit=1`)) as unknown as Log).hits.hits;
    assert.match(JSON.stringify(newest), new RegExp(made.id));
  });
});
