// The API pages as a client sees them: what they list, what they are made of, and that their examples work.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { after, before, suite, test } from 'node:test';
import { type Answer, type Region, startRegion } from '../harness/region.ts';
import { assertPayload, fill, namesIn, operationsOf, worldOf } from '../sweep/api.ts';

interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { securitySchemes?: Record<string, { scheme: string }> };
}

interface Described {
  operationId: string;
  responses: Record<string, unknown>;
  requestBody?: { content: Record<string, { example: unknown }> };
}

const types: Record<string, RegExp> = { css: /^text\/css/, js: /^text\/javascript/, svg: /^image\/svg\+xml/ };

suite('the API pages', () => {
  let region: Region;
  let services: { name: string; title: string; address: string; docs: string; openapi: string }[];
  before(async () => {
    region = await startRegion({ args: ['--domain', 'region.test'] });
    services = (await region.call<{ services: typeof services }>('GET', '/', undefined, { token: null })).body.services;
  });
  after(() => region.stop());

  const open = (path: string, headers = {}): Promise<Answer<string>> =>
    region.call<string>('GET', path, undefined, { token: null, headers });
  const documentOf = (name: string, headers = {}): Promise<Document> =>
    open(`/docs/${name}.json`, headers).then(({ body }) => body as unknown as Document);
  const pages = (): string[] => ['/docs', ...services.map(({ docs }) => new URL(docs).pathname)];

  test('[GEN-08] one page lists all services with their addresses, pages, documents and operations', async () => {
    const { body } = await open('/docs');
    assert.ok(services.length >= 5);
    for (const { name, title, address } of services) {
      assert.ok(body.includes(`<a href="/docs/${name}">${title}</a>`), `${name} has no link`);
      assert.ok(body.includes(`href="/docs/${name}.json"`), `${name} has no document`);
      assert.ok(body.includes(`<code>${address}</code>`), `${name} has no address`);
    }
    for (const domain of ['ionos.com', 'region.test'])
      assert.ok(body.includes(`<code>https://api.${domain}/cloudapi/v6</code>`), domain);
    for (const one of await operationsOf(region))
      assert.ok(body.includes(`#${one.id}"><span class="method ${one.method.toLowerCase()}">`), `${one.id} is missing`);
    assert.ok(body.includes('./cumulet token generate'));
  });

  test('the operations of core are in the order of the README', async () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, listed = ''] = /\| `\/cloudapi\/v6` \| (.*) \|/.exec(readme) ?? [];
    const words = listed.split(/, |; | and /).map((word) => word.toLowerCase().replaceAll(' ', '').replace(/s$/, ''));
    const expected = words.map((word) => ({ crossconnect: 'pcc' })[word] ?? word);
    const { body } = await open('/docs/cloudapi');
    const shown = [...body.matchAll(/<h2 id="group-(\w+)">/g)].map(([, tag = '']) => tag);
    assert.equal(shown[0], 'datacenter');
    assert.deepEqual(
      shown.filter((tag) => expected.includes(tag)),
      expected,
    );
  });

  test('pages are HTML, name no other origin and allow none', async () => {
    for (const path of pages()) {
      const { status, headers, body } = await open(path);
      assert.equal(status, 200, path);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      for (const [, target = ''] of body.matchAll(/\s(?:src|href)="([^"]*)"/g))
        assert.match(target, /^(?:\/(?:docs|console)\b|#)/, `${path} leads to ${target}`);
      assert.doesNotMatch(body, /<script>|\sstyle=|\son\w+=/, `${path} has something inline`);
    }
  });

  test('assets have their types, and are kept for good under the address that the pages name', async () => {
    const named = new Set<string>();
    for (const path of pages())
      for (const [, asset = ''] of (await open(path)).body.matchAll(/"(\/docs\/assets\/[^"]+)"/g)) named.add(asset);
    assert.equal(named.size, 3); // the styles of the console contain the others
    for (const asset of named) {
      const { status, headers, body } = await open(asset);
      assert.equal(status, 200, asset);
      assert.match(String(headers['content-type']), types[/\.(\w+)\?/.exec(asset)?.[1] ?? ''] ?? /^$/, asset);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(Number(headers['content-length']), Buffer.byteLength(body));
      for (const other of [asset.replace(/\?.*/, ''), `${asset}x`])
        assert.equal((await open(other)).headers['cache-control'], 'no-cache');
    }
  });

  test('HEAD answers like GET without a body', async () => {
    for (const path of [...pages(), '/docs/cloudapi.json', '/docs/assets/page.css']) {
      const got = await open(path);
      const headed = await region.call('HEAD', path, undefined, { token: null });
      assert.equal(headed.status, 200, path);
      assert.equal(headed.body as unknown, '');
      for (const name of ['content-type', 'content-length', 'cache-control', 'content-security-policy'])
        assert.equal(headed.headers[name], got.headers[name], `${path} ${name}`);
    }
  });

  test('[GEN-09] an unknown path gets 404, another method 405, in the payload', async () => {
    for (const path of ['nonsense', 'nonsense.json', 'cloudapi.yaml', 'assets', 'assets/x', 'assets/constructor'])
      assertPayload(await open(`/docs/${path}`), 404, path);
    for (const path of ['..%2fpages.ts', '..%2f..%2f..%2fpackage.json', 'page.css%00', 'package.json'])
      assertPayload(await open(`/docs/assets/${path}`), 404, path);
    assert.match(JSON.stringify((await open('/docs/nonsense')).body), /cloudapi\.json/);
    assertPayload(await region.call('POST', '/docs', {}), 405, 'POST');
  });

  test('the server of a document is where the page was opened', async () => {
    for (const { name, address } of services) {
      const prefix = address.slice(region.url.length);
      assert.deepEqual(
        (await documentOf(name)).servers.map(({ url }) => url),
        [address],
      );
      const named = await documentOf(name, { host: 'api.ionos.com' });
      assert.equal(named.servers[0]?.url, `http://api.ionos.com${prefix}`);
    }
    const secure = (await overTls(`${region.https}/docs/cloudapi.json`)) as Document;
    assert.equal(secure.servers[0]?.url, `${region.https}/cloudapi/v6`);
  });

  test('a Host that is markup is invalid, and is not repeated', async () => {
    for (const path of ['/docs', '/docs/cloudapi']) {
      const { status, body } = await open(path, { host: `x"'><b>&` });
      assert.equal(status, 400);
      assert.doesNotMatch(JSON.stringify(body), /<b>/, path);
    }
  });

  test('documents have the authentication: a token, and a password where the service accepts it', async () => {
    const schemes = async (name: string) => (await documentOf(name)).components.securitySchemes;
    assert.deepEqual(Object.keys((await schemes('cloudapi')) ?? {}), ['bearer', 'basic']);
    assert.equal(await schemes('region'), undefined);
  });
});

test('--public-url is the server of a document where it was opened by it', async () => {
  await using region = await startRegion({ args: ['--public-url', 'https://cloud.example.test'] });
  const serverAt = async (host: string): Promise<string | undefined> =>
    (await region.call<Document>('GET', '/docs/auth.json', undefined, { headers: { host } })).body.servers[0]?.url;
  assert.equal(await serverAt('cloud.example.test'), 'https://cloud.example.test/auth/v1');
  assert.equal(await serverAt('127.0.0.1:7070'), 'http://127.0.0.1:7070/auth/v1');
});

suite('[GEN-08] the examples in the documents work unchanged', () => {
  const accepted = async (region: Region, wanted: (names: string[], id: string) => boolean): Promise<number> => {
    const { ids } = await worldOf(region);
    const wrong: string[] = [];
    const all = (await operationsOf(region)).filter((one) => one.body && wanted(namesIn(one), one.id));
    // Creations first: a group that is replaced by its example gives its members nothing any more.
    for (const one of all.toSorted((a, b) => Number(b.method === 'POST') - Number(a.method === 'POST'))) {
      const { body } = await region.call<Document>('GET', `/docs/${one.service}.json`);
      const operations = Object.values(body.paths).flatMap((methods) => Object.values(methods));
      const { requestBody, responses } = operations.find(({ operationId }) => operationId === one.id) as Described;
      const example = requestBody?.content['application/json']?.example;
      const answer = await region.call(one.method, fill(one, ids), example);
      const [good] = Object.keys(responses).sort();
      if (String(answer.status) !== good)
        wrong.push(`${one.id} ${JSON.stringify(example)}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    assert.deepEqual(wrong, []);
    return all.length;
  };

  test('where nothing has to be there before', async () => {
    await using region = await startRegion({ args: ['--inference-rate', '1000000'] });
    // These name a datacenter, an address, a provider or a platform of the user's own; a save point stops the region,
    // and a demo needs an empty contract.
    const naming =
      /^(autoscalinggroup|reverserecord|autocertificate|lab_savepoint)_create$|^lab_demo_start$|^lab_copy_/;
    assert.ok((await accepted(region, (names, id) => names.length === 0 && !naming.test(id))) >= 6);
  });

  test('and on existing resources', async () => {
    await using region = await startRegion({ args: ['--inference-rate', '1000000'] });
    // A property that names an existing resource or an address in use must name the user's own.
    const naming =
      /^(group_users_add|server_cdroms_attach|lan_nics_attach|loadbalancer_balancednics_add|volume_restoreSnapshot)$/;
    const addressed =
      /^(network|application)forwardingrule_|^natgateway(rule)?_(create|replace|change)$|^reverserecord_replace$/;
    // These the world has made already, and there can be one only.
    const made = /^share_create$|_flowlog_create$|^record_replace$/;
    const fixed = /^((secondary)?zone|autoscalinggroup)_replace$/; // a zone keeps its name, a group its datacenter
    const missing = /^lab_savepoint_restore$/; // none is there
    const isLeft = (id: string): boolean => [naming, addressed, made, fixed, missing].some((one) => one.test(id));
    assert.ok((await accepted(region, (names, id) => names.length > 0 && !isLeft(id))) >= 40);
  });
});

// The region's certificate is its own CA's, which this test has no reason to look at.
const overTls = (url: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject);
    sent.end();
  });
