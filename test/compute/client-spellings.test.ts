// What Ansible and other clients send to the core API in another form than the documents show.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { core } from '../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';

let region: Region;
let datacenter: string;

before(async () => {
  region = await startRegion();
  const { id } = await createDone(region, `${core}/datacenters`, { properties: { name: 'one', location: 'de/txl' } });
  datacenter = `${core}/datacenters/${id}`;
});
after(() => region?.stop());

test('[CORE-01] numbers may come as texts, and listed words in any case', async () => {
  const server = await createDone(region, `${datacenter}/servers`, {
    properties: { name: 'web', cores: '1', ram: '1024', type: 'enterprise' },
  });
  assert.deepEqual([server.properties.cores, server.properties.type], [1, 'ENTERPRISE']);
  const nic = await createDone(region, `${datacenter}/servers/${server.id}/nics`, { properties: { lan: '1' } });
  assert.equal(nic.properties.lan, 1);
  const refused = await region.call('POST', `${datacenter}/servers`, { properties: { name: 'web', cores: 'one' } });
  assert.equal(refused.status, 422);
});

test('[CORE-01] a PUT keeps the properties that it leaves out', async () => {
  const lan = await createDone(region, `${datacenter}/lans`, { properties: { name: 'kept', public: true } });
  const { status, headers } = await region.call('PUT', `${datacenter}/lans/${lan.id}`, {
    properties: { public: false },
  });
  assert.equal(status, 202);
  await waitRequest(region, headers.location);
  const { body } = await region.call('GET', `${datacenter}/lans/${lan.id}`);
  assert.deepEqual([body.properties.name, body.properties.public], ['kept', false]);
});

test('[CORE-01] a resource that does not exist is named', async () => {
  const { status, body } = await region.call('GET', `${datacenter}/servers/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b`);
  assert.equal(status, 404);
  assert.match(body.messages[0]?.message ?? '', /does not exist\. The server was not found: 0190a1b2-/);
});

test('[GEN-08] missing resources of all products are named by kind and id', async () => {
  const id = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
  const missing: Record<string, string> = {
    [`${core}/images/${id}`]: 'image',
    [`${core}/templates/${id}`]: 'template',
    [`${core}/locations/xx/${id}`]: 'location',
    [`/dns/zones/${id}`]: 'zone',
    [`/dns/zones/${id}/keys`]: 'zone',
    [`/monitoring/pipelines/${id}`]: 'metricpipeline',
    [`/logging/pipelines/${id}`]: 'logpipeline',
    [`/streaming/clusters/${id}`]: 'cluster',
    [`/inference/collections/${id}`]: 'collection',
  };
  for (const [path, kind] of Object.entries(missing)) {
    const { status, body } = await region.call('GET', path);
    const said = JSON.stringify(body);
    assert.equal(status, 404, path);
    assert.ok(said.includes(`The ${kind} was not found: `) && said.includes(id), `${path}: ${said}`);
  }
});
