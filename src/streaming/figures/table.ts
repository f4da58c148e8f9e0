// The region's own metrics of all clusters together; names of contracts' resources appear only in the metrics of their
// clusters.
import { counter, type Figures, gauge } from '../../core/figures.ts';

export const streamingFigures = {
  clusters: gauge('Clusters running on this node.'),
  bytesIn: counter('Bytes that brokers received from clients.'),
  bytesOut: counter('Bytes that brokers sent to clients.'),
  requests: counter('Requests that brokers answered.'),
  refusedHandshakes: counter('Connections refused because of a missing or invalid certificate.'),
  connections: gauge('Open connections of clients to brokers.'),
  partitions: gauge('Partitions of all topics.'),
  storedBytes: gauge('Bytes of records on disk.'),
  groups: gauge('Consumer groups.'),
  lagRecords: gauge('Records that consumer groups have not committed yet, over all groups.'),
  largestLagRecords: gauge('Largest number of records that one consumer group has not committed yet.'),
};
export type StreamingFigures = Figures<typeof streamingFigures>;
