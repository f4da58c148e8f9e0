// The console's page and files as a client sees them: one page for all addresses, bundled files that are kept for good,
// and nothing of another origin.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { type Answer, type Region, startRegion } from '../harness/region.ts';
import { assertPayload } from '../sweep/api.ts';

const app = join(import.meta.dirname, '../../console');

suite("the console's page and files", () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const open = (path: string, headers = {}): Promise<Answer<string>> =>
    region.call<string>('GET', path, undefined, { token: null, headers });
  const assets = async (): Promise<string> =>
    /\/console\/assets\/[\w-]+\//.exec((await open('/console')).body)?.[0] ?? '';

  test('browsers are led to the console, other clients are told what there is', async () => {
    const { status, headers } = await open('/', { accept: 'text/html,application/xhtml+xml' });
    assert.deepEqual([status, headers.location], [303, '/console']);
    assert.equal((await open('/')).status, 200);
  });

  test('every address of the console is the same page, which allows no other origin and nothing inline', async () => {
    const { body } = await open('/console');
    for (const path of ['', '/', '/tokens', '/monitoring/de-fra', '/a/b/c', '/a/b/c/d']) {
      const page = await open(`/console${path}`);
      assert.equal(page.status, 200, path);
      assert.equal(page.body, body);
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(page.headers['cache-control'], 'no-cache');
      assert.equal(page.headers['x-content-type-options'], 'nosniff');
      const policy = String(page.headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'$/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    }
    for (const [, target = ''] of body.matchAll(/\s(?:src|href)="([^"]*)"/g))
      assert.match(target, /^(?:\/(?:docs|console)\b|#)/);
    assert.doesNotMatch(body, /<script>|\sstyle=|\son\w+=/);
    assert.equal((await open('/console', { host: 'elsewhere.example:1' })).body, body);
  });

  test('all files are served without their types, and kept for good under the address that the page names', async () => {
    const base = await assets();
    const names = globSync('**/*.{ts,css,svg}', { cwd: app });
    assert.ok(names.length > 10);
    for (const name of names) {
      const { status, headers, body } = await open(base + name);
      assert.equal(status, 200, name);
      assert.match(String(headers['content-type']), name.endsWith('.css') ? /^text\/css/ : /^text\/javascript/, name);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(Number(headers['content-length']), Buffer.byteLength(body));
      assert.doesNotMatch(body, /^(?:export )?(?:interface|type) /m, name);
      const other = await open(`/console/assets/another/${name}`);
      assert.deepEqual([other.body, other.headers['cache-control']], [body, 'no-cache']);
    }
  });

  test('[GEN-09] what is not there: 404, and 405 for other methods, in the payload', async () => {
    const base = await assets();
    const traversals = ['..%2findex.ts', '..%2f..%2fpackage.json', 'parts/..%2fmain.ts', 'main.ts%00', 'main.js'];
    for (const name of ['x.ts', 'constructor', 'parts', 'a/b/c.ts', ...traversals])
      assertPayload(await open(base + name), 404, name);
    assertPayload(await open('/console/a/b/c/d/e'), 404, 'too deep');
    assertPayload(await region.call('POST', '/console', {}), 405, 'POST');
    assertPayload(await region.call('PUT', '/console/session', {}), 405, 'PUT');
  });

  test('HEAD answers like GET without a body', async () => {
    for (const path of ['/console', `${await assets()}main.ts`, '/console/facts', '/console/session']) {
      const [got, headed] = [await open(path), await region.call('HEAD', path, undefined, { token: null })];
      assert.deepEqual([headed.status, headed.body as unknown], [200, ''], path);
      for (const name of ['content-type', 'content-length', 'cache-control'])
        assert.equal(headed.headers[name], got.headers[name], `${path} ${name}`);
    }
  });

  test('the facts of the region are nobody’s secret: regions, API pages, lifetimes of tokens', async () => {
    const { body } = await region.call<{
      regions: string[];
      services: { name: string }[];
      lifetimes: { name: string; seconds: number }[];
      mostTokens: number;
    }>('GET', '/console/facts', undefined, { token: null });
    assert.ok(body.regions.includes('de-txl'));
    assert.ok(body.services.some(({ name }) => name === 'cloudapi'));
    assert.equal(body.lifetimes.length, 9);
    assert.equal(body.mostTokens, 100);
  });

  test('the console is no API: no document lists it', async () => {
    const { body } = await region.call<{ services: { name: string }[] }>('GET', '/', undefined, { token: null });
    assert.ok(!body.services.some(({ name }) => name === 'console'));
  });
});
