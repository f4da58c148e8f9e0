// Texts that answers, requests and log lines share with the last one are kept. Calls that differ in one thing only,
// in an order that repeats none of them for long, show that nobody is ever told what belongs to another.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addPerson, core } from './people.ts';
import { type Answer, createDone, type Region, type Shown, startRegion } from './region.ts';

interface Done {
  wish: Wish;
  answer: Answer;
}

interface Wish {
  method: string;
  path: string; // below the service's prefix
  operation: string;
  kind: string;
  properties: Record<string, unknown>;
  host: string;
  email: string;
  user: string;
  token: string;
  agent: string;
}

const calls = 240;

suite('calls that differ in one thing only', () => {
  let region: Region;
  let wishes: Wish[];
  const done: Done[] = [];

  before(async () => {
    region = await startRegion();
    const places: Pick<Wish, 'method' | 'path' | 'operation' | 'kind' | 'properties'>[] = [];
    for (const name of ['one', 'two']) {
      const { id } = await createDone(region, `${core}/datacenters`, { properties: { name, location: 'de/txl' } });
      const path = `/datacenters/${id}`;
      places.push(
        {
          method: 'PATCH',
          path,
          operation: 'datacenter_change',
          kind: 'datacenter',
          properties: { name: `${name} more` },
        },
        { method: 'POST', path: `${path}/lans`, operation: 'lan_create', kind: 'lan', properties: { name } },
        {
          method: 'POST',
          path: `${path}/volumes`,
          operation: 'volume_create',
          kind: 'volume',
          properties: { name, size: 1, type: 'HDD', licenceType: 'OTHER' },
        },
      );
    }
    for (const location of ['de/txl', 'us/las']) {
      const datacenter = { operation: 'datacenter_create', kind: 'datacenter' };
      places.push({ method: 'POST', path: '/datacenters', ...datacenter, properties: { name: 'new', location } });
      const block = { operation: 'ipblock_create', kind: 'ipblock' };
      places.push({ method: 'POST', path: '/ipblocks', ...block, properties: { size: 1, location } });
    }
    const people = await Promise.all([
      addPerson(region, { administrator: true }),
      addPerson(region, { administrator: true }),
    ]);
    wishes = places.flatMap((place) =>
      people.flatMap(({ basic, user, token }) =>
        ['a.test', 'b.test:81'].flatMap((host) =>
          ['x/1', 'y/1'].map((agent) => ({ ...place, host, agent, token, email: basic.email, user: user.id })),
        ),
      ),
    );
    let seed = 7;
    for (let at = 0; at < calls; at++) {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      // Runs of a few alike, so that what was kept is used, too.
      const wish = wishes[(at % 3 === 0 ? seed : seed % 4) % wishes.length] as Wish;
      done.push({ wish, answer: await send(wish) });
    }
  });
  after(() => region.stop());

  function send({ method, path, properties, host, token, agent }: Wish): Promise<Answer> {
    const body = method === 'PATCH' ? properties : { properties };
    const headers = { host, 'user-agent': agent };
    return region.call(method, core + path, body, { token, headers });
  }

  test('each answer is its own', () => {
    for (const { wish, answer } of done) {
      const { status, headers, body } = answer;
      assert.equal(status, 202, JSON.stringify(body));
      const base = `http://${wish.host}${core}`;
      const own = wish.method === 'POST' ? `${wish.path}/${body.id}` : wish.path;
      assert.equal(body.href, base + own);
      assert.equal(body.type, wish.kind);
      for (const part of Object.values(body.entities ?? {}))
        assert.ok(part.href.startsWith(`${base}${own}/`), part.href);
      assert.equal(headers.location, `${base}/requests/${headers['x-request-id']}/status`);
      assert.equal(headers.etag, `"${body.metadata.etag}"`);
      assert.equal(body.metadata.lastModifiedBy, wish.email);
      for (const [name, value] of Object.entries(wish.properties)) assert.equal(body.properties[name], value);
    }
    assert.equal(new Set(done.map(({ answer }) => answer.headers['x-request-id'])).size, calls);
  });

  test('each request is its own', async () => {
    for (const { wish, answer } of done) {
      const { body } = await region.call('GET', `${core}/requests/${answer.headers['x-request-id']}?depth=2`);
      const { properties, metadata } = body;
      assert.equal(properties.url, `http://${wish.host}${core}${wish.path}`);
      assert.equal(properties.method, wish.method);
      assert.equal((properties.headers as Record<string, string>)['user-agent'], wish.agent);
      assert.equal(metadata.createdBy, wish.email);
      const [target] = (metadata.requestStatus as Shown).metadata.targets as { target: Shown }[];
      assert.equal(target?.target.id, answer.body.id);
      assert.equal(target?.target.type, wish.kind);
    }
  });

  test('each line of the log is its own', () => {
    const lines = new Map(
      region
        .log()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .map((line) => [line.id, line]),
    );
    for (const { wish, answer } of done) {
      const { message, operation, method, path, status, user } = lines.get(answer.headers['x-request-id']) ?? {};
      assert.deepEqual(
        { message, operation, method, path, status, user },
        {
          message: 'request',
          operation: wish.operation,
          method: wish.method,
          path: wish.path,
          status: 202,
          user: wish.user,
        },
      );
    }
  });
});
