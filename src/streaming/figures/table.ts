// What /metrics tells of all clusters together; names of contracts' things are in their own figures only.
import { counter, type Figures, gauge } from '../../core/figures.ts';

export const streamingFigures = {
  clusters: gauge('Clusters that run on this node.'),
  bytesIn: counter('Bytes that brokers received from clients.'),
  bytesOut: counter('Bytes that brokers sent to clients.'),
  requests: counter('Requests that brokers answered.'),
  refusedHandshakes: counter('Connections that were refused for want of a valid certificate.'),
  connections: gauge('Connections of clients to brokers that are open.'),
  partitions: gauge('Partitions of all topics.'),
  storedBytes: gauge('Bytes of records on disk.'),
  groups: gauge('Consumer groups.'),
  lagRecords: gauge('Records that consumer groups have not committed yet, over all groups.'),
  largestLagRecords: gauge('Records that the consumer group furthest behind has not committed yet.'),
};
export type StreamingFigures = Figures<typeof streamingFigures>;
