// Event streaming from outside: clusters, topics and users through the API and through Kafka clients.

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { collect, connected, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { until } from '../../src/testing/waiting.ts';
import { logging, searchAt } from '../harness/logs.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { addCluster, addTopic, clusters, reach, streaming, untilGone, untilState } from './clusters.ts';

describe('event streaming', () => {
  let region: Region;
  let cluster: ResourceBody;
  before(async () => {
    region = await startRegion();
    cluster = await addCluster(region, { name: 'orders' });
  });
  after(() => region.stop());

  it('[STREAM-01] creates a cluster of three brokers at port 9093, and deletes it', async () => {
    const made = await region.call('POST', clusters, { properties: { name: 'short', size: 'M' } });
    assert.equal(made.status, 202);
    assert.equal(made.body.metadata.state, 'DEPLOYING');
    const { metadata, properties } = await untilState(region, `${clusters}/${made.body.id}`, 'AVAILABLE');
    const addresses = metadata.brokerAddresses as string[];
    assert.equal(new Set(addresses).size, 3);
    for (const address of addresses) assert.match(address, /^127\.\d+\.\d+\.\d:9093$/);
    assert.deepEqual(properties, {
      name: 'short',
      version: '4.0.0',
      size: 'M',
      connections: [{ brokerAddresses: addresses }],
    });
    assert.equal(metadata.storageGb, 1200);
    const { body } = await region.call('GET', `${clusters}?filter.name=SHOR&filter.state=available`);
    assert.deepEqual(
      body.items.map(({ id }) => id),
      [made.body.id],
    );
    assert.equal((await region.call('DELETE', `${clusters}/${made.body.id}`)).status, 202);
    await untilGone(region, `${clusters}/${made.body.id}`);
  });

  it('[STREAM-06] serves a Kafka client, which sees the same topics as the API', async () => {
    const made = await addTopic(region, cluster.id, { name: 'by-api', replicationFactor: 3, numberOfPartitions: 6 });
    const kafka = kafkajsOf(await reach(region, cluster));
    const admin = await connected(kafka.admin());
    await admin.createTopics({ topics: [{ topic: 'by.client', numPartitions: 2, replicationFactor: 2 }] });
    assert.deepEqual((await admin.listTopics()).sort(), ['by-api', 'by.client']);
    const listed = await region.call('GET', `${clusters}/${cluster.id}/topics?orderBy=name`);
    assert.deepEqual(
      listed.body.items.map(({ properties }) => [properties.name, properties.numberOfPartitions]),
      [
        ['by-api', 6],
        ['by.client', 2],
      ],
    );
    const producer = await producerOf(kafka);
    await producer.send({ topic: 'by-api', messages: [{ key: 'a', value: 'hello' }] });
    const reader = await collect(kafka, 'readers', 'by-api');
    await reader.until(() => reader.received.length === 1);
    assert.equal(reader.received[0]?.value, 'hello');
    await reader.stop();
    await producer.disconnect();
    await admin.deleteTopics({ topics: ['by-api'] });
    assert.equal((await region.call('GET', `${clusters}/${cluster.id}/topics/${made.id}`)).status, 404);
    await admin.disconnect();
  });

  it('[LOG-07] shows the owner the log lines of brokers in central logging', async () => {
    const { body } = await region.call('GET', `${logging}/central`);
    await region.call('PUT', `${logging}/central`, { properties: { enabled: true } });
    const { id } = await addCluster(region, { name: 'logged' });
    const query = `{tag="kafka"} |= "the cluster serves" | cluster_id="${id}"`;
    await until('the cluster logs', async () => {
      await region.call('PUT', '/lab/clock', { advanceMs: 2000 });
      return (await searchAt(region, `${logging}/central/${body.items[0]?.id}`, query)).length > 0;
    });
  });

  it('[STREAM-04] gives access by a certificate of 365 days and a PKCS#8 key', async () => {
    const { certificates } = await reach(region, cluster);
    const certificate = new X509Certificate(certificates.client.certificate);
    assert.ok(certificate.checkIssued(new X509Certificate(certificates.authority)));
    assert.match(certificates.client.key, /^-----BEGIN PRIVATE KEY-----/);
    const days = (certificate.validToDate.getTime() - Date.now()) / 86_400_000;
    assert.ok(days > 364 && days <= 365, `${days} days`);
    assert.equal((await region.call('GET', `${streaming}/clusters/${cluster.id}/users`)).body.items.length, 1);
  });
});
