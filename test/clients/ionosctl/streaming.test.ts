// Event streaming by ionosctl, where it is installed: by IONOS_API_URL, by its config file, and by the proxy.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connected, kafkajsOf } from '../../../src/testing/kafkajs.ts';
import { type Region, type ResourceBody, startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { wayTo, workFolder } from '../run.ts';
import { type Ctl, ctlOf } from './ionosctl.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('ionosctl and event streaming', { skip: ionosctl.skip ?? false }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const home = workFolder(t);
  for (const name of ['direct', 'config', 'proxy'] as const) {
    const ctl = ctlOf(ionosctl.path as string, region, await wayTo(region, name, home));
    await t.test(name, (inner) => journey(inner, ctl, region, join(home, `access-${name}`)));
  }
});

async function journey(t: TestContext, ctl: Ctl, region: Region, folder: string): Promise<void> {
  const { tag } = ctl;
  const call = (...args: string[]): string[] => ['kafka', ...args, '--location', 'de/fra', '--force'];
  const read = async (path = ''): Promise<ResourceBody> =>
    (await region.call('GET', `/streaming/clusters/${id}${path}`)).body;
  let id = '';
  const named = (): string[] => ['--cluster-id', id];
  const addresses = ['10.0.0.11/24', '10.0.0.12/24', '10.0.0.13/24'];

  await t.test('[STREAM-01] cluster create --wait: AVAILABLE when it returns', async () => {
    const place = ['--datacenter-id', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', '--lan-id', '1'];
    const kind = ['--name', `${tag}-one`, '--version', '3.9.0', '--size', 'S'];
    const brokers = ['--broker-addresses', addresses.join(',')];
    id = (await ctl.shown(...call('cluster', 'create', ...kind, ...place, ...brokers, '--wait'))).id;
    const { metadata, properties } = await read();
    assert.equal(metadata.state, 'AVAILABLE');
    assert.partialDeepStrictEqual(properties, { version: '3.9.0', connections: [{ brokerAddresses: addresses }] });
  });
  await t.test('[STREAM-01] cluster get and list', async () => {
    assert.match(await ctl.text(...call('cluster', 'get', ...named())), new RegExp(`${id}.*${tag}-one.*AVAILABLE`));
    assert.match(await ctl.text(...call('cluster', 'list')), new RegExp(`${id}\\s+${tag}-one`));
    const filtered = await ctl.text(...call('cluster', 'list', '--name', 'nobody'));
    assert.ok(!filtered.includes(id), filtered);
  });
  await t.test('[STREAM-02] topic create, get, list and delete', async () => {
    const topic = await ctl.shown(...call('topic', 'create', ...named(), '--name', 'orders', '--partitions', '6'));
    const one = [...named(), '--topic-id', topic.id];
    assert.match(await ctl.text(...call('topic', 'get', ...one)), /orders.*3.*6/);
    assert.match(await ctl.text(...call('topic', 'list', ...named())), new RegExp(`${topic.id}\\s+orders`));
    await ctl.text(...call('topic', 'delete', ...one, '--wait'));
    assert.match(await ctl.fails(...call('topic', 'get', ...one)), /404/);
  });
  await t.test('[STREAM-04] user list and get-access: files that a Kafka client uses', async () => {
    const [user] = (await read('/users')).items;
    assert.match(await ctl.text(...call('user', 'list', ...named())), /admin/);
    await ctl.text(...call('user', 'get-access', ...named(), '--user-id', user?.id ?? '', '--output-dir', folder));
    assert.deepEqual(readdirSync(folder).sort(), ['admin-ca.pem', 'admin-cert.pem', 'admin-key.pem']);
    const file = (name: string): string => readFileSync(join(folder, `admin-${name}.pem`), 'utf8');
    const certificates = { authority: file('ca'), client: { certificate: file('cert'), key: file('key') } };
    const reached = { addresses: (await read()).metadata.brokerAddresses as string[], certificates };
    const admin = await connected(kafkajsOf(reached).admin());
    assert.equal((await admin.describeCluster()).brokers.length, 3);
    await admin.disconnect();
  });
  await t.test('[STREAM-01] cluster delete --wait: deleted when it returns', async () => {
    await ctl.text(...call('cluster', 'delete', ...named(), '--wait'));
    assert.match(await ctl.fails(...call('cluster', 'get', ...named())), /404/);
  });
}
