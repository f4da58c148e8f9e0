// Tests of the console by HTTP: its page and files, without other origins; all operations of the API documents, which
// the console offers or docs/console.md explains; DNS lookups and certificate chains.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, suite, test } from 'node:test';
import { groupStart } from '../../../console/autoscaling/form-start.ts';
import { validityOf } from '../../../console/certificates/chain.ts';
import { digOf, fullName } from '../../../console/dns/lookup.ts';
import type { FieldSchema, OperationModel, ResourceModel } from '../../../console/resources/model.ts';
import { sampleCertificate } from '../../../src/testing/black-box/certificates.ts';
import { addDatacenter } from '../../harness/landscape.ts';
import { type Answer, type Region, startRegion } from '../../harness/region.ts';
import { assertPayload } from '../../sweep/api.ts';
import { signIn, type Visitor } from '../harness/calls.ts';

let region: Region;
before(async () => {
  region = await startRegion();
});
after(() => region.stop());

suite("the console's page and files", () => {
  const open = (path: string, headers = {}): Promise<Answer<string>> =>
    region.call<string>('GET', path, undefined, { token: null, headers });
  const assets = async (): Promise<string> =>
    /\/console\/assets\/[\w-]+\//.exec((await open('/console')).body)?.[0] ?? '';
  const mainScript = async (): Promise<string> =>
    /<script type="module" src="[^"]*\/([\w.-]+)">/.exec((await open('/console')).body)?.[1] ?? '';

  test('browsers are redirected to the console, other clients get the list of services', async () => {
    const { status, headers } = await open('/', { accept: 'text/html,application/xhtml+xml' });
    assert.deepEqual([status, headers.location], [303, '/console']);
    assert.equal((await open('/')).status, 200);
  });

  test('all addresses of the console return one page, which allows no other origin and nothing inline', async () => {
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

  test('all files are served without TypeScript types, and cached forever by versioned address', async () => {
    const base = await assets();
    const main = await mainScript();
    const { body: script } = await open(base + main);
    const chunks = [...script.matchAll(/import\("\.\/([\w.-]+)"\)/g)].map(([, name]) => name as string);
    assert.ok(chunks.length > 0, 'the chart library is loaded with the first chart');
    const types: Record<string, RegExp> = { js: /^text\/javascript/, css: /^text\/css/, map: /^application\/json/ };
    for (const name of [main, `${main}.map`, 'styles.css', ...chunks]) {
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

  test('the page, its files and the models are compressed for clients that accept it', async () => {
    const base = await assets();
    for (const path of ['/console', `${base}styles.css`, '/console/model', '/docs/assets/page.css']) {
      const plain = await fetch(region.url + path, { headers: { 'accept-encoding': 'gzip;q=0' } });
      assert.deepEqual([plain.headers.get('content-encoding'), plain.headers.get('vary')], [null, 'Accept-Encoding']);
      const text = await plain.text();
      for (const [accepted, encoding] of Object.entries({ 'gzip, br': 'br', 'GZIP;q=0.5, br;q=0': 'gzip' })) {
        const answer = await fetch(region.url + path, { headers: { 'accept-encoding': accepted } });
        assert.equal(answer.headers.get('content-encoding'), encoding, path);
        assert.ok(Number(answer.headers.get('content-length')) < Buffer.byteLength(text) / 2, path);
        assert.equal(await answer.text(), text); // fetch has decompressed it
      }
    }
  });

  test('[GEN-09] an unknown path gets 404, another method 405, in the payload', async () => {
    const base = await assets();
    const traversals = [
      '..%2findex.ts',
      '..%2f..%2fpackage.json',
      'parts/..%2fstyles.css',
      'styles.css%00',
      'main.tsx',
    ];
    for (const name of ['', 'x.js', 'constructor', 'parts', 'a/b/c.js', ...traversals])
      assertPayload(await open(base + name), 404, name);
    assertPayload(await region.call('POST', '/console', {}), 405, 'POST');
    assertPayload(await region.call('PUT', '/console/session', {}), 405, 'PUT');
  });

  test('HEAD answers like GET without a body', async () => {
    for (const path of ['/console', `${await assets()}styles.css`, '/console/facts', '/console/session']) {
      const [got, headed] = [await open(path), await region.call('HEAD', path, undefined, { token: null })];
      assert.deepEqual([headed.status, headed.body as unknown], [200, ''], path);
      for (const name of ['content-type', 'content-length', 'cache-control'])
        assert.equal(headed.headers[name], got.headers[name], `${path} ${name}`);
    }
  });

  test('the facts of the region are public: regions, API pages, lifetimes of tokens', async () => {
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

  test('the console is not an API: no document lists it', async () => {
    const { body } = await region.call<{ services: { name: string }[] }>('GET', '/', undefined, { token: null });
    assert.ok(!body.services.some(({ name }) => name === 'console'));
  });
});

const docs = readFileSync(join(import.meta.dirname, '../../../docs/console.md'), 'utf8');

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>;
}

// Operations with a special page instead of a form: the start of the path below the resource.
const workPlaces = /\/(?:prometheus|loki|api\/v1)(?:\/|$)/;

const operationsOf = (model: ResourceModel): OperationModel[] =>
  [model.list, model.create, model.change, model.remove, ...model.ofAll, ...model.ofOne].filter(
    (one): one is OperationModel => one !== undefined,
  );

// Names of the properties that forms hide, at any depth.
const hiddenIn = (schema: FieldSchema): string[] => [
  ...Object.entries((schema.properties ?? {}) as Record<string, FieldSchema>).flatMap(([name, one]) =>
    one['x-asked'] === false ? [name] : hiddenIn(one),
  ),
  ...(schema.items ? hiddenIn(schema.items as FieldSchema) : []),
];

suite('operations in the console', () => {
  let models: ResourceModel[];

  before(async () => {
    const { body } = await region.call<{ resources: ResourceModel[] }>('GET', '/console/model');
    models = body.resources;
  });

  test('cover all operations in the documents of services with resources', async () => {
    const offered = new Set(
      models.flatMap((model) => operationsOf(model).map((one) => `${model.service} ${one.operation}`)),
    );
    const read = new Set(models.filter(({ hasPage }) => hasPage).map(({ service, item }) => `${service} ${item}`));
    const changed = new Set(models.filter(({ change }) => change).map(({ service, item }) => `${service} ${item}`));
    const lacking: string[] = [];
    for (const service of new Set(models.map((model) => model.service))) {
      const { body } = await region.call<Document>('GET', `/docs/${service}.json`);
      for (const [path, methods] of Object.entries(body.paths))
        for (const [method, { operationId }] of Object.entries(methods)) {
          const isShown = method === 'get' && read.has(`${service} ${path}`);
          const isEdited = method === 'put' && changed.has(`${service} ${path}`); // PATCH covers it
          if (offered.has(`${service} ${operationId}`) || isShown || isEdited || workPlaces.test(path)) continue;
          if (!docs.includes(`\`${operationId}\``)) lacking.push(`${service} ${method} ${path} ${operationId}`);
        }
    }
    assert.deepEqual(lacking, [], 'Offer them, or explain in docs/console.md why they are missing.');
  });

  test('show only usable properties: none that are refused, ignored or duplicates', () => {
    const hiddenOf = (name: string, way: 'create' | 'change'): string[] => {
      const body = models.find((model) => model.name === name)?.[way]?.body ?? {};
      return hiddenIn(body);
    };
    assert.deepEqual(hiddenOf('datacenter', 'create'), ['defaultSecurityGroupId']);
    assert.deepEqual(hiddenOf('datacenter', 'change'), ['createDefaultSecurityGroup']);
    assert.deepEqual(hiddenOf('server', 'create'), ['placementGroupId']);
    assert.deepEqual(hiddenOf('user', 'create'), ['secAuthActive']);
    for (const way of ['create', 'change'] as const) assert.deepEqual(hiddenOf('logpipeline', way), ['destinations']);
  });

  test('start with valid values for an auto scaling group', async () => {
    const datacenter = await addDatacenter(region);
    const properties = { ...groupStart.properties, name: 'web', datacenter: { id: datacenter.split('/').at(-1) } };
    const { status, body } = await region.call('POST', '/autoscaling/groups', { properties });
    assert.equal(status, 202, JSON.stringify(body));
  });

  test('have distinct titles', () => {
    for (const model of models) {
      const titles = [...model.ofOne, ...model.ofAll].map(({ title }) => title);
      assert.equal(new Set(titles).size, titles.length, `${model.collection}: ${titles.join(', ')}`);
      assert.match(model.titles, /^[A-Z]/, model.collection);
    }
  });

  test('belong to a collection whose parent is also a collection', () => {
    const collections = new Set(models.map(({ service, collection }) => `${service} ${collection}`));
    for (const { service, collection, parent } of models) {
      if (parent !== undefined) assert.ok(collections.has(`${service} ${parent}`), collection);
      else assert.doesNotMatch(collection, /\{/, collection);
    }
  });
});

interface DnsAnswer {
  status: string;
  flags: string[];
  server: string;
  answers: { name: string; type: string; ttl: number; data: string }[];
  authorities: { type: string }[];
}

describe('names in the console', () => {
  let owner: Visitor;
  before(async () => {
    owner = await signIn(region, region.owner);
    const zone = (await region.call('POST', '/dns/zones', { properties: { zoneName: 'example.com' } })).body;
    const add = (properties: object) => region.call('POST', `/dns/zones/${zone.id}/records`, { properties });
    await add({ name: 'www', type: 'A', content: '192.0.2.7', ttl: 300 });
    await add({ name: '', type: 'MX', content: 'mail.example.com', priority: 10, ttl: 600 });
    await add({ name: 'note', type: 'TXT', content: 'a "b" <c>', ttl: 60 });
  });
  const ask = (query: string) => owner.call<DnsAnswer>('GET', `/console/dns-lookup?${query}`);

  it('a DNS lookup returns what the name server answers on the network', async () => {
    const { body } = await ask('name=www.example.com&type=A');
    assert.deepEqual(body.answers, [{ name: 'www.example.com', type: 'A', ttl: 300, data: '192.0.2.7' }]);
    assert.deepEqual([body.status, body.flags], ['NOERROR', ['qr', 'aa', 'rd']]);
    assert.equal((await ask('name=example.com&type=MX')).body.answers[0]?.data, '10 mail.example.com');
    assert.match((await ask('name=note.example.com.&type=txt')).body.answers[0]?.data ?? '', /<c>/);
    const missing = (await ask('name=nothing.example.com&type=AAAA&dnssec=1')).body;
    assert.deepEqual([missing.status, missing.authorities[0]?.type], ['NXDOMAIN', 'SOA']);
    assert.equal((await ask('name=example.org')).body.status, 'REFUSED');
    assert.match(body.server, /:\d+$/);
  });

  it('refuses invalid questions, and callers without a session', async () => {
    const long = 'a'.repeat(64);
    for (const query of ['name=a..b', `name=${long}.example.com`, 'name=example.com&type=AXFR', 'name=x&type=%3Cb%3E'])
      assert.equal((await ask(query)).status, 422, query);
    assert.equal((await region.call('GET', '/console/dns-lookup?name=x', undefined, { token: null })).status, 401);
    const cross = { 'x-console': '1', 'sec-fetch-site': 'cross-site' };
    assert.equal((await owner.call('GET', '/console/dns-lookup?name=x', undefined, cross)).status, 403);
    assert.equal((await owner.call('POST', '/console/certificate-chain', { pem: '' }, cross)).status, 403);
  });

  it('parses a certificate chain', async () => {
    const { certificate, certificateChain } = sampleCertificate;
    const pem = `${certificate}\n${certificate}\n${certificateChain}`;
    const { status, body } = await owner.call<{ certificates: { isSigned: boolean; commonName: string }[] }>(
      'POST',
      '/console/certificate-chain',
      { pem },
    );
    assert.equal(status, 200);
    assert.ok(body.certificates.length >= 1);
    assert.ok(body.certificates.every(({ isSigned }) => isSigned !== false));
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    assert.equal((await owner.call('POST', '/console/certificate-chain', { pem: broken })).status, 422);
    assert.equal((await owner.call('POST', '/console/certificate-chain', {})).status, 422);
  });

  it('shows how long a certificate is valid, and the dig command for a lookup', () => {
    const year = { notBefore: '2026-01-01T00:00:00Z', notAfter: '2027-01-01T00:00:00Z' };
    const at = (day: string) => validityOf(year, Date.parse(day));
    assert.deepEqual(at('2026-07-02T12:00:00Z'), { look: 'good', text: '182 days left', share: 0.5 });
    assert.equal(at('2026-12-20T00:00:00Z').look, 'waits');
    assert.equal(at('2027-01-03T00:00:00Z').text, 'Expired 2 days ago');
    assert.equal(at('2025-12-31T00:00:00Z').text, 'Valid in 1 day');
    const names = ['', '@', 'www', 'www.example.com', 'a.test.'].map((name) => fullName(name, 'example.com'));
    assert.deepEqual(names, ['example.com', 'example.com', 'www.example.com', 'www.example.com', 'a.test']);
    const answer = { server: '127.0.0.1:7053' };
    const dig = (name: string): string =>
      digOf({ ...answer, question: { name, type: 'MX' } } as Parameters<typeof digOf>[0], true);
    assert.equal(dig('example.com'), 'dig @127.0.0.1 -p 7053 example.com MX +dnssec');
    assert.equal(dig('$(id).example.com'), "dig @127.0.0.1 -p 7053 '$(id).example.com' MX +dnssec");
  });
});
