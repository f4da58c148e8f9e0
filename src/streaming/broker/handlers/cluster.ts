// What clients ask first: which APIs and versions there are, which brokers, and who coordinates a group.
import { apis } from '../wire/apis.ts';
import { errorCodes } from '../wire/errors.ts';
import type { apiVersions, describeCluster } from '../wire/messages/cluster.ts';
import type { findCoordinator } from '../wire/messages/group.ts';
import type { initProducerId } from '../wire/messages/transaction.ts';
import { type Call, codeOf, type Handler } from './handler.ts';

const produceKey = 0;

// librdkafka turns compression off where Produce does not begin at 0, so that is what we say; 3 is what we read.
const versions = [...apis.values()]
  .map(({ key, versions: [first, last] }) => ({
    apiKey: key,
    minVersion: key === produceKey ? 0 : first,
    maxVersion: last,
  }))
  .toSorted((a, b) => a.apiKey - b.apiKey);

const features = {
  supportedFeatures: [
    { name: 'group.version', minVersion: 0, maxVersion: 1 },
    { name: 'transaction.version', minVersion: 0, maxVersion: 2 },
  ],
  finalizedFeaturesEpoch: 0,
  finalizedFeatures: [
    { name: 'group.version', maxVersionLevel: 1, minVersionLevel: 1 },
    { name: 'transaction.version', maxVersionLevel: 2, minVersionLevel: 2 },
  ],
};

export const handleApiVersions: Handler<typeof apiVersions> = () => ({ errorCode: 0, apiKeys: versions, ...features });

// To a client that asks in a version that we do not know.
export const unsupportedApiVersions = { errorCode: errorCodes.UNSUPPORTED_VERSION, apiKeys: versions };

const anyOperation = -2_147_483_648; // not computed

export const handleDescribeCluster: Handler<typeof describeCluster> = (_, { cluster }) => ({
  errorCode: 0,
  endpointType: 1,
  clusterId: cluster.id,
  controllerId: cluster.nodes.controller,
  brokers: cluster.nodes.serving.map(({ id, host, port }) => ({ brokerId: id, host, port, rack: null })),
  clusterAuthorizedOperations: anyOperation,
});

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
