// The same lines in a real Loki and in ours, and random queries: the answers must be the same. Loki's answers
// to 500 of them are recorded, so that a plain run needs no Loki; a full run (--full) asks it, with new queries too.
// CUMULET_RECORD=1 with it records the answers again, CUMULET_SEED repeats a run.
//
// Known differences, which are not queried or not compared:
// - Loki answers 500 if the two sides of an operator do not match; ours is 400, because the query is wrong.
// - Go's templates report in __error_details__ at which character they failed; ours report only the failure.
// - Which of several equal series topk, bottomk and sort put first is undefined, in Loki from one call to the next.
// - Loki hands metric queries on as text and writes sizes in them rounded to powers of ten: `size <= 1MiB` compares
//   with 1 MB there. Ours compares with what was written.
// - The grammar does not take label filters without `and`, `or` or a comma between them, nor parentheses around an
//   unwrapped label inside of a range; Loki takes both.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { LogThreads, silent, streamsOf } from '../../../src/testing/black-box/logging.ts';
import { chanceOf, isFull, seeded } from '../../../src/testing/seed.ts';
import { untilAnswered } from '../agents/process.ts';
import { loki } from '../logs/programs.ts';
import { type LogServer, plainLoki, startLoki } from '../logs/servers.ts';
import { type Answer, answerOf, difference } from './answers.ts';
import { lines, pushBody } from './data.ts';
import { type Question, questionsBy } from './queries.ts';

const count = 500;
const recordedSeed = 25;
const file = join(import.meta.dirname, 'answers.json.br');
const tenant = 'compared';

// The embedded engine in its threads, with the same lines.
async function startOurs(t: TestContext): Promise<Ours> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-logql-'));
  const threads = new LogThreads({ address: `embedded:${folder}`, log: silent });
  t.after(async () => {
    await threads.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await threads.append([{ tenant, streams: streamsOf(lines) }]);
  return (question) => askOurs(threads, question);
}

async function askOurs(threads: LogThreads, { path, parameters }: Question): Promise<Answer> {
  const question = { tenant, path, parameters: new URLSearchParams(parameters).toString(), nowMs: 0 };
  const { status, body } = await threads.ask(question, { group: 'one' });
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return answerOf(status, Buffer.concat(parts).toString('utf8'));
}

type Ours = (question: Question) => Promise<Answer>;

async function compare(ours: Ours, questions: Question[], theirs: (index: number) => Promise<Answer>): Promise<string> {
  const differing: string[] = [];
  let [empty, refused] = [0, 0];
  for (const [index, question] of questions.entries()) {
    const wanted = await theirs(index);
    const differs = difference(await ours(question), wanted, question.isLoose);
    if (differs) differing.push(`${question.parameters.query}\n  ${JSON.stringify(question.parameters)}\n  ${differs}`);
    else if (wanted.status !== 200) refused++;
    else if ((wanted.streams ?? wanted.series ?? []).length === 0) empty++;
  }
  if (differing.length > 0)
    assert.fail(`${differing.length} of ${questions.length} differ:\n${differing.slice(0, 15).join('\n')}`);
  assert.ok(refused < questions.length * 0.1 && empty < questions.length * 0.35, 'too few of them mean something');
  return `${questions.length} queries: ${empty} empty, ${refused} refused by both, none differs`;
}

suite('LogQL against a real Loki', () => {
  test(`LOG-06: ${count} queries have the answers that Loki gave when they were recorded`, async (t) => {
    assert.ok(existsSync(file), 'CUMULET_RECORD=1 with --full records the answers');
    const recorded = JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8')) as [string, Answer][];
    const questions = questionsBy(seeded(recordedSeed), count);
    const ours = await startOurs(t);
    assert.deepEqual(
      recorded.map(([query]) => query),
      questions.map(({ parameters }) => parameters.query),
      'the queries or the lines were changed since: record again',
    );
    t.diagnostic(await compare(ours, questions, async (index) => (recorded[index] as [string, Answer])[1]));
  });

  test(`LOG-06: ${2 * count} queries have the answers that a running Loki gives`, async (t) => {
    if (!isFull) {
      t.skip('asked in a full run only (--full)');
      return;
    }
    const program = await loki();
    if (!program.path) {
      t.skip(program.skip);
      return;
    }
    await using server = await startLoki(program.path, plainLoki);
    const ours = await startOurs(t);
    await fill(server);
    const ask = async ({ path, parameters }: Question): Promise<Answer> => {
      const response = await fetch(`${server.url}/loki/api/v1/${path}?${new URLSearchParams(parameters)}`);
      return answerOf(response.status, await response.text());
    };
    const known = questionsBy(seeded(recordedSeed), count);
    const answers: Answer[] = [];
    for (const question of known) answers.push(await ask(question));
    if (process.env.CUMULET_RECORD === '1') record(known, answers);
    t.diagnostic(await compare(ours, known, async (index) => answers[index] as Answer));
    const fresh = questionsBy(chanceOf(t), count);
    t.diagnostic(await compare(ours, fresh, (index) => ask(fresh[index] as Question)));
  });
});

function record(questions: Question[], answers: Answer[]): void {
  const text = JSON.stringify(questions.map(({ parameters }, index) => [parameters.query, answers[index]]));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(file, brotliCompressSync(text, { params }));
}

// Pushed lines are queried once they are in the store.
async function fill({ url }: LogServer): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const pushed = await fetch(`${url}/loki/api/v1/push`, { method: 'POST', body: pushBody(), headers });
  assert.equal(pushed.status, 204, await pushed.text());
  await fetch(`${url}/flush`, { method: 'POST' });
  const query = new URLSearchParams({ query: 'sum(count_over_time({app=~".+"}[1h]))', time: '1793494000' });
  await untilAnswered('all lines are in the store', async () => {
    const response = await fetch(`${url}/loki/api/v1/query?${query}`);
    return answerOf(response.status, await response.text()).series?.[0]?.[1][0]?.[1] === String(lines.length);
  });
}
