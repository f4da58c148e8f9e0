// Administration through the Kafka protocol: chosen replicas, leaders, the quorum, markers, authorized operations, and
// settings of brokers, groups and client metrics that survive a restart and take effect.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, suite, test } from 'node:test';
import { connect } from 'node:tls';
import { brokerDefinitions } from './settings/broker-definitions.ts';
import { openTestBroker, type TestBroker } from './testing.ts';
import { apis } from './wire/apis.ts';
import { errorCodes } from './wire/errors.ts';
import { readResponse, writeRequest } from './wire/frame.ts';
import { batchOf } from './wire/testing.ts';

interface Outcome {
  errorCode: number;
  errorMessage: string | null;
}

interface Described extends Outcome {
  configs: { name: string; value: string | null; configSource: number; readOnly: boolean; synonyms: object[] }[];
}

const types = { topic: 2, broker: 4, clientMetrics: 16, group: 32 };

suite('administration of a broker [STREAM-02] [STREAM-06]', () => {
  let broker: TestBroker;
  before(async () => {
    broker = await openTestBroker();
  });
  after(async () => {
    await broker.close();
    assert.deepEqual(broker.errors, []);
  });

  const ask = async <T>(name: string, body: object, nodeId = 1): Promise<T> => {
    const api = [...apis.values()].find((one) => one.name === name) as NonNullable<ReturnType<typeof apis.get>>;
    const version = api.versions[1];
    const [host, port] = broker.addresses[nodeId - 1]?.split(':') ?? [];
    const { authority, client } = broker.certificates;
    const socket = connect({ host, port: Number(port), ca: authority, key: client.key, cert: client.certificate });
    await once(socket, 'secureConnect');
    for (const part of writeRequest(api, { version, correlationId: 1, clientId: 'admin' }, body)) socket.write(part);
    let answer = Buffer.alloc(0);
    while (answer.length < 4 || answer.length < 4 + answer.readUInt32BE(0)) {
      const [part] = (await once(socket, 'data')) as [Buffer];
      answer = Buffer.concat([answer, part]);
    }
    socket.destroy();
    return readResponse(api, version, answer.subarray(4)) as T;
  };

  const create = async (name: string, assignments: number[][], numbers = [-1, -1]): Promise<Outcome> => {
    const topic = {
      name,
      numPartitions: numbers[0],
      replicationFactor: numbers[1],
      assignments: assignments.map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds })),
      configs: [],
    };
    const answer = await ask<{ topics: Outcome[] }>('CreateTopics', {
      topics: [topic],
      timeoutMs: 1,
      validateOnly: false,
    });
    return answer.topics[0] as Outcome;
  };
  const replicasOf = (name: string): number[][] =>
    broker.cluster.topics.byName.get(name)?.partitions.map(({ replicas }) => replicas) ?? [];
  const describe = async (resourceType: number, resourceName: string): Promise<Described> => {
    const resources = [{ resourceType, resourceName, configurationKeys: null }];
    const sent = { resources, includeSynonyms: true, includeDocumentation: false };
    return (await ask<{ results: Described[] }>('DescribeConfigs', sent)).results[0] as Described;
  };
  const entryOf = async (type: number, name: string, key: string) =>
    (await describe(type, name)).configs.find((one) => one.name === key);
  const set = async (resourceType: number, resourceName: string, name: string, value: string | null) => {
    const configs = [{ name, configOperation: value === null ? 1 : 0, value }];
    const sent = { resources: [{ resourceType, resourceName, configs }], validateOnly: false };
    return (await ask<{ responses: Outcome[] }>('IncrementalAlterConfigs', sent)).responses[0]?.errorCode;
  };

  test('a topic has the replicas that the client chose, even after a restart', async () => {
    const chosen = [
      [2, 1],
      [3, 2],
    ];
    assert.equal((await create('chosen', chosen)).errorCode, 0);
    assert.deepEqual(replicasOf('chosen'), chosen);
    const grown = { name: 'chosen', count: 3, assignments: [{ brokerIds: [1, 3] }] };
    await ask('CreatePartitions', { topics: [grown], timeoutMs: 1, validateOnly: false });
    await broker.reopen();
    assert.deepEqual(replicasOf('chosen'), [...chosen, [1, 3]]);
    const leaders = broker.cluster.topics.byName.get('chosen')?.partitions.map(({ leader }) => leader);
    assert.deepEqual(leaders, [2, 3, 1]);
  });

  test('invalid replica lists are refused as in Apache Kafka', async () => {
    const cases: [number[][], RegExp][] = [
      [[[9]], /broker 9, but no such broker is registered/],
      [[[1, 1]], /the broker 1 more than once/],
      [[[]], /an empty replica list/],
      [[[1], [1, 2]], /not consistent with previous partitions/],
    ];
    for (const [assignments, message] of cases) {
      const { errorCode, errorMessage } = await create('wrong', assignments);
      assert.equal(errorCode, errorCodes.INVALID_REPLICA_ASSIGNMENT);
      assert.match(String(errorMessage), message);
    }
    assert.equal((await create('wrong', [[1]], [1, -1])).errorCode, errorCodes.INVALID_REQUEST);
    const counted = { name: 'chosen', count: 5, assignments: [{ brokerIds: [1, 3] }] };
    const grown = { topics: [counted], timeoutMs: 1, validateOnly: true };
    const { results } = await ask<{ results: Outcome[] }>('CreatePartitions', grown);
    assert.equal(results[0]?.errorCode, errorCodes.INVALID_REPLICA_ASSIGNMENT);
    assert.equal(broker.cluster.topics.byName.has('wrong'), false);
  });

  test('replicas are reassigned at once, and only those of the partition', async () => {
    await create('moved', [
      [1, 2],
      [2, 3],
    ]);
    const reassign = async (replicas: number[] | null): Promise<number | undefined> => {
      const topics = [{ name: 'moved', partitions: [{ partitionIndex: 0, replicas }] }];
      const answer = await ask<{ responses: { partitions: Outcome[] }[] }>('AlterPartitionReassignments', { topics });
      return answer.responses[0]?.partitions[0]?.errorCode;
    };
    assert.equal(await reassign([3, 1, 2]), 0);
    assert.equal(await reassign([4]), errorCodes.INVALID_REPLICA_ASSIGNMENT);
    assert.equal(await reassign(null), errorCodes.NO_REASSIGNMENT_IN_PROGRESS);
    await broker.reopen();
    assert.deepEqual(replicasOf('moved'), [
      [3, 1, 2],
      [2, 3],
    ]);
  });

  test('leaders are elected only where the preferred one does not lead', async () => {
    await create('led', [[2, 1]]);
    const elect = async (partition: number): Promise<number | undefined> => {
      const sent = { electionType: 0, topicPartitions: [{ topic: 'led', partitions: [partition] }], timeoutMs: 1 };
      type Answer = { replicaElectionResults: { partitionResult: Outcome[] }[] };
      return (await ask<Answer>('ElectLeaders', sent)).replicaElectionResults[0]?.partitionResult[0]?.errorCode;
    };
    assert.equal(await elect(0), errorCodes.ELECTION_NOT_NEEDED);
    assert.equal(await elect(7), errorCodes.UNKNOWN_TOPIC_OR_PARTITION);
    await broker.stopNode(2);
    assert.equal(await elect(0), errorCodes.PREFERRED_LEADER_NOT_AVAILABLE);
    await broker.startNode(2);
    assert.equal(await elect(0), errorCodes.ELECTION_NOT_NEEDED);
  });

  test('the quorum has all brokers, and the controller leads it', async () => {
    const topics = [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }];
    type Quorum = { leaderId: number; highWatermark: number; currentVoters: { replicaId: number }[] };
    const quorum = async () => (await ask<{ topics: { partitions: Quorum[] }[] }>('DescribeQuorum', { topics })).topics;
    const first = (await quorum())[0]?.partitions[0] as Quorum;
    assert.equal(first.leaderId, 1);
    assert.deepEqual(
      first.currentVoters.map(({ replicaId }) => replicaId),
      [1, 2, 3],
    );
    await create('counted', [[1]]);
    await broker.reopen();
    assert.ok(((await quorum())[0]?.partitions[0]?.highWatermark ?? 0) > first.highWatermark);
  });

  test('a marker ends a hanging transaction of a partition', async () => {
    await create('hangs', [[1]]);
    const log = broker.cluster.topics.find('hangs', 0).log;
    await log.append(batchOf(['open'], { producerId: 7, producerEpoch: 3, baseSequence: 0, isTransactional: true }), 0);
    const mark = async (producerEpoch: number): Promise<number | undefined> => {
      const topics = [{ name: 'hangs', partitionIndexes: [0] }];
      const markers = [{ producerId: 7, producerEpoch, transactionResult: false, topics, coordinatorEpoch: 0 }];
      type Answer = { markers: { topics: { partitions: { errorCode: number }[] }[] }[] };
      const answer = await ask<Answer>('WriteTxnMarkers', { markers });
      return answer.markers[0]?.topics[0]?.partitions[0]?.errorCode;
    };
    assert.equal(await mark(2), errorCodes.INVALID_PRODUCER_EPOCH);
    assert.ok(log.producers.isInTransaction(7));
    assert.equal(await mark(3), 0);
    assert.ok(!log.producers.isInTransaction(7));
  });

  test('authorized operations and finalized features are reported', async () => {
    const sent = { includeClusterAuthorizedOperations: true, endpointType: 1, includeFencedBrokers: false };
    const cluster = await ask<{ clusterAuthorizedOperations: number }>('DescribeCluster', sent);
    assert.equal(cluster.clusterAuthorizedOperations.toString(2), '1111110100000', 'seven operations');
    type Versions = { finalizedFeatures: { name: string; maxVersionLevel: number }[] };
    const versions = await ask<Versions>('ApiVersions', { clientSoftwareName: 'a', clientSoftwareVersion: '1' });
    const found = Object.fromEntries(versions.finalizedFeatures.map((one) => [one.name, one.maxVersionLevel]));
    assert.deepEqual(found, { 'group.version': 1, 'metadata.version': 25, 'transaction.version': 2 });
  });

  test('brokers report all settings of Apache Kafka, with their own values where they have some', async () => {
    const { configs } = await describe(types.broker, '2');
    assert.equal(configs.length, 289);
    assert.equal(configs.length, brokerDefinitions.length);
    const seen = new Map(configs.map((one) => [one.name, one]));
    for (const [name, value, configSource] of [
      ['node.id', '2', 4],
      ['advertised.listeners', `SSL://${broker.addresses[1]}`, 4],
      ['auto.create.topics.enable', 'false', 4],
      ['group.consumer.migration.policy', 'bidirectional', 5],
      ['message.max.bytes', '1048588', 5],
      ['log.retention.ms', null, 5],
    ] as const)
      assert.partialDeepStrictEqual(seen.get(name), { value, configSource }, name);
  });

  test('a setting of the brokers is the default of topics and survives a restart', async () => {
    await create('inherits', [[1], [2]]);
    const retention = (): number[] =>
      (broker.cluster.topics.byName.get('inherits')?.partitions ?? []).map(({ log }) => log.config.retentionMs);
    assert.equal(await set(types.broker, '', 'log.retention.ms', '5000'), 0);
    assert.equal(await set(types.broker, '2', 'log.retention.ms', '6000'), 0);
    await broker.reopen();
    assert.deepEqual(retention(), [5_000, 6_000]);
    assert.partialDeepStrictEqual(await entryOf(types.topic, 'inherits', 'retention.ms'), {
      value: '5000',
      configSource: 3,
    });
    assert.equal(await set(types.topic, 'inherits', 'retention.ms', '7000'), 0);
    assert.deepEqual(retention(), [7_000, 7_000]);
    await set(types.topic, 'inherits', 'retention.ms', null);
    await set(types.broker, '2', 'log.retention.ms', null);
    assert.deepEqual(retention(), [5_000, 5_000]);
    await set(types.broker, '', 'log.retention.ms', null);
    assert.deepEqual(retention(), [604_800_000, 604_800_000]);
  });

  test('the limit of connections can be lowered while the broker runs', async () => {
    assert.equal(await set(types.broker, '3', 'max.connections', '0'), 0);
    await assert.rejects(ask('DescribeCluster', { endpointType: 1 }, 3));
    assert.equal(await set(types.broker, '3', 'max.connections', '5000'), errorCodes.INVALID_REQUEST);
    assert.equal(await set(types.broker, '3', 'max.connections', null), 0);
    await ask('DescribeCluster', { endpointType: 1 }, 3);
  });

  test('settings that cannot be changed, and values out of bounds, are refused', async () => {
    for (const [owner, name, value] of [
      ['', 'node.id', '5'],
      ['1', 'num.partitions', '5'],
      ['', 'log.segment.bytes', '10'],
      ['', 'log.segment.bytes', 'many'],
      ['', 'listeners', 'SSL://:1'],
      ['1', 'listeners', 'SSL://:1'],
      ['1', 'ssl.keystore.type', 'PEM'],
      ['', 'compression.type', 'brotli'],
      ['', 'num.io.threads', '100'],
      ['9', 'log.retention.ms', '1'],
    ] as const)
      assert.equal(await set(types.broker, owner, name, value), errorCodes.INVALID_REQUEST, `${name}=${value}`);
    assert.equal(await set(types.broker, '', 'a.plugin.of.mine', 'x'.repeat(70_000)), errorCodes.POLICY_VIOLATION);
  });

  test('a group has its own timeouts', async () => {
    assert.equal((await describe(types.group, 'g')).configs.length, 6);
    assert.equal(await set(types.group, 'g', 'consumer.heartbeat.interval.ms', '2000'), 0);
    await broker.reopen();
    const beat = broker.cluster.groups.consumer('g', true).heartbeat({
      memberId: 'm',
      memberEpoch: 0,
      instanceId: null,
      rackId: null,
      rebalanceTimeoutMs: 1_000,
      subscribedTopicNames: ['chosen'],
      subscribedTopicRegex: null,
      serverAssignor: null,
      topicPartitions: [],
      clientId: 'client',
      clientHost: '/127.0.0.1',
    });
    assert.equal(beat.heartbeatIntervalMs, 2_000);
    const refused: [string, string, string, number][] = [
      ['g', 'consumer.session.timeout.ms', '5', errorCodes.INVALID_CONFIG],
      ['g', 'no.such', '5', errorCodes.INVALID_CONFIG],
      ['', 'consumer.session.timeout.ms', '50000', errorCodes.INVALID_REQUEST],
    ];
    for (const [owner, name, value, code] of refused) assert.equal(await set(types.group, owner, name, value), code);
  });

  test('subscriptions of client metrics are stored, listed and removed', async () => {
    const names = async (): Promise<string[]> => {
      type Listed = { clientMetricsResources: { name: string }[] };
      return (await ask<Listed>('ListClientMetricsResources', {})).clientMetricsResources.map(({ name }) => name);
    };
    assert.equal(await set(types.clientMetrics, 's', 'match', 'client_id=a.*'), 0);
    assert.equal(await set(types.clientMetrics, 's', 'match', 'client_id=['), errorCodes.INVALID_CONFIG);
    assert.equal(await set(types.clientMetrics, 's', 'interval.ms', '5'), errorCodes.INVALID_REQUEST);
    assert.deepEqual(await names(), ['s']);
    await set(types.clientMetrics, 's', 'match', null);
    assert.deepEqual(await names(), []);
  });
});
