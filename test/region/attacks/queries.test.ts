// Queries and rules that are made to take long, to take much memory, or to keep others waiting.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { pause, until } from '../../../src/testing/waiting.ts';
import { readOf, rulesOf, secondsOf } from '../../harness/alerts.ts';
import { answersWhile } from '../../harness/load/responsiveness.ts';
import { addPipeline, type MetricPipeline, plainText } from '../../harness/metrics.ts';
import { addContract, type OwnerOfTest } from '../../harness/people.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { secondContract } from '../../sweep/api.ts';

const isFull = process.env.CUMULET_FULL === '1';
const args = ['--rate-burst', '5000'];

// Each backtracks for ever where the engine does.
const patterns = [
  `${'(a|aa)'.repeat(30)}b`,
  `${'a?'.repeat(8)}.*a.*b`,
  '(a+)+b',
  '(a|a)*b',
  '(a*)*b',
  '(.*a){20}b',
  `${'a?'.repeat(40)}${'a'.repeat(40)}b`,
];

let region: Region;
let other: OwnerOfTest; // of another contract
before(async () => {
  region = await startRegion({ args });
  other = await secondContract(region);
});
after(() => region.stop());

// Most of a second of processor time, without any pushed data.
const heavy = 'stddev_over_time(vector(time() % 7)[1d:1s])';
const heavyRange = { query: heavy, start: '1700000000', end: '1700000600', step: '1' };

async function pushSeries({ push }: MetricPipeline, count: number): Promise<void> {
  const most = 20_000;
  for (let from = 0; from < count; from += most) {
    const numbers = Array.from({ length: Math.min(most, count - from) }, (_, at) => from + at);
    const lines = numbers.map((at) => `many{number="${at}",part="${at % 100}"} ${at}\n`);
    assert.equal((await push(lines.join(''), plainText)).status, 204);
  }
}

test('a hostile regular expression takes linear time wherever one can be written', async () => {
  const pipeline = await addPipeline(region);
  const lines = [60, 1000, 4000].map((length) => `redos{x="${'a'.repeat(length)}c"} 1\n`);
  assert.equal((await pipeline.push(lines.join(''), plainText)).status, 204);
  await answersWhile(region, other.token, async () => {
    for (const pattern of patterns) {
      assert.deepEqual(await pipeline.vector(`redos{x=~"${pattern}"}`), []);
      assert.equal((await pipeline.vector(`redos{x!~"${pattern}"}`)).length, lines.length);
      const replaced = await pipeline.vector(`label_replace(redos, "y", "$1", "x", "(${pattern})")`);
      assert.deepEqual(
        replaced.map(({ metric }) => metric.y),
        lines.map(() => undefined),
      );
      const matcher = { 'match[]': `redos{x=~"${pattern}"}` };
      for (const path of ['series', 'labels', 'label/x/values'])
        assert.deepEqual((await pipeline.ask(path, matcher)).body.data, []);
    }
  });
});

test('rules with hostile regular expressions are accepted, evaluated, and delay no other call', async () => {
  const pipeline = await addPipeline(region);
  assert.equal((await pipeline.push(`redos{x="${'a'.repeat(4000)}c"} 1\n`, plainText)).status, 204);
  const costly = Array.from({ length: 40 }, (_, at) => `nothing{x=~"(?i)[\\\\pL\\\\d]{${900 + at}}"}`); // to compile
  const rules = [...patterns.map((pattern) => `redos{x=~"${pattern}"}`), ...costly].map((expr, at) => {
    const kind = at % 2 === 0 ? `alert: A${at}` : `record: "r:${at}"`;
    return `- ${kind}\n  expr: '${expr}'\n`;
  });
  const text = `name: hostile\ninterval: 1s\nrules:\n${rules.join('')}`;
  await answersWhile(region, other.token, async () => {
    const { status, body } = await region.call('POST', `${rulesOf(pipeline.id)}/app`, text);
    assert.equal(status, 200, JSON.stringify(body));
    const health = async (): Promise<string[]> => {
      const read = await region.call<{ data: { groups: { rules: { health: string }[] }[] } }>(
        'GET',
        `${readOf(pipeline.id)}/rules`,
      );
      return read.body.data.groups.flatMap((group) => group.rules.map((rule) => rule.health));
    };
    const wait = { limitMs: limits.costlyRules };
    const known = await until('all rules are evaluated', health, (all) => !all.includes('unknown'), wait);
    assert.deepEqual([...new Set(known)], ['ok']);
  });
  assert.equal((await region.call('DELETE', `/monitoring/pipelines/${pipeline.id}`)).status, 202); // ends its rules
});

test("a contract's many heavy queries keep no other contract's waiting, and are bounded", async () => {
  const mine = await addPipeline(region);
  const theirs = await addPipeline(region, '/monitoring', { token: other.token });
  const count = 200;
  const leaving = new AbortController();
  const url = `${region.url}${mine.path}/api/v1/query_range?${new URLSearchParams(heavyRange)}`;
  const statuses: number[] = [];
  const refused: Record<string, unknown>[] = [];
  const all = Array.from({ length: count }, async () => {
    const answer = await fetch(url, { headers: { apikey: mine.key }, signal: leaving.signal });
    statuses.push(answer.status);
    const body = (await answer.json()) as Record<string, unknown>;
    if (answer.status === 429) refused.push({ ...body, retryAfter: answer.headers.get('retry-after') });
  });
  const settled = Promise.allSettled(all);
  await until('a query is refused', async () => {
    await theirs.vector('vector(1)');
    return refused.length > 0;
  });
  const answered = statuses.filter((status) => status === 200).length;
  assert.equal((await theirs.vector('vector(2)'))[0]?.value[1], '2');
  assert.ok(answered < count / 4, `${answered} of ${count} were answered before another contract's query`);
  const { retryAfter, error, ...payload } = refused[0] ?? {};
  assert.deepEqual([retryAfter, payload], ['1', { status: 'error', errorType: 'too_many_requests' }]);
  assert.match(String(error), /already has 100 waiting calls/);
  leaving.abort();
  await settled;
  assert.equal((await mine.vector('vector(3)'))[0]?.value[1], '3', 'a query of a closed connection no longer waits');
});

test('while a single query runs, others are answered', async () => {
  const pipeline = await addPipeline(region);
  await pushSeries(pipeline, 6000);
  const theirs = await addPipeline(region, '/monitoring', { token: other.token });
  await Promise.all([pipeline.vector('vector(1)'), theirs.vector('vector(1)')]); // each has a thread now
  const now = await secondsOf(region);
  const range = { start: String(now - 10_000), end: String(now + 300), step: '1' };
  const refused = [
    ['many', 'execution'],
    ['topk(5000, many) + many', 'execution'],
    ['count_values("x", many * time())', 'execution'],
  ] as const;
  await answersWhile(region, other.token, async () => {
    let isAnswered = false;
    const asking = pipeline.ask('query_range', heavyRange).finally(() => {
      isAnswered = true;
    });
    let overtakes = 0;
    while (!isAnswered) {
      // not a wait: it sends queries
      assert.equal((await theirs.vector('vector(1)')).length, 1);
      if (!isAnswered) overtakes++;
      await pause(20);
    }
    assert.equal((await asking).status, 200);
    assert.ok(overtakes > 0, "another contract's query waited for it");
    for (const [query, errorType] of refused) {
      const asking = pipeline.ask('query_range', { query, ...range });
      assert.equal((await theirs.vector('vector(1)')).length, 1);
      const { body, ...answer } = await asking;
      assert.deepEqual([query, answer.status, body.errorType], [query, 422, errorType]);
    }
  });
});

test(`queries over ${isFull ? 'a million' : 'many'} series do not hold all of them`, async () => {
  const pipeline = await addPipeline(region);
  const count = isFull ? 1_000_000 : 40_000;
  await pushSeries(pipeline, count);
  await answersWhile(region, other.token, async () => {
    for (const [query, expected] of [
      ['count({__name__=~".+"})', count],
      ['max(many) + min(many)', count - 1],
      ['count(count by (part) (many))', 100],
      ['sum(count_over_time(many[5m]))', count],
    ] as const)
      assert.equal(Number((await pipeline.vector(query))[0]?.value[1]), expected, query);
  });
  assert.ok((await residentBytes(region)) < 1.5 * 2 ** 30, `${await residentBytes(region)} bytes are resident`);
});

async function residentBytes(region: Region): Promise<number> {
  const { body } = await region.call<string>('GET', '/metrics', undefined, { token: null });
  return Number(/process_resident_memory_bytes (\d+)/.exec(body)?.[1]);
}

test('a contract has so many pipelines, as its limits say', async () => {
  const other = await addContract(region, 31_000_003, '--limit', 'metricPipelines=3');
  const options = { token: other.token };
  const made: string[] = [];
  const add = (place = '/monitoring/pipelines') => region.call('POST', place, { properties: { name: 'one' } }, options);
  for (const place of ['', '/de-fra', '/es-vit']) {
    const { status, body } = await add(`${place}/monitoring/pipelines`);
    assert.equal(status, 202, JSON.stringify(body));
    made.push(body.id);
  }
  const { status, body } = await add();
  assert.equal(status, 422);
  assert.match(JSON.stringify(body), /metricPipelines of the contract is 3: 3 are in use/);
  assert.equal((await region.call('DELETE', `/monitoring/pipelines/${made[0]}`, undefined, options)).status, 202);
  await until(
    'the pipeline is gone',
    () => region.call('GET', `/monitoring/pipelines/${made[0]}`, undefined, options),
    ({ status }) => status === 404,
  );
  assert.equal((await add()).status, 202);
});
