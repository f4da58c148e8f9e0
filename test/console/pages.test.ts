// The console's page and files as a client sees them: one page for all addresses, bundled files that are kept for good,
// and nothing of another origin.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type Answer, type Region, startRegion } from '../harness/region.ts';
import { assertPayload } from '../sweep/api.ts';

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
    for (const path of ['', '/', '/tokens', '/monitoring/de-fra', '/a/b/c', '/a/b/c/d/e/f/g']) {
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
    const { body: script } = await open(`${base}main.js`);
    const chunks = [...script.matchAll(/import\("\.\/([\w.-]+)"\)/g)].map(([, name]) => name as string);
    assert.ok(chunks.length > 0, 'the chart library is loaded with the first chart');
    const types: Record<string, RegExp> = { js: /^text\/javascript/, css: /^text\/css/, map: /^application\/json/ };
    for (const name of ['main.js', 'main.js.map', 'styles.css', ...chunks]) {
      const { status, headers, body } = await open(base + name);
      assert.equal(status, 200, name);
      assert.match(String(headers['content-type']), types[name.split('.').at(-1) ?? ''] as RegExp, name);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      if (!name.endsWith('.map')) assert.equal(Number(headers['content-length']), Buffer.byteLength(text));
      if (!name.endsWith('.map')) assert.doesNotMatch(text, /\beval\(|new Function\b/, name);
      const other = await open(`/console/assets/another/${name}`);
      assert.deepEqual([other.body, other.headers['cache-control']], [body, 'no-cache']);
    }
  });

  test('[GEN-09] what is not there: 404, and 405 for other methods, in the payload', async () => {
    const base = await assets();
    const traversals = ['..%2findex.ts', '..%2f..%2fpackage.json', 'parts/..%2fmain.js', 'main.js%00', 'main.tsx'];
    for (const name of ['', 'x.js', 'constructor', 'parts', 'a/b/c.js', ...traversals])
      assertPayload(await open(base + name), 404, name);
    assertPayload(await region.call('POST', '/console', {}), 405, 'POST');
    assertPayload(await region.call('PUT', '/console/session', {}), 405, 'PUT');
  });

  test('HEAD answers like GET without a body', async () => {
    for (const path of ['/console', `${await assets()}main.js`, '/console/facts', '/console/session']) {
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
