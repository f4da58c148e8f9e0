// What is asked on a connection of its own: answers in order, and what becomes of those who wait when it breaks.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import pg from 'pg';
import { freshUrl } from '../../../test/postgres.ts';
import { parseAddress } from './postgres-address.ts';
import { Question } from './postgres-question.ts';

const statement = { name: 'next', text: 'SELECT (600 / divisor)::text FROM asked' };

let url: string;
let other: pg.Client;
let question: Question;

async function connect(): Promise<pg.Client> {
  const { config, schema } = parseAddress(url);
  const client = new pg.Client({ ...config, options: `-c search_path=${schema}` });
  client.on('error', () => {});
  await client.connect();
  return client;
}

before(async () => {
  url = await freshUrl();
  other = await connect();
  const { schema } = parseAddress(url);
  await other.query(`CREATE SCHEMA ${schema}; CREATE TABLE asked (divisor integer); INSERT INTO asked VALUES (1)`);
  question = new Question(connect, statement);
  await question.open();
});

after(async () => {
  await question.close();
  await other.end();
});

// Until it answers again, which takes as long as a connection takes to be opened.
async function answer(): Promise<string> {
  for (;;) {
    const found = await question.ask();
    if (found !== undefined) return found;
    await other.query('SELECT pg_sleep(0.01)');
  }
}

it('answers each who asks, in their order, also many at once', async () => {
  const asked = Array.from({ length: 100 }, () => question.ask());
  await other.query('UPDATE asked SET divisor = 2');
  assert.equal(await question.ask(), '300', 'what was committed before the asking is seen');
  const answers = await Promise.all(asked);
  assert.ok(answers.every((one) => one === '600' || one === '300'));
  assert.deepEqual(answers, answers.toSorted().reverse(), 'none is given the answer of an earlier one');
});

it('an answer that is an error is none; it is asked again once it can be answered', async () => {
  await other.query('UPDATE asked SET divisor = 0');
  assert.deepEqual(await Promise.all([question.ask(), question.ask()]), [undefined, undefined]);
  await other.query('UPDATE asked SET divisor = 3');
  assert.equal(await answer(), '200');
});

it('who waits when the connection is lost is told at once, and a new one is opened', async () => {
  await answer();
  const reconnects = question.reconnects;
  await other.query('BEGIN; LOCK TABLE asked');
  const waiting = question.ask();
  await other.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1 AND pid <> pg_backend_pid()`,
    [statement.text],
  );
  assert.equal(await waiting, undefined);
  await other.query('COMMIT');
  assert.equal(await answer(), '200');
  assert.ok(question.reconnects > reconnects);
});
