// What is asked on a connection of its own: answers in order, and what becomes of those who wait when it breaks.
import assert from 'node:assert/strict';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { after, before, it } from 'node:test';
import pg from 'pg';
import { freshUrl } from '../../../../test/harness/postgres.ts';
import { parseAddress } from './address.ts';
import { Question } from './question.ts';

const statement = { name: 'next', text: 'SELECT (600 / divisor)::text FROM asked' };

let url: string;
let other: pg.Client;
let question: Question;

async function connect(more: pg.ClientConfig = {}): Promise<pg.Client> {
  const { config, schema } = parseAddress(url);
  const client = new pg.Client({
    connectionTimeoutMillis: 1000,
    ...config,
    ...more,
    options: `-c search_path=${schema}`,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}

before(async () => {
  url = await freshUrl();
  other = await connect();
  const { schema } = parseAddress(url);
  await other.query(`CREATE SCHEMA ${schema}; CREATE TABLE asked (divisor integer); INSERT INTO asked VALUES (1)`);
  question = new Question({ connect, statement, beatMs: 20 });
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

// Between the question and the server; what it does with the answers is up to the test.
async function between(answers: (bytes: Buffer, to: Socket) => void): Promise<{ door: Server; asked: Question }> {
  const { config } = parseAddress(url);
  const door = createServer((socket) => {
    const server = dial(Number(config.port), String(config.host));
    socket.on('data', (bytes) => server.write(bytes)).on('error', () => {});
    server.on('data', (bytes: Buffer) => answers(bytes, socket)).on('error', () => {});
    socket.on('close', () => server.destroy());
    server.on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const { port } = door.address() as { port: number };
  const asked = new Question({ connect: () => connect({ port, host: '127.0.0.1' }), statement, beatMs: 20 });
  await asked.open();
  return { door, asked };
}

it('an answer that comes in pieces is put together', async () => {
  const bytewise = (bytes: Buffer, to: Socket): void => {
    for (const byte of bytes) to.write(Uint8Array.of(byte));
  };
  const { door, asked } = await between(bytewise);
  const answers = await Promise.all(Array.from({ length: 20 }, () => asked.ask()));
  assert.deepEqual(new Set(answers), new Set(['200']));
  assert.equal(asked.reconnects, 0);
  await asked.close();
  door.close();
});

it('a connection that is silent is given up after some beats, and closing does not wait for it', async () => {
  let isSilent = false;
  const { door, asked } = await between((bytes, to) => void (isSilent || to.write(bytes)));
  assert.equal(await asked.ask(), '200');
  isSilent = true;
  assert.equal(await asked.ask(), undefined);
  assert.equal(await asked.ask(), undefined, 'there is no other yet: at once');
  await asked.close();
  door.close();
});

it('while it can not be connected to, asking opens no connections', async () => {
  let tries = 0;
  const once = new Question({
    statement,
    beatMs: 20,
    connect: () => {
      tries += 1;
      return tries === 1 ? connect() : Promise.reject(Object.assign(new Error('no more'), { code: '53300' }));
    },
  });
  await once.open();
  await other.query('UPDATE asked SET divisor = 0');
  assert.equal(await once.ask(), undefined);
  for (let count = 0; count < 1000; count++) assert.equal(await once.ask(), undefined);
  assert.ok(tries <= 3, `${tries} tries`);
  await once.close();
});
