// Which URL each path of a region has on the platform, at one gateway, and with an endpoint file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { declaredEndpoints } from '../../products.ts';
import { addressesOf, checkedUrl, readEndpoints } from '../../seeds/dump/addresses.ts';

const regions = ['de-fra', 'de-txl'];
const endpoints = declaredEndpoints();
const paths = [
  '/cloudapi/v6/datacenters?depth=1',
  '/autoscaling/groups',
  '/dns/zones',
  '/de-txl/monitoring/pipelines',
  '/de-fra/streaming/clusters/1/topics',
];

test('the platform has a host for each service and region', () => {
  const urlOf = addressesOf({ from: 'https://api.ionos.com', endpoints, regions });
  assert.deepEqual(paths.map(urlOf), [
    'https://api.ionos.com/cloudapi/v6/datacenters?depth=1',
    'https://api.ionos.com/autoscaling/groups',
    'https://dns.de-fra.ionos.com/zones',
    'https://monitoring.de-txl.ionos.com/pipelines',
    'https://kafka.de-fra.ionos.com/clusters/1/topics',
  ]);
});

test('any other address serves everything by its path', () => {
  for (const from of ['http://127.0.0.1:7070', 'http://127.0.0.1:7070/cloudapi/v6'])
    assert.deepEqual(
      paths.map(addressesOf({ from, endpoints, regions })),
      paths.map((path) => `http://127.0.0.1:7070${path}`),
    );
});

test('an endpoint file overrides addresses, for one location or for all', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-endpoints-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'config.yaml');
  const write = (...products: object[]) =>
    writeFileSync(file, JSON.stringify({ version: 1, environments: [{ name: 'a', products }] }));
  write(
    { name: 'cloud', endpoints: [{ name: 'https://core.example' }] },
    { name: 'monitoring', endpoints: [{ name: 'https://m.example/x/', location: 'de/txl' }] },
  );
  const urlOf = addressesOf({ from: 'https://api.ionos.com', endpoints, regions, given: readEndpoints(file) });
  assert.equal(urlOf('/cloudapi/v6/ipblocks'), 'https://core.example/cloudapi/v6/ipblocks');
  assert.equal(urlOf('/de-txl/monitoring/pipelines'), 'https://m.example/x/pipelines');
  assert.equal(urlOf('/de-fra/monitoring/pipelines'), 'https://monitoring.de-fra.ionos.com/pipelines');
  write({ name: 'cloud', endpoints: [{ name: 'nowhere' }] });
  assert.throws(() => readEndpoints(file), /'nowhere' is not an address/);
  write();
  assert.throws(() => readEndpoints(file), /has no endpoints/);
  for (const wrong of ['api.ionos.com', 'ftp://x', 'https://a:b@c', 'https://a/?token=1'])
    assert.throws(() => checkedUrl(wrong), /must be an address|must not have credentials/);
});
