// Performs a batch in which some set fails: one transaction, in the order of the sets. Sets without a common key are
// tried together; where that fails, each half of them; a set that fails alone is performed write by write, which finds
// its first failing write.

import type { Settled } from '../commit-job.ts';
import { appendedId, type Outcome, type Write } from '../engine.ts';
import { Batch, type Job } from './batch.ts';
import type { Ask } from './connection.ts';
import { reasonOf } from './failing-sets.ts';
import { isRefusal } from './faults.ts';
import { aloneOf, type BatchStatement, codeOf } from './statements.ts';
import { inSavepoint, inTransaction } from './transaction.ts';

export interface Tools {
  ask: Ask;
  perform: (batch: Batch, topics: Set<string>) => Promise<Outcome[] | undefined>; // one statement for all of it
  finish: (topics: Set<string>) => Promise<void>; // records the batch in the node's row
}

// `results` is filled before the commit, so that it is known even if the commit's answer is lost.
export async function performByBisection(jobs: readonly Job[], tools: Tools, results: Settled[]): Promise<void> {
  const perform = async (): Promise<void> => {
    await inGroups(jobs, tools, results);
    const held = jobs.filter((_, at) => (results[at] as { ok?: boolean }).ok);
    await tools.finish(new Set(held.flatMap((job) => job.topics)));
  };
  await inTransaction(tools.ask, perform, () => true);
}

async function inGroups(jobs: readonly Job[], tools: Tools, results: Settled[]): Promise<void> {
  let group: Job[] = [];
  let batch = new Batch();
  const end = async (): Promise<void> => {
    if (group.length > 0) results.push(...(await together(group, batch, tools)));
    group = [];
    batch = new Batch();
  };
  for (const job of jobs) {
    let fit = batch.add(job.set);
    if (fit === 'later') {
      await end();
      fit = batch.add(job.set);
    }
    if (fit === 'added') group.push(job);
    else {
      await end();
      results.push(await writeByWrite(job, tools));
    }
  }
  await end();
}

async function together(jobs: Job[], batch: Batch, tools: Tools): Promise<Settled[]> {
  const outcomes = await tried(batch, tools);
  if (outcomes) return outcomes;
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

// Undefined: a write failed, or PostgreSQL refused a value.
async function tried(batch: Batch, { ask, perform }: Tools): Promise<Outcome[] | undefined> {
  try {
    return await inSavepoint(
      ask,
      () => perform(batch, new Set()),
      (outcomes) => outcomes !== undefined,
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

const writeByWrite = ({ set }: Job, { ask }: Tools): Promise<Settled> =>
  inSavepoint(
    ask,
    () => inOrder(set, ask),
    (result) => !('error' in result) && result.ok,
  );

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

// A row that does not exist can't be locked. But an insert of its key waits for a transaction that has inserted the key
// and not yet committed, even if that one has removed it again: so no other can insert it before our commit.
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

// A number that was inserted by hand is skipped.
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
