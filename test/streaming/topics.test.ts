// The requests that the API of clusters and topics accepts and refuses, its answers, and how records expire.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { collect, connected, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { addPerson } from '../harness/people.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { secondContract } from '../sweep/world.ts';
import { addCluster, addTopic, clusters, reach, streaming, untilGone, untilState } from './clusters.ts';

// Rejects if no broker listens at the address.
async function answers(address: string): Promise<void> {
  const [host = '', port] = address.split(':');
  const socket = connect(Number(port), host);
  await once(socket, 'connect');
  socket.destroy();
}

describe('clusters and topics', () => {
  let region: Region;
  let cluster: ResourceBody;
  let topics: string;
  before(async () => {
    region = await startRegion();
    cluster = await addCluster(region, { name: 'shop' });
    topics = `${clusters}/${cluster.id}/topics`;
  });
  after(() => region.stop());

  it('[STREAM-02] [STREAM-03] a topic needs a name; other fields have defaults, except the replication', async () => {
    const { properties, type, href } = await addTopic(region, cluster.id, { name: 'bare' });
    assert.deepEqual(properties, {
      name: 'bare',
      numberOfPartitions: 3,
      logRetention: { retentionTime: 604_800_000, segmentBytes: 1_073_741_824 },
    });
    assert.equal(type, 'topic');
    assert.ok(href.startsWith(`${region.url}${topics}/`), href);
    const full = { name: 'full', replicationFactor: 3, numberOfPartitions: 6, logRetention: { retentionTime: -1 } };
    const made = await addTopic(region, cluster.id, full);
    assert.partialDeepStrictEqual(made.properties, full);
    const { body } = await region.call('GET', topics);
    assert.deepEqual(body.items.map(({ properties: { name } }) => name).sort(), ['bare', 'full']);
    assert.deepEqual((await region.call('GET', `${topics}/${made.id}`)).body.properties, made.properties);
    assert.equal((await region.call('POST', topics, { properties: { name: 'full' } })).status, 409);
    assert.equal((await region.call('DELETE', `${topics}/${made.id}`)).status, 202);
    await untilGone(region, `${topics}/${made.id}`);
    assert.equal((await region.call('POST', topics, { properties: { name: 'full' } })).status, 202);
  });

  it('[STREAM-01] echoes valid connections, and explains invalid ones', async () => {
    const connection = {
      datacenterId: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
      lanId: '2',
      brokerAddresses: ['192.168.1.101/24', '192.168.1.102/24', '192.168.1.103/24'],
    };
    const made = await addCluster(region, { name: 'a.b-c_d', version: '3.9.0', size: 'XS', connections: [connection] });
    assert.deepEqual(made.properties.connections, [connection]);
    assert.equal(made.properties.version, '3.9.0');
    assert.equal(new Set(made.metadata.brokerAddresses as string[]).size, 3);
    const wrong: [object, RegExp][] = [
      [{ name: '-x' }, /properties\.name\] .*Expected letters and digits/],
      [{ name: 'x'.repeat(64) }, /properties\.name\] Expected at most 63/],
      [{ size: 'XXL' }, /properties\.size\] .*one of \[XS, S, M, L, XL\]/],
      [{ version: '2.8.0' }, /properties\.version\] .*one of \[4\.0\.0, 3\.9\.0, 3\.7\.0\]/],
      [{ connections: [] }, /connections\] Expected exactly one/],
      [{ connections: [{ ...connection, lanId: 'two' }] }, /connections\.\[0\]\.lanId\] Expected the number/],
      [{ connections: [{ ...connection, brokerAddresses: ['192.168.1.1/24'] }] }, /brokerAddresses\] Expected three/],
      [
        { connections: [{ ...connection, brokerAddresses: ['10.225.0.1/24', '10.225.0.2/24', '10.225.0.3/24'] }] },
        /brokerAddresses\.\[0\]\] 10\.224\.0\.0\/11 is reserved and cannot be used/,
      ],
      [
        { connections: [{ ...connection, brokerAddresses: ['10.0.0.1/24', '10.0.1.2/24', '10.0.0.3/24'] }] },
        /brokerAddresses\] The addresses must be in one subnet/,
      ],
    ];
    for (const [properties, message] of wrong) {
      const sent = { properties: { name: 'wrong', size: 'S', ...properties } };
      const { status, body } = await region.call('POST', clusters, sent);
      assert.equal(status, 422, JSON.stringify(properties));
      assert.match(JSON.stringify(body.messages), message);
    }
    await region.call('DELETE', `${clusters}/${made.id}`);
  });

  it('[GEN-07] a cluster, its topics and its keys are visible to its own contract only', async () => {
    const { token } = await secondContract(region);
    const { body } = await region.call('GET', `${clusters}/${cluster.id}/users`);
    const paths = ['', '/topics', '/users', '/metrics', `/users/${body.items[0]?.id}/access`];
    for (const path of paths)
      assert.equal(
        (await region.call('GET', `${clusters}/${cluster.id}${path}`, undefined, { token })).status,
        404,
        path,
      );
    assert.deepEqual((await region.call('GET', clusters, undefined, { token })).body.items, []);
    const person = await addPerson(region);
    assert.equal(
      (await region.call('GET', `${clusters}/${cluster.id}`, undefined, { token: person.token })).status,
      403,
    );
  });

  it('[STREAM-07] records are deleted when they are older than the retention, by the clock of the region', async () => {
    await addTopic(region, cluster.id, { name: 'old', numberOfPartitions: 1 });
    await addTopic(region, cluster.id, { name: 'kept', numberOfPartitions: 1, logRetention: { retentionTime: -1 } });
    const kafka = kafkajsOf(await reach(region, cluster));
    const admin = await connected(kafka.admin());
    const producer = await producerOf(kafka);
    for (const topic of ['old', 'kept']) await producer.send({ topic, messages: [{ value: 'x' }] });
    const lows = async (): Promise<(string | undefined)[]> => {
      const both = await Promise.all(['old', 'kept'].map((topic) => admin.fetchTopicOffsets(topic)));
      return both.map(([one]) => one?.low);
    };
    assert.deepEqual(await lows(), ['0', '0']);
    await region.call('PUT', '/lab/clock', { advanceMs: 8 * 86_400_000 });
    assert.deepEqual(await lows(), ['1', '0']);
    await producer.disconnect();
    await admin.disconnect();
  });

  it('[STREAM-06] shows the lag of groups at /metrics of the cluster, and sums at the region’s', async () => {
    await addTopic(region, cluster.id, { name: 'lagging', numberOfPartitions: 1 });
    const kafka = kafkajsOf(await reach(region, cluster));
    const producer = await producerOf(kafka);
    await producer.send({ topic: 'lagging', messages: [{ value: '1' }] });
    const reader = await collect(kafka, 'late "readers"', 'lagging');
    await reader.until(() => reader.received.length === 1);
    await reader.stop();
    await producer.send({ topic: 'lagging', messages: [{ value: '2' }, { value: '3' }] });
    await producer.disconnect();
    const { body, headers } = await region.call<string>('GET', `${clusters}/${cluster.id}/metrics`);
    assert.match(String(headers['content-type']), /^text\/plain/);
    assert.match(body, /^kafka_consumergroup_lag\{consumergroup="late \\"readers\\"",topic="lagging"\} 2$/m);
    assert.match(body, /^kafka_cluster_bytes_in_total [1-9]/m);
    const all = await region.call<string>('GET', '/metrics', undefined, { token: null });
    assert.match(all.body, /^cumulet_streaming_lag_records [2-9]/m);
    assert.match(all.body, /^cumulet_streaming_bytes_out_total [1-9]/m);
    assert.ok(!all.body.includes('lagging'), 'no names of contracts are public');
    const { body: central } = await region.call('GET', '/de-txl/monitoring/central');
    const path = `/de-txl/monitoring/central/${central.items[0]?.id}`;
    await region.call('PUT', path, { properties: { enabled: true } });
    await region.call('PUT', '/lab/clock', { advanceMs: 120_000 });
    const query = encodeURIComponent('kafka_consumergroup_lag{topic="lagging"}');
    const lag = await region.call<{ data: { result: { value: [number, string] }[] } }>(
      'GET',
      `${path}/prometheus/api/v1/query?query=${query}`,
    );
    assert.equal(lag.body.data.result[0]?.value[1], '2', JSON.stringify(lag.body));
  });

  it('[STREAM-06] keeps addresses, topics and records across a restart', async () => {
    await region.restart();
    const path = `${streaming}/clusters/${cluster.id}`;
    const { metadata } = await untilState(region, path, 'AVAILABLE');
    assert.deepEqual(metadata.brokerAddresses, cluster.metadata.brokerAddresses);
    for (const address of metadata.brokerAddresses as string[]) await answers(address); // at once
    const serves = region
      .log()
      .split('\n')
      .filter((line) => /the cluster serves/.test(line) && line.includes(cluster.id));
    assert.equal(serves.length, 2, 'one line for each start');
    const kafka = kafkajsOf(await reach(region, cluster));
    const admin = await connected(kafka.admin());
    const [offsets] = await admin.fetchTopicOffsets('kept');
    assert.equal(offsets?.high, '1');
    await admin.disconnect();
  });
});
