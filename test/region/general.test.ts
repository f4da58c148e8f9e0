// What holds everywhere: payloads, addresses, limits, health, documents.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addContract, core } from '../harness/people.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { dial, head } from '../harness/wire.ts';

suite('everywhere', () => {
  let region: Region;
  before(async () => {
    region = await startRegion({ args: ['--domain', 'region.test'] });
  });
  after(() => region.stop());

  const isPayload = (body: unknown, status: number) => {
    const { httpStatus, messages } = body as { httpStatus: number; messages: { errorCode: string; message: string }[] };
    assert.equal(httpStatus, status);
    assert.ok(messages.length > 0);
    for (const one of messages) {
      assert.equal(typeof one.errorCode, 'string');
      assert.ok(one.message.length > 0);
    }
  };

  test('[GEN-01, GEN-04, GEN-05, GEN-09] each failure has its status and the payload, as JSON', async () => {
    const calls: [number, string, string, unknown, object][] = [
      [401, 'GET', `${core}/datacenters`, undefined, { token: null }],
      [401, 'GET', `${core}/datacenters`, undefined, { headers: { authorization: 'Nonsense x' } }],
      [404, 'GET', `${core}/nonsense`, undefined, {}],
      [404, 'GET', '/nonsense', undefined, {}],
      [404, 'GET', `${core}/datacenters/00000000-0000-7000-8000-000000000000`, undefined, {}],
      [405, 'POST', `${core}/contracts`, {}, {}],
      [405, 'TRACE', `${core}/datacenters`, undefined, {}],
      [413, 'POST', `${core}/datacenters`, 'x'.repeat(2_000_000), {}],
      [422, 'POST', `${core}/datacenters`, '{"properties":', {}],
      [422, 'POST', `${core}/datacenters`, '[]', {}],
      [422, 'POST', `${core}/datacenters`, undefined, {}],
      [403, 'GET', `${core}/datacenters`, undefined, { headers: { 'x-contract-number': '1' } }],
      [403, 'GET', `${core}/datacenters`, undefined, { headers: { 'x-contract-number': 'abc' } }],
    ];
    for (const [status, method, path, body, options] of calls) {
      const answer = await region.call(method, path, body, options);
      assert.equal(answer.status, status, `${method} ${path}`);
      assert.match(String(answer.headers['content-type']), /^application\/json/);
      isPayload(answer.body, status);
    }
  });

  test('[GEN-05] plain HTTP on the HTTPS port is refused, and the plain port is named', async () => {
    const port = new URL(region.https).port;
    for (const init of [{}, { method: 'POST', body: 'x'.repeat(100_000) }]) {
      const answer = await fetch(`http://127.0.0.1:${port}${core}/datacenters`, init);
      const body = (await answer.json()) as { messages: { message: string }[] };
      isPayload(body, 400);
      assert.equal(answer.status, 400);
      const { message } = body.messages[0] ?? { message: '' };
      assert.match(
        message,
        new RegExp(`HTTPS port ${port}\\. Use https://, or port ${new URL(region.url).port} for plain`),
      );
    }
  });

  test('[GEN-09] parts of the API that are not built say so', async () => {
    for (const [method, path] of [
      ['GET', `${core}/k8s`],
      ['POST', `${core}/k8s`],
      ['GET', `${core}/k8s/versions/default`],
      ['DELETE', `${core}/k8s/1/nodepools/2`],
      ['GET', '/databases/postgresql/clusters'],
      ['GET', '/containerregistries/registries'],
    ] as const) {
      const { status, body } = await region.call(method, path);
      isPayload(body, 404);
      assert.equal(status, 404);
      assert.match(JSON.stringify(body), /built in this region/, path);
    }
    const other = await region.call('GET', `${core}/k8sx`);
    assert.match(JSON.stringify(other.body), /There is no \/cloudapi\/v6\/k8sx here\./);
  });

  test('[GEN-10] every answer carries a request id, and so does its log line', async () => {
    const good = await region.call('POST', `${core}/datacenters`, { properties: { name: 'n', location: 'de/txl' } });
    const id = String(good.headers['x-request-id']);
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.ok(String(good.headers.location).includes(id));
    const bad = await region.call('POST', `${core}/datacenters`, {});
    assert.notEqual(bad.headers['x-request-id'], id);
    assert.equal(JSON.parse(await region.logged(id)).operation, 'datacenter_create');
  });

  test('[GEN-10] health, readiness and metrics need no token and contain no data of a contract', async () => {
    for (const path of ['/health', '/ready', '/metrics'])
      assert.equal((await region.call('GET', path, undefined, { token: null })).status, 200);
    const { body } = await region.call<string>('GET', '/metrics');
    assert.match(
      body,
      /^cumulet_requests_total\{service="cloudapi",operation="datacenter_create",status="202"\} \d+$/m,
    );
    assert.match(body, /^cumulet_request_seconds_bucket\{service="cloudapi",le="\+Inf"\} \d+$/m);
    assert.match(body, /^process_resident_memory_bytes \d+$/m);
    assert.doesNotMatch(body, new RegExp(`(?<![\\d.])${region.contract}(?!\\d)|@`)); // not among the decimals of a time
  });

  test('[GEN-02, GEN-03] services have their paths, and their hosts; one token works on all', async () => {
    for (const path of [`${core}/datacenters`, '/auth/v1/tokens', '/activitylog/v1']) {
      for (const host of ['api.ionos.com', 'api.region.test', 'API.region.test', 'localhost']) {
        const answer = await region.call('GET', path, undefined, { headers: { host } });
        assert.equal(answer.status, 200, `${host}${path}`);
      }
    }
    const named = await region.call('GET', `${core}/datacenters`, undefined, { headers: { host: 'api.ionos.com' } });
    assert.equal(named.body.href, 'http://api.ionos.com/cloudapi/v6/datacenters');
  });

  test('[GEN-08] each service has an OpenAPI 3.1 document with all its operations', async () => {
    const index = await region.call<{ services: { name: string; openapi: string }[] }>('GET', '/', undefined, {
      token: null,
    });
    assert.deepEqual(index.body.services.map(({ name }) => name).sort(), [
      'activitylog',
      'auth',
      'autoscaling',
      'billing',
      'certificates',
      'cloudapi',
      'dns',
      'inference',
      'lab',
      'logging',
      'logs',
      'metrics',
      'modelhub',
      'monitoring',
      'objectstorage',
      'reachability',
      'region',
      'streaming',
    ]);
    for (const { openapi } of index.body.services) {
      const { status, body } = await region.call('GET', new URL(openapi).pathname, undefined, { token: null });
      assert.equal(status, 200);
      assert.equal(body.openapi, '3.1.0');
      const paths = body.paths as Record<string, Record<string, { operationId: string }>>;
      const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
      assert.ok(ids.length > 0);
      assert.equal(new Set(ids).size, ids.length, 'operation ids are unique');
    }
    assert.equal((await region.call('GET', '/docs/nonsense.json')).status, 404);
  });

  const raw = (bytes: string, url = region.url): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = dial(url);
      socket.write(bytes);
      let text = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });

  test('[GEN-09] invalid HTTP, or headers that are too large, get the payload too', async () => {
    for (const [status, bytes] of [
      [400, 'NONSENSE\r\n\r\n'],
      [431, `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`],
    ] as const) {
      const answer = await raw(bytes);
      assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer.slice(0, 80));
      assert.match(answer, /\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
      assert.match(answer, /\r\nDate: \w{3}, /);
      isPayload(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)), status);
    }
  });

  test('[GEN-09] a client that pipelines several requests gets the answer to the first before the second is refused', async () => {
    const body = JSON.stringify({ properties: { name: 'first of two', location: 'de/txl' } });
    const [authorization, json] = [`Bearer ${region.token}`, 'application/json'];
    const headers = { authorization, 'content-type': json, 'content-length': body.length };
    const first = head('POST', `${core}/datacenters`, headers) + body;
    const seconds: [number, string][] = [
      [400, 'GET /health HTTP/1.1\r\nHost: a b\r\n\r\n'],
      [400, 'GET /health HTTP/1.1\r\n\r\n'],
      [400, 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
      [400, 'NONSENSE\r\n\r\n'],
      [431, `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`],
    ];
    for (const url of [region.url, region.https])
      for (const [status, second] of seconds) {
        const text = await raw(first + second, url);
        const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, one]) => Number(one));
        assert.deepEqual(statuses, [202, status], `${url} ${second.slice(0, 60)}`);
      }
    for (const url of [region.url, region.https])
      assert.match(await raw('HEAD / HTTP/1.1\r\nHost: a b\r\n\r\n', url), /^HTTP\/1\.1 400 [^{]*\r\n\r\n$/);
  });

  test('a client that asks for indented JSON gets errors indented too, also from an unknown host', async () => {
    for (const host of ['localhost', 'kafka.de-fra.ionos.com']) {
      const size = async (query: string): Promise<number> =>
        Number(
          (await region.call('GET', `/nothing${query}`, undefined, { headers: { host } })).headers['content-length'],
        );
      assert.ok((await size('?pretty=true')) > (await size('')) + 10, host);
    }
  });

  test('[GEN-10] a call without a host gets links to its own address, and refused requests are counted', async () => {
    for (const url of [region.url, region.https]) {
      const text = await raw('GET / HTTP/1.0\r\n\r\n', url);
      const { docs } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { docs: string };
      assert.equal(docs, `${url}/docs`);
    }
    const refused = async (): Promise<number> => {
      const { body } = await region.call<string>('GET', '/metrics');
      return Number(
        /^cumulet_requests_total\{service="none",operation="none",status="400"\} (\d+)$/m.exec(body)?.[1] ?? 0,
      );
    };
    const before = await refused();
    await raw('NONSENSE\r\n\r\n');
    await raw('GET / HTTP/1.1\r\nHost: a b\r\n\r\n');
    assert.equal(await refused(), before + 2);
  });

  test('HEAD answers like GET without a body', async () => {
    const answer = await region.call('HEAD', `${core}/datacenters`);
    assert.equal(answer.status, 200);
    assert.equal(answer.body as unknown, '');
    assert.ok(Number(answer.headers['content-length']) > 0);
  });
});

test('[CORE-24, GEN-05] over the rate limit: 429 with Retry-After; headers have the remaining calls', async () => {
  await using region = await startRegion({ args: ['--rate-limit', '60', '--rate-burst', '20'] });
  const { token } = await addContract(region, 31_000_024);
  const answers = [];
  for (let at = 0; at < 25; at++) answers.push(await region.call('GET', `${core}/datacenters`));
  const [first] = answers;
  assert.equal(first?.headers['x-ratelimit-limit'], '60');
  assert.equal(first?.headers['x-ratelimit-burst'], '20');
  const left = answers.map((answer) => Number(answer.headers['x-ratelimit-remaining']));
  assert.ok((left[1] ?? 0) < (left[0] ?? 0));
  const refused = answers.at(-1);
  assert.equal(refused?.status, 429);
  assert.match(String(refused?.headers['retry-after']), /^[1-9]\d*$/);
  const other = await region.call('GET', `${core}/datacenters`, undefined, { token });
  assert.equal(other.status, 200, 'another contract has its own limit');
  assert.ok(Number(other.headers['x-ratelimit-remaining']) > 15, String(other.headers['x-ratelimit-remaining']));
  assert.equal((await region.call('GET', '/health')).status, 200);
});

test('[GEN-09] more connections than allowed get 503 with the payload', async () => {
  await using region = await startRegion({ args: ['--max-connections', '3'] });
  const sockets = Array.from({ length: 6 }, () => dial(region.url));
  const refused = await Promise.any(
    sockets.map(
      (socket) =>
        new Promise<string>((resolve, reject) => {
          socket.setEncoding('utf8').once('data', (text: string) => resolve(text));
          socket.once('error', reject);
        }),
    ),
  );
  assert.match(refused, /^HTTP\/1\.1 503 /);
  for (const socket of sockets) socket.destroy();
});

test('[GEN-10] links begin with --public-url', async () => {
  await using region = await startRegion({ args: ['--public-url', 'https://cloud.example.test'] });
  const made = await region.call('POST', `${core}/datacenters`, { properties: { name: 'n', location: 'de/txl' } });
  assert.match(made.body.href, /^https:\/\/cloud\.example\.test\/cloudapi\/v6\/datacenters\//);
  assert.match(String(made.headers.location), /^https:\/\/cloud\.example\.test\/cloudapi\/v6\/requests\//);
});

test('[GEN-09] without the lab there is none', async () => {
  await using region = await startRegion({ args: ['--no-lab'] });
  assert.equal((await region.call('GET', '/lab/clock')).status, 404);
});
