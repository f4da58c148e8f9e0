// The slow way, for batches in which something does not hold: one transaction, in the order the sets came. As many
// sets as have nothing to do with each other are tried together; where that fails, by halves; a set that fails alone
// is done write by write, which tells the first one that does not hold.
import { appendedId, type Outcome, type Write } from '../engine.ts';
import type { Settled } from '../waiting.ts';
import type { Job } from './commit-queue.ts';
import type { Ask, Statement } from './connection.ts';
import { isRefusal, Lost } from './faults.ts';
import { reasonOf } from './look.ts';
import { aloneOf, type BatchStatement, codeOf } from './statements.ts';
import { Batch } from './writes.ts';

const begin: Statement = { name: 'begin', text: 'BEGIN' };
const commit: Statement = { name: 'commit', text: 'COMMIT' };
const rollBack: Statement = { name: 'rollback', text: 'ROLLBACK' };
const savepoint: Statement = { name: 'savepoint', text: 'SAVEPOINT one' };
const back: Statement = { name: 'back', text: 'ROLLBACK TO one' };
const release: Statement = { name: 'release', text: 'RELEASE one' };

export interface Tools {
  ask: Ask;
  perform: (batch: Batch, topics: Set<string>) => Promise<Outcome[]>; // one statement for all of it
  finish: (topics: Set<string>) => Promise<void>; // notes the batch in the node's row
}

// `results` is filled before the commit, so that it is known even if the commit's answer is lost.
export async function performCarefully(jobs: readonly Job[], tools: Tools, results: Settled[]): Promise<void> {
  const { ask } = tools;
  unheard(ask(begin));
  try {
    await inRuns(jobs, tools, results);
    const held = jobs.filter((_, at) => (results[at] as { ok?: boolean }).ok);
    await tools.finish(new Set(held.flatMap((job) => job.topics)));
  } catch (error) {
    if (!(error instanceof Lost)) await ask(rollBack);
    throw error;
  }
  // A transaction that has failed is rolled back by COMMIT, and that is no error.
  if ((await ask(commit)).command !== 'COMMIT') throw new Error('the transaction was rolled back');
}

async function inRuns(jobs: readonly Job[], tools: Tools, results: Settled[]): Promise<void> {
  let run: Job[] = [];
  let batch = new Batch();
  const end = async (): Promise<void> => {
    if (run.length > 0) results.push(...(await together(run, batch, tools)));
    run = [];
    batch = new Batch();
  };
  for (const job of jobs) {
    let fit = batch.add(job.set);
    if (fit === 'later') {
      await end();
      fit = batch.add(job.set);
    }
    if (fit === 'added') run.push(job);
    else {
      await end();
      results.push(await writeByWrite(job, tools));
    }
  }
  await end();
}

async function together(jobs: Job[], batch: Batch, tools: Tools): Promise<Settled[]> {
  const { ask } = tools;
  unheard(ask(savepoint));
  try {
    const outcomes = await tools.perform(batch, new Set());
    unheard(ask(release));
    return outcomes;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    unheard(ask(back));
    unheard(ask(release));
  }
  const [only] = jobs;
  if (only && jobs.length === 1) return [await writeByWrite(only, tools)];
  const middle = jobs.length >> 1;
  const settled: Settled[] = [];
  for (const half of [jobs.slice(0, middle), jobs.slice(middle)]) {
    const part = new Batch();
    for (const job of half) part.add(job.set);
    settled.push(...(await together(half, part, tools)));
  }
  return settled;
}

async function writeByWrite({ set }: Job, { ask }: Tools): Promise<Settled> {
  unheard(ask(savepoint));
  const result = await inOrder(set, ask);
  if ('error' in result || !result.ok) unheard(ask(back));
  unheard(ask(release));
  return result;
}

async function inOrder(set: readonly Write[], ask: Ask): Promise<Settled> {
  const appended: string[] = [];
  try {
    for (const [at, write] of set.entries()) {
      if (write.op === 'append') appended.push(await append(write, ask));
      else if (!(await holds(write, ask))) return { ok: false, why: reasonOf(write), at };
    }
    return { ok: true, appended };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { error };
  }
}

async function holds(write: Exclude<Write, { op: 'append' }>, ask: Ask): Promise<boolean> {
  if (write.op === 'guard' && write.version === 0) return absent(write, ask);
  const { held } = await alone(write, ask);
  return held === 1 || (write.op === 'remove' && write.loose === true);
}

// A row that is not there can't be locked. But who inserts its key waits for whoever has inserted it before and has
// not committed, even though that one has taken the row out again: so no other can put it there before our commit.
async function absent({ table, key }: Extract<Write, { op: 'guard' }>, ask: Ask): Promise<boolean> {
  const { contract, place, id } = key;
  const texts = { kind: '', state: '', owner: '', meta: '', body: '', hidden: '' };
  const { held } = await alone(
    { op: 'insert', table, row: { contract, place, id, version: 1, time: 0, ...texts } },
    ask,
  );
  if (held === 1) await alone({ op: 'remove', table, key }, ask);
  return held === 1;
}

// A number somebody has inserted by hand is taken: the next one keeps the row of ids dense all the same.
async function append(write: Extract<Write, { op: 'append' }>, ask: Ask): Promise<string> {
  for (;;) {
    const { held, numbers } = await alone(write, ask);
    if (held === 1) return appendedId(Number(numbers));
  }
}

async function alone(write: Write, ask: Ask): Promise<{ held: number; numbers: string }> {
  const code = codeOf(write.op, write.op === 'count' ? undefined : write.table);
  const batch = new Batch();
  batch.add([write]);
  const codes: BatchStatement['codes'] = [code];
  const { rows } = await ask(aloneOf(code), batch.values({ codes }));
  const [held, numbers] = rows[0] as [number, string];
  return { held, numbers };
}

// Sent without waiting: where it fails, what is sent after it on the same connection fails too.
function unheard(asked: Promise<unknown>): void {
  asked.catch(() => {});
}
