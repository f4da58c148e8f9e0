// Event streaming by Terraform, where it is installed with the platform's provider.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connected, kafkajsOf } from '../../../src/testing/kafkajs.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { type Way, wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

interface Seen {
  id: string;
  brokers: string[];
  found: string;
  topic: string;
  topicFound: string;
  authority: string;
  certificate: string;
  key: string;
}

// Only by the proxy: the provider has the hosts of this product built in, regardless of settings.
test('Terraform and event streaming', { skip }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const folder = workFolder(t);
  await journey(t, region, await wayTo(region, 'proxy', folder), join(folder, 'proxy'));
});

async function journey(t: TestContext, region: Region, way: Way, folder: string): Promise<void> {
  const first = workspace(way, folder, 'streaming', { tag: `tf${way.name}` });
  const second = first.with({ partitions: '6' });
  let made: Seen;

  await t.test('[STREAM-01] [STREAM-02] apply creates cluster and topic, and finds them by name', async () => {
    assert.match(await first.apply(), /4 added, 0 changed, 0 destroyed/);
    made = await first.output<Seen>('seen');
    const { body } = await region.call('GET', `/streaming/clusters/${made.id}`);
    assert.equal(body.metadata.state, 'AVAILABLE');
    assert.deepEqual([made.found, made.topicFound], [made.id, made.topic]);
    assert.deepEqual(made.brokers, body.metadata.brokerAddresses);
  });
  await t.test('[STREAM-01] a plan right after it finds nothing to change', () => first.isSettled());
  await t.test('[STREAM-04] the credentials are those that brokers accept', async () => {
    const { brokers: addresses, authority, certificate, key } = made;
    const kafka = kafkajsOf({ addresses, certificates: { authority, client: { certificate, key } } });
    const admin = await connected(kafka.admin());
    assert.deepEqual(await admin.listTopics(), ['orders']);
    await admin.disconnect();
  });
  await t.test('[STREAM-02] another number of partitions replaces the topic', async () => {
    assert.match(await second.apply(), /1 added, 0 changed, 1 destroyed/);
    await second.isSettled();
    const { topic } = await second.output<Seen>('seen');
    const { body } = await region.call('GET', `/streaming/clusters/${made.id}/topics/${topic}`);
    assert.equal(body.properties.numberOfPartitions, 6);
  });
  await t.test('[STREAM-01] destroy leaves none', async () => {
    assert.match(await second.destroy(), /4 destroyed/);
    assert.equal((await region.call('GET', `/streaming/clusters/${made.id}`)).status, 404);
  });
}
