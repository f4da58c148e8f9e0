// Hosts, paths and regions to services.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AddressTable, locate } from './address.ts';
import type { Service } from './exchange.ts';
import { namesIn } from './testing.ts';

const service = (name: string, prefixes: string[], hosts: string[]): Service => ({
  name,
  title: '',
  description: '',
  prefixes,
  hosts,
  takesBasic: false,
  routes: [],
  renderFault: () => ({ status: 500 }),
});

const table: AddressTable = {
  domains: ['ionos.com', 'region.test'],
  names: namesIn('ionos.com', 'region.test'),
  regions: ['de-fra', 'de-txl'],
  services: [
    service('cloudapi', ['/cloudapi/v6'], ['api']),
    service('autoscaling', ['/autoscaling/v1.ea', '/autoscaling'], ['api']),
    service('metrics', ['/monitoring/ingest'], ['<number>-metrics.<account>.monitoring.<region>']),
    service('monitoring', ['/monitoring'], ['monitoring.<region>']),
    service('kafka', ['/streaming', '/kafka'], ['kafka.<region>']),
    { ...service('root', [], []), roots: ['pipelines'] },
    service('region', [''], []),
  ],
};
const at = (host: string, path: string) => {
  const found = locate(table, host, path);
  return found && [found.service.name, found.region, found.path, found.prefix];
};

test('[GEN-02] by path, with aliases; the longest prefix that is listed first wins', () => {
  assert.deepEqual(at('localhost:7070', '/cloudapi/v6/datacenters'), [
    'cloudapi',
    undefined,
    '/datacenters',
    '/cloudapi/v6',
  ]);
  assert.deepEqual(at('localhost', '/cloudapi/v6'), ['cloudapi', undefined, '/', '/cloudapi/v6']);
  assert.deepEqual(at('localhost', '/autoscaling/v1.ea/groups'), [
    'autoscaling',
    undefined,
    '/groups',
    '/autoscaling/v1.ea',
  ]);
  assert.deepEqual(at('localhost', '/autoscaling/groups'), ['autoscaling', undefined, '/groups', '/autoscaling']);
  assert.deepEqual(at('localhost', '/kafka/clusters'), ['kafka', undefined, '/clusters', '/kafka']);
  assert.deepEqual(at('localhost', '/cloudapi/v60'), ['region', undefined, '/cloudapi/v60', '']);
});

test('[GEN-02] by host: base by its path, regional ones at their root, with the region', () => {
  assert.deepEqual(at('api.ionos.com', '/cloudapi/v6/x'), ['cloudapi', undefined, '/x', '/cloudapi/v6']);
  assert.deepEqual(at('Monitoring.De-Fra.ionos.com.', '/pipelines'), ['monitoring', 'de-fra', '/pipelines', '']);
  assert.deepEqual(at('kafka.de-txl.region.test:7443', '/clusters'), ['kafka', 'de-txl', '/clusters', '']);
  assert.deepEqual(at('kafka.de-txl.region.test', '/kafka/clusters'), ['kafka', 'de-txl', '/clusters', '/kafka']);
});

test('[GEN-02] a region in the path means that region alone, for regional services', () => {
  assert.deepEqual(at('localhost', '/de-fra/monitoring/pipelines'), [
    'monitoring',
    'de-fra',
    '/pipelines',
    '/de-fra/monitoring',
  ]);
  assert.deepEqual(at('localhost', '/de-fra/cloudapi/v6/x')?.[0], 'region');
});

test('[METRIC-06] the host of one pipeline: its number is the first part of the path', () => {
  const own = '12-metrics.31000001.monitoring.de-txl.ionos.com';
  assert.deepEqual(at(own, '/api/v1/push'), ['metrics', 'de-txl', '/12/api/v1/push', '']);
  assert.deepEqual(at(`${own}:7443`, '/'), ['metrics', 'de-txl', '/12', '']);
  assert.deepEqual(at('localhost', '/monitoring/ingest/12/api/v1/push'), [
    'metrics',
    undefined,
    '/12/api/v1/push',
    '/monitoring/ingest',
  ]);
  assert.equal(at(`x-metrics.31000001.monitoring.de-txl.ionos.com`, '/api/v1/push'), undefined, 'no number');
  for (const other of ['12-logs.1', '12-metrics.1.2', '12-metrics'])
    assert.equal(at(`${other}.monitoring.de-txl.ionos.com`, '/api/v1/push')?.[0], 'region', other);
});

test('a path without a prefix is identified by its first part', () => {
  assert.deepEqual(at('localhost', '/pipelines/x'), ['root', undefined, '/pipelines/x', '']);
  assert.deepEqual(at('api.ionos.com', '/pipelines'), ['root', undefined, '/pipelines', '']);
  assert.equal(at('localhost', '/pipelinesx')?.[0], 'region');
  assert.equal(at('localhost', '/de-fra/pipelines')?.[0], 'region');
});

test('names of others are routed by path alone', () => {
  assert.deepEqual(at('monitoring.de-fra.evil.example', '/clusters')?.[0], 'region');
  assert.equal(at('monitoring.xx-yyy.ionos.com', '/pipelines'), undefined);
  assert.equal(at('s3.eu-central-3.ionoscloud.com', '/'), undefined);
});
