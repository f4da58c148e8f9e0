// The wire: what is too large, too slow, too much or no HTTP at all gets its own status in the platform's payload, and
// the region stays well.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { isFull } from '../../src/testing/seed.ts';
import { core } from '../harness/people.ts';
import { startRegion } from '../harness/region.ts';
import { assertMemoryIsFreed, startFrugal } from '../harness/turns.ts';
import { answerOn, dial, head, wire } from '../harness/wire.ts';
import { assertPayload, expect, fill, inventory, operationsOf, worldOf } from './api.ts';

const mb = 1024 * 1024;

test('the wire', { concurrency: true }, async (t) => {
  await using region = await startFrugal({});
  const authorization = `Bearer ${region.token}`;
  const operations = await operationsOf(region);
  const world = await worldOf(region);
  const before = await inventory(region);
  const post = (headers: Record<string, string | number>): string =>
    head('POST', `${core}/datacenters`, { authorization, ...headers });

  const ports = [
    ['the plain port', region.url],
    ['the TLS port', region.https],
  ] as const;

  // They wait for the server's own limits, so they begin before all else.
  const slow = ports.flatMap(([port, url]) => [
    t.test(`[GEN-09] a client that is too slow with its headers: 408, on ${port}`, async () => {
      assertPayload(await wire(url, `GET /health HTTP/1.1\r\nHost: x\r\n`, limits.slowClient), 408, 'slow headers');
    }),
    t.test(
      `[GEN-09] a client that is too slow with its body: 408, on ${port}`,
      { skip: !isFull && 'takes a minute: only with --full' },
      async () => {
        const request = `${post({ 'content-length': 1000 })}{"properties":`;
        assertPayload(await wire(url, request, limits.slowClient), 408, 'slow body');
      },
    ),
  ]);

  await t.test(
    '[GEN-09] a body of 100 MB: 413, announced or in chunks, for every client that reads its answer',
    async () => {
      const part = Buffer.alloc(mb, 0x20);
      const size = `${mb.toString(16)}\r\n`;
      for (let round = 0; round < 5; round++) {
        for (const [port, url] of ports) {
          assertPayload(await poured(url, post({ 'content-length': 100 * mb }), part, ''), 413, `announced, ${port}`);
          assertPayload(
            await poured(url, post({ 'transfer-encoding': 'chunked' }), part, size),
            413,
            `chunks, ${port}`,
          );
        }
      }
      assertPayload(await region.call('POST', `${core}/datacenters`, Buffer.alloc(100 * mb, 0x20)), 413, 'by a client');
      const million = `[${'1,'.repeat(999_999)}1]`;
      assertPayload(await region.call('POST', `${core}/datacenters`, million), 413, 'a million elements');
      await assertMemoryIsFreed(region);
    },
  );

  for (const [port, url] of ports) {
    await t.test(`[GEN-09] headers over the limit: 431, on ${port}`, async () => {
      for (const size of [40_000, 200_000, 5_000_000]) {
        const request = head('GET', '/health', { 'x-long': 'a'.repeat(size) });
        assertPayload(await wire(url, request), 431, `a header of ${size} bytes`);
        const long = head('GET', `/health?${'a'.repeat(size)}`, {});
        assertPayload(await wire(url, long), 431, `a URL of ${size} bytes`);
      }
      const many = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`x-${at}`, 'a'.repeat(30)]));
      assertPayload(await wire(url, head('GET', '/health', many)), 431, 'many headers');
      const under = await wire(url, head('GET', '/health', { 'x-long': 'a'.repeat(8000) }));
      assert.equal(under.status, 200);
    });

    await t.test(`[GEN-09] invalid or ambiguous HTTP: 400, on ${port}`, async () => {
      const lines = [
        'hello',
        '\0\0\0\0',
        'GET',
        'GET / HTTP/9.9',
        'GET / HTTP/1.1',
        'GET /health HTTP/1.1\r\nHost: x\r\nHost: y',
        'GET /health HTTP/1.1\r\nHost: x\r\nhOST: x',
        'CONNECT api.ionos.com:443 HTTP/1.1',
        'CONNECT api.ionos.com:443 HTTP/1.1\r\nHost: x\r\nHost: y',
        'GET /\0 HTTP/1.1',
        '\x16\x03\x01\x02\x00\x01',
      ];
      const { contract } = region;
      const forms = [`0x${contract.toString(16)}`, contract.toExponential(), `0${contract}`, `+${contract}`];
      const numbers = [...forms, `${contract}.0`, `0b${contract.toString(2)}`, '-0'];
      const odd = [
        'Host : x',
        'Content-Length: -1',
        'Content-Length: 1\r\nContent-Length: 2',
        'X: a\rb',
        'Content-Length: 3\r\nTransfer-Encoding: chunked',
        'Transfer-Encoding: chunked\r\nContent-Length: 3',
        'Transfer-Encoding: gzip, chunked',
        `Authorization: ${authorization}\r\nAuthorization: ${authorization}`,
        ...numbers.map((number) => `Authorization: ${authorization}\r\nX-Contract-Number: ${number}`),
      ];
      const texts = [
        ...lines.map((line) => `${line}\r\n\r\n`),
        ...odd.map((header) => `POST / HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\nabc`),
        `${post({ 'transfer-encoding': 'chunked' })}zz\r\n`,
      ];
      if (port === 'the TLS port') texts.push('CONNECT api.ionos.com:443 HTTP/1.1\r\nHost: x\r\n\r\n');
      for (const text of texts) {
        const answer = await wire(url, Buffer.from(text, 'latin1')).catch((error: Error) =>
          assert.fail(`${JSON.stringify(text)}: ${error.message}`),
        );
        assertPayload(answer, 400, JSON.stringify(text));
      }
    });
  }

  await t.test('[GEN-09] unknown routes 404, wrong methods 405 with Allow', async () => {
    const routes = [
      '/nothing',
      `${core}/nothing`,
      '/auth/v1/nothing',
      '/activitylog/v1/x',
      '/lab/x',
      '/docs/x.json',
      `${core}/datacenters/x/y/z`,
    ];
    for (const path of routes) assertPayload(await region.call('GET', path), 404, path);
    const paths = new Map<string, string[]>();
    for (const one of operations) paths.set(one.path, [...(paths.get(one.path) ?? []), one.method]);
    for (const [path, methods] of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        if (methods.includes(method)) continue;
        const answer = await region.call(method, fill({ path }, world.ids));
        assertPayload(answer, 405, `${method} ${path}`);
        assert.deepEqual(String(answer.headers.allow).split(', ').sort(), methods.toSorted(), `${method} ${path}`);
      }
    }
  });

  await t.test('[GEN-09] paths and targets in odd forms are refused or missing, never broken', async () => {
    const id = world.ids.datacenterId;
    const below = `//datacenters /datacenters//lans /../v6/nothing /datacenters/% /datacenters/%zz /datacenters/%ff%fe
      /datacenters/%00 /datacenters/%2e%2e /datacenters/${id}%2flans /datacenters/${id}/lans/01
      /datacenters/${id}/lans/0
      /datacenters/${id?.toUpperCase()}x /datacenters/${'a'.repeat(20_000)} /labels/urn:label:datacenter
      /labels/urn:label:__proto__:x:y /um/resources/__proto__ /um/resources/constructor/x /locations/__proto__`;
    const others = `// //cloudapi/v6/datacenters /./x /% /docs/__proto__.json /docs/..%2f..%2fregion.key /..;/x
      /auth/v1/tokens/%00 /activitylog/v1/contracts/${'9'.repeat(400)}`;
    const targets = [...others.split(/\s+/), ...below.split(/\s+/).map((path) => core + path)];
    for (const target of targets) {
      const answer = await wire(region.url, head('GET', target, { authorization }));
      assertPayload(answer, [403, 404], target.slice(0, 80));
    }
    for (const target of [
      'http://example.com/',
      'http://127.0.0.1/',
      'ftp://x',
      '*',
      'x',
      'http://',
      'http://[::1]/',
    ]) {
      const answer = await wire(region.url, head(target === '*' ? 'OPTIONS' : 'GET', target, { authorization }));
      assertPayload(answer, [400, 403], target);
    }
  });

  await t.test('odd Host, Expect and Upgrade headers break nothing', async () => {
    const broken = [
      '[',
      'a b',
      'x'.repeat(5000),
      '::',
      '%',
      'évil',
      'a/b',
      'a?b',
      'a@b',
      'a:b',
      'a:8:0',
      'a:65536',
      '..',
      'a..b',
      '[1.2.3.4]',
      '[:::::]',
      '"',
      '\u007f',
    ];
    for (const host of broken)
      for (const [port, url] of ports) {
        const request = Buffer.from(head('GET', '/health', { host }), 'latin1');
        assertPayload(await wire(url, request), 400, `Host ${host} on ${port}`);
      }
    for (const host of ['a', 'A-b_c.d', 'a.', 'a:', 'a:80', 'a:000080', '127.0.0.1:7070', '[::1]', '[fe80::1]:443', ''])
      assert.equal((await wire(region.url, head('GET', '/health', { host }))).status, 200, `Host ${host}`);
    const hosts = ['', ...broken, 'a.'];
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      for (const host of operation.id === 'user_s3ssourl_get' || operation.id === 'region_index'
        ? hosts
        : hosts.slice(1, 3)) {
        const request = head('GET', fill(operation, world.ids), { authorization, host });
        const { status } = await wire(region.url, Buffer.from(request, 'latin1'));
        assert.ok(status < 500, `${operation.id} with Host ${host}: ${status}`);
      }
    }
    const request = Buffer.from(post({ host: 'a\u007fb', 'content-length': 2 }), 'latin1');
    assertPayload(await wire(region.url, Buffer.concat([request, Buffer.from('[]')])), 400, 'a Host that is none');
    const odd: Record<string, string>[] = [
      { expect: 'the-moon' },
      { expect: '100-continue' },
      { upgrade: 'h2c', connection: 'Upgrade' },
      { 'content-encoding': 'gzip' },
    ];
    for (const headers of odd) {
      const request = head('GET', '/health', headers);
      assert.equal((await wire(region.url, request)).status, 200, JSON.stringify(headers));
    }
  });

  await Promise.all(slow);
  await t.test('no call created anything, and the region is healthy', async () => {
    assert.deepEqual(await inventory(region), before);
    await expect(region.call('GET', '/health'), 200);
    assert.doesNotMatch(region.log(), /"message":"bug"/);
  });
});

// Sends a hundred parts, as fast as they are taken, until an answer comes.
async function poured(url: string, request: string, part: Buffer, size: string) {
  const socket = dial(url);
  const answer = answerOn(socket);
  socket.write(request);
  for (let sent = 0; sent < 100 && !socket.destroyed; sent++) {
    socket.write(size);
    socket.write(part);
    if (!socket.write(size && '\r\n'))
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
  }
  return answer;
}

test('[GEN-09] more connections than allowed: 503, and their requests are not executed', async () => {
  await using region = await startRegion({ args: ['--max-connections', '10'] });
  const open = await Promise.all(Array.from({ length: 12 }, async () => once(dial(region.url), 'connect')));
  assert.equal(open.length, 12);
  const body = '{"properties":{"name":"too many","location":"de/txl"}}';
  const request =
    head('POST', `${core}/datacenters`, { authorization: `Bearer ${region.token}`, 'content-length': body.length }) +
    body;
  for (let round = 0; round < 20; round++) assertPayload(await wire(region.url, request), 503, 'too many');
  await region.restart();
  const { body: list } = await region.call('GET', `${core}/datacenters`);
  assert.deepEqual(list.items, []);
});
