// The same samples pushed to ours and to a real Prometheus, and thousands of random queries: the answers must
// be the same. CUMULET_SEED repeats a run.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { type Chance, chanceOf, isFull, seeded } from '../../../src/testing/seed.ts';
import { startRegion } from '../../harness/region.ts';
import type { Api, QueryAnswer } from '../agents/api.ts';
import { openPipeline } from '../agents/pipeline.ts';
import { prometheus, prometheus3 } from '../agents/programs.ts';
import { startPrometheus } from '../agents/prometheus.ts';
import type { Absent, Found } from '../install.ts';
import { dataFrom, spanMs } from './data.ts';
import { queriesBy, type Span } from './queries.ts';
import { body1, remoteWrite1, type Sent } from './remote-write.ts';
import { difference } from './sameness.ts';

const count = isFull ? 2000 : 1000;
const atOnce = 4;
const hourMs = 3_600_000;

suite('PromQL against a real Prometheus', () => {
  test('[METRIC-08] Prometheus 3, including samples on the borders of ranges', (t) =>
    compare(t, prometheus3(), { newest: true, args: ['--enable-feature=promql-experimental-functions'] }));

  // Up to version 2 a range includes its beginning, so no sample may be there.
  test('[METRIC-08] Prometheus 2, without samples on the borders', (t) => compare(t, prometheus(), { newest: false }));
});

const defaultSeed = 315;

interface Peer {
  newest: boolean;
  args?: string[];
}

async function compare(t: TestContext, finding: Promise<Found | Absent>, peer: Peer): Promise<void> {
  const program = await finding;
  if (!program.path) {
    t.skip(program.skip);
    return;
  }
  // A plain run asks the same queries each time, to detect regressions; --full asks new ones.
  const chance = isFull || process.env.CUMULET_SEED ? chanceOf(t) : seeded(defaultSeed);
  const receiver = ['--web.enable-remote-write-receiver', ...(peer.args ?? [])];
  await using theirs = await startPrometheus({ program: program.path, args: receiver });
  await using region = await startRegion({ args: ['--rate-burst', '1000000'] });
  const pipeline = await openPipeline(region, 'differential');
  // Some whole hours back, so that nothing is in the future and nothing is too old.
  const fromMs = Math.floor(Date.now() / hourMs) * hourMs - spanMs - hourMs;
  const data = dataFrom(fromMs, chance, peer.newest);
  for (const body of bodiesOf(data)) {
    const { status, text } = await pipeline.push(body, remoteWrite1);
    assert.ok(status < 300, `${status} ${text}`);
    const taken = await fetch(`${theirs.url}/api/v1/write`, { method: 'POST', body, headers: remoteWrite1 });
    assert.ok(taken.ok, `${taken.status} ${await taken.text()}`);
  }
  const seen = await askBoth(chance, { fromMs, toMs: fromMs + spanMs }, peer.newest, pipeline.api, theirs.api);
  const { empty, refused, differing } = seen;
  t.diagnostic(`${count} queries: ${empty} empty, ${refused} refused by both, ${differing.length} differ`);
  assert.ok(refused < count * 0.15 && empty < count * 0.3, 'too few of the queries mean something');
  if (differing.length > 0)
    assert.fail(`${differing.length} of ${count} differ:\n${differing.slice(0, 15).join('\n')}`);
}

// In the order of time, some series at a time, like an agent.
function* bodiesOf(data: readonly Sent[]): Generator<Buffer<ArrayBuffer>> {
  const slices = 8;
  for (let slice = 0; slice < slices; slice++) {
    const part = ({ labels, points }: Sent): Sent => {
      const each = Math.ceil(points.length / slices);
      return { labels, points: points.slice(slice * each, (slice + 1) * each) };
    };
    yield body1(data.map(part).filter(({ points }) => points.length > 0));
  }
}

interface Seen {
  differing: string[];
  empty: number;
  refused: number;
}

async function askBoth(chance: Chance, span: Span, newest: boolean, ours: Api, theirs: Api): Promise<Seen> {
  const queries = queriesBy(chance, span, newest);
  const seen: Seen = { differing: [], empty: 0, refused: 0 };
  const questions = Array.from({ length: count }, () => ({ ...queries.next(), ...timeOf(chance, span, newest) }));
  const one = async (question: (typeof questions)[number]): Promise<void> => {
    const [mine, other] = await Promise.all([question.ask(ours, question.text), question.ask(theirs, question.text)]);
    const differs = difference(mine, other, question);
    if (differs) seen.differing.push(`${question.text}\n  ${question.when}: ${differs}`);
    else if (other.error !== undefined) seen.refused += 1;
    else if (other.result.length === 0) seen.empty += 1;
  };
  const worker = async (): Promise<void> => {
    for (let next = questions.shift(); next; next = questions.shift()) await one(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return seen;
}

interface Time {
  when: string;
  ask(api: Api, text: string): Promise<QueryAnswer>;
}

// Whole seconds; seven seconds after a multiple of ten if a step of a subquery must not be on a border.
function timeOf(chance: Chance, { fromMs, toMs }: Span, newest: boolean): Time {
  const second = newest && chance.often(40) ? 0 : 7;
  const atMs = fromMs + 10_000 * chance.below((toMs - fromMs) / 10_000) + 1000 * second;
  if (chance.often(50)) return { when: `at ${atMs}`, ask: (api, text) => api.query(text, atMs) };
  const stepMs = chance.one([10_000, 30_000, 60_000, 70_000, 180_000]);
  const endMs = atMs + stepMs * (4 + chance.below(40));
  return {
    when: `from ${atMs} to ${endMs} by ${stepMs}`,
    ask: (api, text) => api.range(text, atMs, endMs, stepMs),
  };
}
