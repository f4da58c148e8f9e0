// Answers, requests and log lines contain facts of the call: its host, its caller, its client and its path.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addPerson, core } from '../harness/people.ts';
import { type Answer, createDone, type Region, type ResourceBody, startRegion } from '../harness/region.ts';

interface Done {
  call: Call;
  answer: Answer;
}

interface Call {
  method: string;
  path: string; // below the service's prefix
  operation: string;
  properties: Record<string, unknown>;
  host: string;
  email: string;
  user: string;
  token: string;
  agent: string;
}

const kindOf = ({ operation }: Call): string => operation.split('_')[0] as string;

const datacenter = (name: string) => ({ properties: { name, location: 'de/txl' } });

const place = (method: string, path: string, operation: string, properties: Record<string, unknown>) => ({
  method,
  path,
  operation,
  properties,
});

suite('calls that differ in host, caller or client', () => {
  let region: Region;
  let calls: Call[];
  const done: Done[] = [];

  before(async () => {
    region = await startRegion();
    const { id: inside } = await createDone(region, `${core}/datacenters`, datacenter('one'));
    const places = [
      place('PATCH', `/datacenters/${inside}`, 'datacenter_change', { name: 'changed' }),
      place('PUT', `/datacenters/${inside}`, 'datacenter_replace', datacenter('put').properties),
      place('POST', `/datacenters/${inside}/lans`, 'lan_create', { name: 'inside' }),
      place('POST', '/datacenters', 'datacenter_create', datacenter('new').properties),
    ];
    const people = await Promise.all([
      addPerson(region, { administrator: true }),
      addPerson(region, { administrator: true }),
    ]);
    calls = places.flatMap((one) =>
      people.flatMap(({ basic, user, token }) =>
        ['a.test', 'b.test:81'].flatMap((host) =>
          ['x/1', 'y/1'].map((agent) => ({ ...one, host, agent, token, email: basic.email, user: user.id })),
        ),
      ),
    );
    for (const call of calls) done.push({ call, answer: await send(call) });
  });
  after(() => region.stop());

  function send({ method, path, properties, host, token, agent }: Call): Promise<Answer> {
    const body = method === 'PATCH' ? properties : { properties };
    const headers = { host, 'user-agent': agent };
    return region.call(method, core + path, body, { token, headers });
  }

  test('each answer is its own', () => {
    for (const { call, answer } of done) {
      const { status, headers, body } = answer;
      assert.equal(status, 202, JSON.stringify(body));
      const base = `http://${call.host}${core}`;
      const own = call.method === 'POST' ? `${call.path}/${body.id}` : call.path;
      assert.equal(body.href, base + own);
      assert.equal(body.type, kindOf(call));
      for (const part of Object.values(body.entities ?? {}))
        assert.ok(part.href.startsWith(`${base}${own}/`), part.href);
      assert.equal(headers.location, `${base}/requests/${headers['x-request-id']}/status`);
      assert.equal(headers.etag, `"${body.metadata.etag}"`);
      assert.equal(body.metadata.lastModifiedBy, call.email);
      for (const [name, value] of Object.entries(call.properties)) assert.equal(body.properties[name], value);
    }
    for (const header of ['x-request-id', 'etag'])
      assert.equal(new Set(done.map(({ answer }) => answer.headers[header])).size, done.length, header);
  });

  test('each request is its own', async () => {
    for (const { call, answer } of done) {
      const { body } = await region.call('GET', `${core}/requests/${answer.headers['x-request-id']}?depth=2`);
      const { properties, metadata } = body;
      assert.equal(properties.url, `http://${call.host}${core}${call.path}`);
      assert.equal(properties.method, call.method);
      assert.equal((properties.headers as Record<string, string>)['user-agent'], call.agent);
      assert.equal(metadata.createdBy, call.email);
      const [target] = (metadata.requestStatus as ResourceBody).metadata.targets as { target: ResourceBody }[];
      assert.equal(target?.target.id, answer.body.id);
      assert.equal(target?.target.type, kindOf(call));
    }
  });

  test('each line of the log is its own', async () => {
    for (const { answer } of done) await region.logged(String(answer.headers['x-request-id']));
    const lines = new Map(
      region
        .log()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .map((line) => [line.id, line]),
    );
    for (const { call, answer } of done) {
      const { message, operation, method, path, status, user } = lines.get(answer.headers['x-request-id']) ?? {};
      assert.deepEqual(
        { message, operation, method, path, status, user },
        {
          message: 'request',
          operation: call.operation,
          method: call.method,
          path: core + call.path,
          status: 202,
          user: call.user,
        },
      );
    }
  });
});
