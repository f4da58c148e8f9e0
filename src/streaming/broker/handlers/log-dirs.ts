// How much of the cluster's storage the logs use.
import type { describeLogDirs } from '../wire/messages/cluster.ts';
import type { Handler } from './handler.ts';

export const handleDescribeLogDirs: Handler<typeof describeLogDirs> = ({ topics }, { cluster, nodeId }) => {
  const wanted = topics?.flatMap(({ topic, partitions }) => partitions.map((index) => `${topic} ${index}`));
  const named = wanted && new Set(wanted);
  const isWanted = (name: string, index: number): boolean => named?.has(`${name} ${index}`) ?? true;
  const described = cluster.topics.all.map(({ name, partitions }) => ({
    name,
    partitions: partitions
      .filter(({ index, replicas }) => isWanted(name, index) && replicas.includes(nodeId))
      .map(({ index, log }) => ({
        partitionIndex: index,
        partitionSize: log.sizeBytes,
        offsetLag: 0,
        isFutureKey: false,
      })),
  }));
  const used = cluster.topics.partitions.reduce((sum, { log }) => sum + log.sizeBytes, 0);
  const result = {
    errorCode: 0,
    logDir: 'data',
    topics: described.filter(({ partitions }) => partitions.length > 0),
    totalBytes: cluster.storageBytes,
    usableBytes: Math.max(0, cluster.storageBytes - used),
  };
  return { errorCode: 0, results: [result] };
};
