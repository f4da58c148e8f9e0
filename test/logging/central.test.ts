// Central logging: while it is enabled, the log lines of the platform's products are found with LogQL; while it is
// disabled, none arrive.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { until } from '../../src/testing/waiting.ts';
import { addDatacenter, addServer, done } from '../harness/landscape.ts';
import { type Found, logging, searchAt } from '../harness/logs.ts';
import { makeStorageKey, provideBuckets, s3Client } from '../harness/objects.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';

const listenerIp = '10.12.118.224';

suite('central logging', () => {
  let region: Region;
  let path: string;
  before(async () => {
    region = await startRegion();
    const { body } = await region.call('GET', `${logging}/central`);
    path = `${logging}/central/${body.items[0]?.id}`;
  });
  after(() => region.stop());

  const turn = async (enabled: boolean): Promise<void> => {
    const { status } = await region.call('PUT', `${logging}/central`, { properties: { enabled } });
    assert.equal(status, 200);
  };
  // All due reconcilers have run when this returns.
  const pass = async (ms = 3000): Promise<void> => {
    assert.equal((await region.call('PUT', '/lab/clock', { advanceMs: ms })).status, 200);
  };
  const found = (query: string): Promise<Found[]> => searchAt(region, path, query);
  const untilFound = async (query: string): Promise<Found> => {
    const look = async (): Promise<Found | undefined> => {
      const [first] = await found(query);
      if (!first) await pass(2000);
      return first;
    };
    return until(`a line for ${query}`, look);
  };
  // Events while it is enabled are found; events while it is disabled are not, although a later one is.
  const journey = async (act: (name: string) => Promise<void>, query: (name: string) => string): Promise<Found> => {
    await turn(true);
    await act('loud');
    const line = await untilFound(query('loud'));
    await turn(false);
    await act('silent');
    await pass();
    await turn(true);
    await act('again');
    await untilFound(query('again'));
    assert.deepEqual(await found(query('silent')), []);
    await turn(false);
    return line;
  };

  test('[LOG-07] API calls, from the audit', async () => {
    const made = new Map<string, string>();
    const act = async (name: string): Promise<void> => {
      const block = await createDone(region, '/cloudapi/v6/ipblocks', { properties: { location: 'de/txl', size: 1 } });
      made.set(name, block.id);
    };
    const query = (name: string): string => `{tag="api"} |= "ipblock_create" |= "${made.get(name)}"`;
    const { labels, line } = await journey(act, query);
    assert.partialDeepStrictEqual(labels, { tag: 'api', source: 'platform', service: 'cloudapi' });
    assert.match(line, /"method":"POST"/);
  });

  test('[LOG-07] the output of server consoles, with the ids of the server and its datacenter', async () => {
    const datacenter = await addDatacenter(region);
    const servers = new Map<string, string>();
    const act = async (name: string): Promise<void> => {
      const server = await addServer(region, datacenter, { name });
      servers.set(name, server.slice(server.lastIndexOf('/') + 1));
      await pass(2000);
    };
    const line = await journey(act, (name) => `{tag="console", server_id="${servers.get(name)}"} |= "power on"`);
    assert.equal(line.labels.datacenter_id, datacenter.slice(datacenter.lastIndexOf('/') + 1));
  });

  test('[LOG-07] access to load balancers with central logging enabled', async () => {
    const datacenter = await addDatacenter(region);
    for (let count = 0; count < 2; count++) await createDone(region, `${datacenter}/lans`, {});
    const server = await addServer(region, datacenter);
    const nic = await createDone(region, `${server}/nics`, { properties: { lan: 1 } });
    const properties = { name: 'one', listenerLan: 1, targetLan: 2, ips: [listenerIp], centralLogging: true };
    const { id } = await createDone(region, `${datacenter}/applicationloadbalancers`, { properties });
    const httpRules = [{ name: 'a', type: 'STATIC', statusCode: 200, responseMessage: 'hello' }];
    const rule = { name: 'web', protocol: 'HTTP', listenerIp, listenerPort: 80, httpRules };
    await createDone(region, `${datacenter}/applicationloadbalancers/${id}/forwardingrules`, { properties: rule });
    const act = async (name: string): Promise<void> => {
      const packet = {
        from: { nicId: nic.id },
        to: { address: listenerIp, port: 80 },
        protocol: 'TCP',
        http: { method: 'GET', host: 'shop', path: `/${name}` },
      };
      const sent = await region.call('POST', '/lab/traffic', packet);
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
    };
    const line = await journey(act, (name) => `{tag="loadbalancer", balancer_id="${id}"} |= "/${name}"`);
    assert.partialDeepStrictEqual(JSON.parse(line.line), { balancer: id, method: 'GET', host: 'shop', path: '/loud' });
    await done(region, 'PATCH', `${datacenter}/applicationloadbalancers/${id}`, { centralLogging: false });
    await turn(true);
    await act('switchedoff');
    await pass();
    assert.deepEqual(await found('{tag="loadbalancer"} |= "switchedoff"'), []);
    await turn(false);
  });

  test('[LOG-07] calls to the object storage', async () => {
    await provideBuckets(region, 'logged');
    const s3 = s3Client(region, await makeStorageKey(region));
    const act = async (name: string): Promise<void> => {
      await s3.send(new PutObjectCommand({ Bucket: 'logged', Key: name, Body: 'x' }));
    };
    const line = await journey(act, (name) => `{tag="objects", bucket="logged"} | json | key="${name}"`);
    assert.partialDeepStrictEqual(JSON.parse(line.line), { operation: 'PutObject', status: 200, key: 'loud' });
  });

  test('[LOG-07] the setting lists the products that log', async () => {
    const { body } = await region.call('GET', path);
    const products = body.metadata.products as string[];
    assert.deepEqual(
      ['api', 'compute', 'objects'].filter((one) => !products.includes(one)),
      [],
    );
  });
});
