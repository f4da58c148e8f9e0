// Console sessions by HTTP: who can use a cookie, from where and for how long.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:https';
import { after, before, suite, test } from 'node:test';
import { WebSocket } from 'ws';
import { addLogPipeline, logging } from '../../harness/logs.ts';
import { type Nodes, startNodes } from '../../harness/nodes.ts';
import { addGroup, addPerson, core, type PersonOfTest, tokenOf } from '../../harness/people.ts';
import { addPipeline, monitoring } from '../../harness/pipelines.ts';
import { cumulet } from '../../harness/process.ts';
import { type Region, type ResourceBody, startRegion, waitRequest } from '../../harness/region.ts';
import { leaksBelow, Secrets } from '../../harness/secrets-search.ts';
import { assertPayload } from '../../sweep/api.ts';
import { cookieOf, ownPage, post, sessionPath, signIn, Visitor, type Who } from '../harness/calls.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const change = async (region: Region, { user, basic }: PersonOfTest, more: object): Promise<void> => {
  const properties = { firstname: 'A', lastname: 'Person', email: basic.email, ...more };
  const { status, headers, body } = await region.call('PUT', `${core}/um/users/${user.id}`, { properties });
  assert.equal(status, 202, JSON.stringify(body));
  await waitRequest(region, headers.location);
};

let region: Region;
before(async () => {
  region = await startRegion();
});
after(() => region.stop());

suite('a session of the console', () => {
  test('[AUTH-10] starts with e-mail and password, shows its user, works on every service and ends with the sign-out', async () => {
    const answer = await post(region, region.owner);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const port = new URL(region.url).port;
    assert.match(
      String(answer.headers['set-cookie']),
      new RegExp(`^cumulet-session-${port}=[\\w.-]{80,}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    assert.ok(!JSON.stringify(answer.body).includes(cookieOf(answer).split('=')[1] ?? '-'));
    const visitor = new Visitor(region, cookieOf(answer));
    const who = await visitor.who();
    assert.equal(who.user.email, region.owner.email);
    assert.deepEqual([who.role, who.contract, who.contracts], ['owner', region.contract, [region.contract]]);
    assert.equal(who.tokenId, null);
    for (const path of [`${core}/datacenters`, '/auth/v1/tokens', '/activitylog/v1', '/lab/clock'])
      assert.equal(await visitor.statusOf(path), 200, path);
    const out = await visitor.call('DELETE', sessionPath);
    assert.equal(out.status, 200);
    assert.match(String(out.headers['set-cookie']), /=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/);
    assert.equal(await visitor.statusOf(), 401);
    const ended = await visitor.call('GET', sessionPath);
    assert.deepEqual(ended.body as unknown, { signedIn: false });
    // Another tab may have received a new cookie in the meantime, which the answer must not delete.
    assert.equal(ended.headers['set-cookie'], undefined);
  });

  test('has a Secure cookie on HTTPS, with a name that no other host can set', async () => {
    const cookie = await secureSignIn(region);
    const port = new URL(region.https).port;
    assert.match(cookie, new RegExp(`^__Host-cumulet-session-${port}=.*; HttpOnly; SameSite=Strict; Secure$`));
  });

  test('opens WebSockets of the console’s own pages only, and they end with it', async () => {
    const { id } = await addLogPipeline(region);
    const visitor = await signIn(region, region.owner);
    const query = new URLSearchParams({ query: '{tag="app"}' });
    const url = `${region.url.replace('http', 'ws')}${logging}/pipelines/${id}/loki/api/v1/tail?${query}`;
    const dial = (protocols: string[], origin: string): WebSocket =>
      new WebSocket(url, protocols, { headers: { cookie: visitor.cookie, origin } });
    for (const [protocols, origin, status] of [
      [[], region.url, 401],
      [['x-console.2'], region.url, 401],
      [['x-console.1'], 'https://evil.example', 403],
    ] as const) {
      const socket = dial([...protocols], origin);
      socket.on('error', () => undefined);
      const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      assert.equal(answer.statusCode, status, `${protocols} ${origin}`);
      socket.terminate();
    }
    const socket = dial(['x-console.1'], region.url);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await visitor.call('DELETE', sessionPath);
    const [code] = (await closed) as [number];
    assert.equal(code, 1008);
  });

  test('is accepted only for calls of the console’s own pages', async () => {
    const visitor = await signIn(region, region.owner);
    const own = region.url;
    const evil = 'https://evil.example';
    const good: Record<string, string>[] = [
      ownPage,
      { 'x-console': '1', origin: own },
      { 'x-console': '1' }, // without headers of the browser
    ];
    const incomplete: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { origin: own },
      { 'x-console': '1', 'sec-fetch-site': 'none' },
    ];
    const foreign: Record<string, string>[] = [
      ...['cross-site', 'same-site'].map((site) => ({ 'x-console': '1', 'sec-fetch-site': site })),
      { origin: evil },
      { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }, // another port: browsers send the cookie
      { 'x-console': '1', origin: evil },
      { 'x-console': '1', origin: 'null' },
      { 'x-console': '1', origin: own.replace('http:', 'https:') },
      { 'x-console': '1', 'sec-fetch-site': 'cross-site', origin: own },
    ];
    for (const headers of good) assert.equal(await visitor.statusOf(undefined, headers), 200, JSON.stringify(headers));
    const properties = { name: 'by another page', location: 'de/txl' };
    for (const headers of [...incomplete, ...foreign, { 'x-console': '1' }]) {
      const label = JSON.stringify(headers);
      const refused = foreign.includes(headers) ? 403 : 401;
      if (headers['x-console'] === undefined || headers['sec-fetch-site'] !== undefined || headers.origin !== undefined)
        assert.equal(await visitor.statusOf(undefined, headers), refused, label);
      assertPayload(await visitor.call('POST', `${core}/datacenters`, { properties }, headers), refused, label);
      assertPayload(await visitor.call('DELETE', sessionPath, undefined, headers), 403, label);
      assertPayload(await post(region, region.owner, headers), 403, label);
    }
    assert.deepEqual((await region.call('GET', `${core}/datacenters`)).body.items, []);
    assert.ok((await visitor.who()).signedIn);
  });

  test('has a cookie that can be neither guessed nor changed', async () => {
    const visitor = await signIn(region, region.owner);
    const [name, value = ''] = visitor.cookie.split('=');
    const hashed = createHash('sha256').update(value).digest('hex');
    const [user = ''] = value.split('.');
    for (const other of [
      '',
      'x',
      `${user}.`,
      `${user}.${hashed}`,
      `${value}x`,
      value.slice(0, -1),
      `.${value}`,
      hashed,
    ])
      assert.equal(await new Visitor(region, `${name}=${other}`).statusOf(), 401, other);
    assert.equal(await new Visitor(region, `a=b; ${name}=${value}; c=d`).statusOf(), 200);
    assert.equal(await new Visitor(region, `x${name}=${value}`).statusOf(), 401);
  });

  test("replaces the browser's previous session, and no session of other users", async () => {
    const first = await signIn(region, region.owner);
    const otherSession = await signIn(region, region.owner);
    const again = await post(region, region.owner, { ...ownPage, cookie: first.cookie });
    assert.equal(again.status, 200);
    assert.equal(await first.statusOf(), 401);
    assert.equal(await otherSession.statusOf(), 200);
  });

  test('is one of at most twenty; a new one replaces the oldest', async () => {
    const { basic } = await addPerson(region);
    const visitors: Visitor[] = [];
    for (let count = 0; count < 21; count++) visitors.push(await signIn(region, basic));
    const statuses = await Promise.all(visitors.map((one) => one.statusOf()));
    assert.deepEqual(statuses, [401, ...Array.from({ length: 20 }, () => 200)]);
  });

  test('a wrong password and an unknown account get the same 401', async () => {
    const { basic } = await addPerson(region);
    const wrong = await post(region, { ...basic, password: 'wrong' });
    const unknown = await post(region, { email: 'nobody@example.com', password: 'wrong' });
    assertPayload(wrong, 401, 'wrong');
    assert.deepEqual(wrong.body, unknown.body);
    assert.equal(wrong.headers['set-cookie'], undefined);
    assertPayload(await post(region, { token: 'x.y.z' }), 401, 'a token that is none');
    assertPayload(await post(region, { token: `${region.token}x` }), 401, 'a token that is changed');
  });

  test('invalid bodies get 422 or 413', async () => {
    const bodies = ['', '{', '[]', 'null', '{}', '{"email":1,"password":"x"}', '{"email":"a@b.c"}', '{"token":1}'];
    bodies.push('{"email":"a@b.c","password":"x","token":"y"}', '{"email":"a","email":"b"}');
    for (const body of bodies) assertPayload(await post(region, body), 422, body);
    assertPayload(await post(region, { token: 'x'.repeat(20_000) }), 413, 'too large');
  });

  test('an account with 2FA can sign in with a token; the session ends with the token', async () => {
    const { basic, token } = await withSecondFactor(region);
    assertPayload(await post(region, { ...basic, password: 'wrong' }), 401, 'wrong');
    const refused = await post(region, basic);
    assertPayload(refused, 403, '2FA');
    assert.equal(refused.body.messages[0]?.errorCode, 'second-factor');
    const visitor = await signIn(region, { token });
    const { tokenId } = await visitor.who();
    const { body } = await region.call<{ tokens: ResourceBody[] }>('GET', '/auth/v1/tokens', undefined, { token });
    assert.deepEqual(
      body.tokens.map(({ id }) => id),
      [tokenId],
    );
    assert.equal((await visitor.call('DELETE', `/auth/v1/tokens/${tokenId}`)).status, 200);
    assert.equal(await visitor.statusOf(), 401);
  });

  test('ends immediately with a new password, 2FA, an inactive account or a deleted one', async () => {
    const changes: object[] = [{ password: 'Another-Password-1' }, { forceSecAuth: true }, { active: false }];
    for (const more of changes) {
      const person = await addPerson(region);
      const visitor = await signIn(region, person.basic);
      assert.equal(await visitor.statusOf(), 200);
      await change(region, person, more);
      assert.equal(await visitor.statusOf(), 401, JSON.stringify(more));
      assert.equal((await visitor.who()).signedIn, false);
    }
    const person = await addPerson(region);
    const [byPassword, byToken] = [await signIn(region, person.basic), await signIn(region, { token: person.token })];
    await waitRequest(region, (await region.call('DELETE', `${core}/um/users/${person.user.id}`)).headers.location);
    assert.deepEqual([await byPassword.statusOf(), await byToken.statusOf()], [401, 401]);
  });

  test('has the present rights of the user', async () => {
    const person = await addPerson(region);
    const visitor = await signIn(region, person.basic);
    const make = async () =>
      (await visitor.call('POST', `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } })).status;
    assert.equal(await make(), 403);
    await addGroup(region, ['reserveIp'], [person.user]);
    assert.equal(await make(), 202);
  });

  test('[ACT-02] is recorded as a login in the activity log', async () => {
    const { basic } = await addPerson(region);
    await signIn(region, basic);
    interface Log {
      hits: { hits: { _source: { user: string; event: { type: string } } }[] };
    }
    const { body } = await region.call<Log>('GET', `/activitylog/v1/contracts/${region.contract}?limit=50`);
    const logins = body.hits.hits.filter(({ _source }) => _source.event.type === 'Login');
    assert.ok(logins.some(({ _source }) => _source.user === basic.email));
  });
});

test('of many simultaneous guesses, ten are checked; then all sign-ins have to wait, Basic too', async () => {
  await using region = await startRegion();
  const { basic } = await addPerson(region);
  const guesses = Array.from({ length: 60 }, (_, at) => post(region, { ...basic, password: `wrong ${at}` }));
  // Checks from the first refusal on, because on a slow machine trying all passwords takes as long as the lock lasts.
  await Promise.any(guesses.map(async (guess) => assert.equal((await guess).status, 429)));
  const late = await post(region, basic);
  assertPayload(late, 429, 'the right one');
  assert.ok(Number(late.headers['retry-after']) > 0);
  assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { basic })).status, 429);
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 401).length <= 12, statuses.join());
});

test('a session lasts an hour without use and twelve hours at most, and survives a restart', async () => {
  await using region = await startRegion();
  const advance = async (ms: number): Promise<void> => {
    assert.equal((await region.call('PUT', '/lab/clock', { advanceMs: ms })).status, 200);
  };
  const [used, idle] = [await signIn(region, region.owner), await signIn(region, region.owner)];
  await region.restart();
  const [usedNow, idleNow] = [used.at(region), idle.at(region)];
  const ends = Date.parse((await usedNow.who()).expiresDate);
  for (let passed = 0; passed < 12 * hourMs - 50 * minuteMs; passed += 50 * minuteMs) {
    await advance(50 * minuteMs);
    assert.equal(await usedNow.statusOf(), 200, `after ${passed / minuteMs + 50} minutes`);
    if (passed === 50 * minuteMs) assert.equal(await idleNow.statusOf(), 401);
  }
  const { now } = await usedNow.who();
  assert.ok(Date.parse(now) < ends && ends - Date.parse(now) < 50 * minuteMs);
  await advance(ends - Date.parse(now));
  assert.equal(await usedNow.statusOf(), 401);
});

suite('a session on two nodes', () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes(2);
  });
  after(() => nodes[Symbol.asyncDispose]());

  test('is valid on every node, and ends on all nodes together', async () => {
    const [one, two] = nodes.all as [Region, Region];
    const visitor = await signIn(one, one.owner);
    assert.equal(await visitor.at(two).statusOf(), 200);
    assert.equal((await visitor.at(two).call('DELETE', sessionPath)).status, 200);
    assert.equal(await visitor.statusOf(), 401);
  });

  test('reads logs, metrics and objects over HTTPS that another node stores', async () => {
    const [one] = nodes.all as [Region];
    const log = await addLogPipeline(one);
    const metric = await addPipeline(one);
    for (const [at, node] of nodes.all.entries()) {
      const visitor = await signIn(node, one.owner);
      assert.equal(await visitor.statusOf(`${logging}/pipelines/${log.id}/loki/api/v1/labels`), 200);
      const query = `${monitoring}/pipelines/${metric.id}/prometheus/api/v1/query?query=up`;
      assert.equal(await visitor.statusOf(query), 200);
      const [cookie = ''] = (await secureSignIn(node, one.owner)).split(';');
      const put = (path: string): Promise<SecureAnswer> => secureCall(node, 'PUT', path, '', { cookie });
      if (at === 0) assert.equal((await put('/console/s3/shared')).status, 200);
      assert.equal((await put(`/console/s3/shared%2F${at}`)).status, 200);
    }
  });
});

test("stored data and logs can't be turned back into a session", async () => {
  await using region = await startRegion();
  const secrets = new Secrets();
  const { basic } = await addPerson(region);
  const { cookie } = await signIn(region, basic);
  secrets.know('the cookie', cookie.split('.')[1] ?? '');
  secrets.know('the password', basic.password);
  await post(region, { ...basic, password: secrets.plant('a wrong password') });
  await post(region, { token: secrets.plant('a wrong token') });
  await region.halt('SIGTERM');
  assert.deepEqual(leaksBelow(region.data, secrets), []);
  assert.deepEqual(secrets.foundIn(region.log()), []);
});

test("[GEN-07] a user of two contracts chooses one with each call; another user's contract gets 403", async () => {
  const [second, both] = [31_000_222, { email: 'both@example.com', password: 'Person-Of-Two-1' }];
  const on = ['--data', region.data, '--password', both.password];
  for (const args of [
    ['user', 'add', '--email', both.email, ...on],
    ['contract', 'add', '--number', String(second), '--owner', both.email, '--data', region.data],
  ]) {
    const ended = await cumulet(args);
    assert.equal(ended.code, 0, ended.stderr);
  }
  const visitor = await signIn(region, both);
  const whoIn = (contract: number) =>
    visitor.call<Who>('GET', sessionPath, undefined, { ...ownPage, 'x-contract-number': String(contract) });
  const first = await visitor.who();
  assert.deepEqual([first.contract, first.role, first.contracts], [region.contract, 'user', [region.contract, second]]);
  assert.deepEqual(first.privileges, [], 'no group gives any');
  const { body } = await whoIn(second);
  assert.deepEqual([body.contract, body.role], [second, 'owner']);
  assertPayload(await whoIn(12_345), 403, 'a foreign contract');
  const token = await tokenOf(region, both);
  assert.equal((await signIn(region, { token }).then((one) => one.who())).contract, region.contract);
});

// Users are created with a password, which gets no token if they have 2FA.
async function withSecondFactor(region: Region): Promise<PersonOfTest> {
  const person = await addPerson(region);
  await change(region, person, { secAuthActive: true });
  return person;
}

interface SecureAnswer {
  status: number;
  cookie: string; // with its attributes
}

// This test doesn't verify the certificate of the region's own CA.
function secureCall(region: Region, method: string, path: string, body: string, more = {}): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { ...ownPage, 'content-type': 'application/json', ...more };
    const options = { method, headers, rejectUnauthorized: false };
    const sent = request(`${region.https}${path}`, options, (response) => {
      const { statusCode = 0, headers: received } = response;
      response.resume().on('end', () => resolve({ status: statusCode, cookie: String(received['set-cookie']) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const secureSignIn = async (region: Region, owner = region.owner): Promise<string> =>
  (await secureCall(region, 'POST', sessionPath, JSON.stringify(owner))).cookie;
