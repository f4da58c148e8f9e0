// What clients request first: the supported APIs and versions, the brokers, and the coordinator of a group.
import { apis } from '../wire/apis.ts';
import { errorCodes } from '../wire/errors.ts';
import type { apiVersions, describeCluster, describeQuorum } from '../wire/messages/cluster.ts';
import type { findCoordinator } from '../wire/messages/group.ts';
import type { initProducerId } from '../wire/messages/transaction.ts';
import { notComputed, operations } from './authorized-operations.ts';
import { type Call, codeOf, distinct, type Handler } from './handler.ts';

const produceKey = 0;

// librdkafka turns compression off unless Produce begins at version 0, so we report 0, although we read 3 and later.
const versions = [...apis.values()]
  .map(({ key, versions: [first, last] }) => ({
    apiKey: key,
    minVersion: key === produceKey ? 0 : first,
    maxVersion: last,
  }))
  .toSorted((a, b) => a.apiKey - b.apiKey);

const metadataVersion = 25; // of Apache Kafka 4.0

const features = {
  supportedFeatures: [
    { name: 'group.version', minVersion: 0, maxVersion: 1 },
    { name: 'metadata.version', minVersion: 7, maxVersion: metadataVersion },
    { name: 'transaction.version', minVersion: 0, maxVersion: 2 },
  ],
  finalizedFeaturesEpoch: 0,
  finalizedFeatures: [
    { name: 'group.version', maxVersionLevel: 1, minVersionLevel: 1 },
    { name: 'metadata.version', maxVersionLevel: metadataVersion, minVersionLevel: metadataVersion },
    { name: 'transaction.version', maxVersionLevel: 2, minVersionLevel: 2 },
  ],
};

export const handleApiVersions: Handler<typeof apiVersions> = () => ({ errorCode: 0, apiKeys: versions, ...features });

// The answer to a client that requests a version of ApiVersions that we do not support.
export const unsupportedApiVersions = { errorCode: errorCodes.UNSUPPORTED_VERSION, apiKeys: versions };

export const handleDescribeCluster: Handler<typeof describeCluster> = (request, { cluster }) => ({
  errorCode: 0,
  endpointType: 1,
  clusterId: cluster.id,
  controllerId: cluster.nodes.controller,
  brokers: cluster.nodes.serving.map(({ id, host, port }) => ({ brokerId: id, host, port, rack: null })),
  clusterAuthorizedOperations: request.includeClusterAuthorizedOperations ? operations.cluster : notComputed,
});

const metadataTopic = '__cluster_metadata';

// The brokers share one log of the cluster's state, so all of them are at its end. The controller leads.
export const handleDescribeQuorum: Handler<typeof describeQuorum> = ({ topics }, { cluster }) => {
  const { nodes, state, topics: known, clock } = cluster;
  const voters = nodes.all.map(({ id, isServing }) => ({
    replicaId: id,
    logEndOffset: state.changeCount,
    lastFetchTimestamp: isServing ? clock.now() : -1,
    lastCaughtUpTimestamp: isServing ? clock.now() : -1,
  }));
  const quorum = {
    errorCode: 0,
    leaderId: nodes.controller,
    leaderEpoch: known.epoch,
    highWatermark: state.changeCount,
    currentVoters: voters,
    observers: [],
  };
  return {
    errorCode: 0,
    topics: distinct(topics, ({ topicName }) => topicName).map(({ topicName, partitions }) => ({
      topicName,
      partitions: distinct(partitions, ({ partitionIndex }) => String(partitionIndex)).map(({ partitionIndex }) =>
        topicName === metadataTopic && partitionIndex === 0
          ? { partitionIndex, ...quorum }
          : { partitionIndex, errorCode: errorCodes.UNKNOWN_TOPIC_OR_PARTITION },
      ),
    })),
    nodes: nodes.all.map(({ id, host, port }) => ({ nodeId: id, listeners: [{ name: 'SSL', host, port }] })),
  };
};

export const handleFindCoordinator: Handler<typeof findCoordinator> = (request, { cluster, version }) => {
  const keys = version >= 4 ? request.coordinatorKeys : [request.key];
  const coordinators = keys.map((key) => {
    const node = request.keyType <= 1 ? cluster.nodes.coordinatorOf(key) : undefined;
    const errorCode = node ? 0 : errorCodes.COORDINATOR_NOT_AVAILABLE;
    return {
      key,
      nodeId: node?.id ?? -1,
      host: node?.host ?? '',
      port: node?.port ?? -1,
      errorCode,
      errorMessage: null,
    };
  });
  return version >= 4 ? { coordinators } : { ...coordinators[0], coordinators: [] };
};

export const handleInitProducerId: Handler<typeof initProducerId> = async (request, call) => {
  try {
    const { id, epoch } = await identify(request, call);
    return { errorCode: 0, producerId: id, producerEpoch: epoch };
  } catch (error) {
    return { errorCode: fencedCode(codeOf(error, call), call.version), producerId: -1, producerEpoch: -1 };
  }
};

function identify(
  { transactionalId, transactionTimeoutMs, producerId, producerEpoch }: Parameters<typeof handleInitProducerId>[0],
  { cluster }: Call,
) {
  if (transactionalId === null) return cluster.transactions.newProducer();
  return cluster.transactions.begin(transactionalId, transactionTimeoutMs, { id: producerId, epoch: producerEpoch });
}

// Older clients do not know the newer code.
const fencedCode = (code: number, version: number): number =>
  code === errorCodes.PRODUCER_FENCED && version < 4 ? errorCodes.INVALID_PRODUCER_EPOCH : code;
