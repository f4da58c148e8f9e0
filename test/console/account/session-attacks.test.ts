// Attacks on console sessions: pages of other origins, cookies planted or read by another port of the host, copied
// cookies, and attempts to bypass 2FA.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { WebSocket } from 'ws';
import { addPerson, changePerson, core } from '../../harness/people.ts';
import { type Answer, type Region, startRegion } from '../../harness/region.ts';
import { assertPayload, operationsOf } from '../../sweep/api.ts';
import { setUp } from '../harness/authenticator.ts';
import { cookieOf, type Headers, ownPage, post, sessionPath, signIn, Visitor } from '../harness/calls.ts';
import { Events } from '../harness/events.ts';

const key = (value: string): Headers => ({ ...ownPage, 'x-console': value });
const statusesOf = async (answers: Promise<Answer<unknown>>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status).sort();

suite('an attack on the session', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  // Sends the cookie, like a page on another port, and the header, which a browser would refuse to send.
  const foreign: Headers[] = [
    { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
    { ...ownPage, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  ];

  test("by a page of another origin gets 403 from the console's routes, streams and agent tools", async () => {
    const visitor = await signIn(region, region.owner);
    const routes: [method: string, path: string, body?: unknown][] = [
      ['POST', sessionPath, region.owner],
      ['DELETE', sessionPath],
      ['GET', '/console/sessions'],
      ['DELETE', '/console/sessions'],
      ['PUT', '/console/password', { password: region.owner.password, newPassword: 'Another-Password-1' }],
      ['POST', '/console/second-factor', { password: region.owner.password }],
      ['POST', '/console/object-links', {}],
      ['GET', '/console/events'],
      ['GET', '/console/search?text=a'],
      ['PUT', '/console/s3/planted'],
      ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      ['GET', '/auth/v1/tokens/generate'],
    ];
    for (const [method, path, body] of routes)
      for (const headers of foreign)
        for (const type of ['application/json', 'text/plain']) {
          const sent = { ...headers, ...(body !== undefined && { 'content-type': type }) };
          const { status } = await visitor.call(method, path, body, sent);
          assert.equal(status, 403, `${method} ${path} ${JSON.stringify(sent)}`);
        }
    assert.equal(await visitor.statusOf(), 200, 'the session continues');
    assert.equal((await visitor.call('GET', '/console/s3/planted')).status, 404);
    assert.equal((await visitor.call<{ sessions: object[] }>('GET', '/console/sessions')).body.sessions.length, 1);
    assert.equal(await new Visitor(region, visitor.cookie).statusOf(sessionPath, foreign[1]), 200);
    const answer = await visitor.call('GET', sessionPath, undefined, foreign[1]);
    assert.deepEqual(answer.body as unknown, { signedIn: false });
  });

  test('by a WebSocket of another origin is refused', async () => {
    const { cookie } = await signIn(region, region.owner);
    const path = `/logging/pipelines/00000000-0000-7000-8000-000000000000/loki/api/v1/tail?query=%7B%7D`;
    const statusOf = (headers: Headers): Promise<number> =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(region.url.replace('http', 'ws') + path, { headers: { cookie, ...headers } });
        socket.on('open', () => reject(new Error('it is open')));
        socket.on('error', () => undefined);
        socket.on('unexpected-response', (_, { statusCode = 0 }) => resolve(statusCode));
      });
    for (const headers of foreign) assert.equal(await statusOf(headers), 403);
    assert.equal(await statusOf({}), 401);
    assert.equal(await statusOf(ownPage), 404, 'of the console itself: there is no such pipeline');
  });

  test('by a preflight is refused: no origin may send the header', async () => {
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-console' };
    for (const path of [`${core}/datacenters`, sessionPath, '/console/s3/x', '/console/events', '/mcp']) {
      const sent = { token: null, headers: { ...preflight, origin: 'https://evil.example' } };
      const { headers } = await region.call('OPTIONS', path, undefined, sent);
      for (const name of Object.keys(headers)) assert.doesNotMatch(name, /^access-control/, path);
    }
  });

  test('with a planted or stolen cookie fails without the page key of the browser', async () => {
    const attacker = new Visitor(region, cookieOf(await post(region, (await addPerson(region)).basic, key('theirs'))));
    assert.equal(await attacker.statusOf(undefined, key('theirs')), 200);
    // A planted cookie does not sign the victim's console in, and a sign-in replaces it.
    const planted = await attacker.call('GET', sessionPath, undefined, key('ours'));
    assert.deepEqual(planted.body as unknown, { signedIn: false });
    assert.equal(await attacker.statusOf(undefined, key('ours')), 401);
    const answer = await post(region, region.owner, { ...key('ours'), cookie: attacker.cookie });
    const victim = new Visitor(region, cookieOf(answer));
    assert.notEqual(victim.cookie, attacker.cookie);
    assert.equal(await victim.statusOf(undefined, key('ours')), 200);
    assert.equal(await attacker.statusOf(undefined, key('theirs')), 200, 'theirs was not ended by it');
    // A planted cookie with a narrower path, which browsers send first.
    const both = new Visitor(region, `${attacker.cookie}; ${victim.cookie}`);
    assert.equal(await both.statusOf(undefined, key('ours')), 200);
    const { body } = await both.call<{ user: { email: string } }>('GET', sessionPath, undefined, key('ours'));
    assert.equal(body.user.email, region.owner.email);
    // A cookie read by another port of the host, which receives it, too.
    for (const other of ['theirs', '', '1', 'ours ', 'ours, ours'])
      assert.equal(await victim.statusOf(undefined, key(other)), other === 'ours ' ? 200 : 401, other);
  });

  test('with a copy of the cookie ends when the user changes the password or sets up 2FA', async () => {
    const person = await addPerson(region);
    const visitor = await signIn(region, person.basic);
    const copies = [new Visitor(region, visitor.cookie)];
    const events = await Events.open(copies[0] as Visitor);
    const passwords = { password: person.basic.password, newPassword: 'Another-Password-1' };
    assert.equal((await visitor.call('PUT', '/console/password', passwords)).status, 200);
    copies.push(new Visitor(region, visitor.cookie));
    await setUp(visitor, { ...person.basic, password: passwords.newPassword });
    for (const copy of copies) assert.equal(await copy.statusOf(), 401);
    assert.equal(await visitor.statusOf(), 200);
    await events.until('the end of a stream that was opened with the copy', () => events.isEnded);
    events.close();
  });

  test('on 2FA by many simultaneous sign-ins with one code or recovery code succeeds once', async () => {
    const person = await addPerson(region);
    const { app, recoveryCodes } = await setUp(await signIn(region, person.basic), person.basic);
    const { challenge } = await challengeOf(region, person.basic);
    for (const code of [app.next(), recoveryCodes[0]]) {
      const statuses = await statusesOf(Array.from({ length: 4 }, () => post(region, { challenge, code })));
      assert.deepEqual(statuses, [200, 401, 401, 401]);
    }
  });

  test('on 2FA with the password alone only gets a challenge', async () => {
    const person = await addPerson(region);
    const visitor = await signIn(region, person.basic);
    const { app } = await setUp(visitor, person.basic);
    const { challenge } = await challengeOf(region, person.basic);
    const name = visitor.cookie.split('=')[0];
    for (const cookie of [`${name}=${challenge}`, `${name}=${person.user.id}.${challenge}`])
      assert.equal(await new Visitor(region, cookie).statusOf(), 401);
    assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { token: challenge })).status, 401);
    assertPayload(await post(region, { token: challenge }), 401, 'as a token');
    const code = app.next();
    assertPayload(await visitor.call('PUT', '/console/second-factor', { challenge, code }), 422, 'to set up another');
    const stranger = await addPerson(region);
    const begun = await (await signIn(region, stranger.basic)).call<{ challenge: string }>(
      'POST',
      '/console/second-factor',
      { password: stranger.basic.password },
    );
    assertPayload(await post(region, { challenge: begun.body.challenge, code }), 401, 'of a set-up, to sign in');
    // 2FA stays on after a change of password and e-mail address; challenges of the old password end.
    await changePerson(region, person, { password: 'Another-Password-1', email: 'moved@example.com' });
    assertPayload(await post(region, { challenge, code }), 401, 'of the old password');
    const moved = { email: 'moved@example.com', password: 'Another-Password-1' };
    assert.equal((await challengeOf(region, moved)).kind, 'code');
    assertPayload(await post(region, person.basic), 401, 'the old address');
  });

  test('on 2FA with the password alone fails on every service, and gets no token', async () => {
    const person = await addPerson(region, { administrator: true });
    await setUp(await signIn(region, person.basic), person.basic);
    const reads = (await operationsOf(region)).filter(
      ({ method, path, takesBasic }) => takesBasic && method === 'GET' && !path.includes('{'),
    );
    assert.ok(reads.length > 10, String(reads.length));
    for (const { id, path } of reads) {
      const answer = await region.call('GET', path, undefined, { basic: person.basic });
      assertPayload(answer, 401, `${id}: ${path}`);
    }
  });
});

test('the limit of wrong 2FA codes covers all challenges and pages', async () => {
  await using region = await startRegion();
  const person = await addPerson(region);
  const visitor = await signIn(region, person.basic);
  const { app } = await setUp(visitor, person.basic);
  for (let tried = 0; tried < 8; tried++) {
    const { challenge } = await challengeOf(region, person.basic);
    assertPayload(await post(region, { challenge, code: app.wrong() }), 401, String(tried));
  }
  const remove = () => visitor.call('DELETE', '/console/second-factor', { code: app.wrong() });
  for (let tried = 0; tried < 2; tried++) assertPayload(await remove(), 422, String(tried));
  assertPayload(await remove(), 429, 'on the account page');
  const { challenge } = await challengeOf(region, person.basic);
  assertPayload(await post(region, { challenge, code: app.next() }), 429, 'with a fresh challenge');
});

async function challengeOf(region: Region, credentials: object): Promise<{ kind: string; challenge: string }> {
  const { status, body } = await post(region, credentials);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as unknown as { next: { kind: string; challenge: string } }).next;
}
