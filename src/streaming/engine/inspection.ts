// What is told of the inside of clusters and topics to those who are no Kafka clients: the engines answer it, the
// console reads it.

export interface BrokerFacts {
  id: number;
  isServing: boolean;
  leads: number; // partitions
}

export interface PartitionFacts {
  index: number;
  leader: number; // -1 where no broker serves
  replicas: number[];
  inSync: number[];
  startOffset: number;
  endOffset: number;
  bytes: number;
}

export interface GroupProgress {
  id: string;
  state: string;
  members: number;
  partitions: { topic: string; partition: number; committed: number; lag: number }[];
}

export interface TopicInspection {
  partitions: PartitionFacts[];
  groups: GroupProgress[]; // those that have committed something of it
}

export interface ClusterInspection {
  brokers: BrokerFacts[];
  groups: GroupProgress[];
}

export interface MessageQuestion {
  id: string; // of the cluster
  topic: string;
  partition: number;
  at: 'newest' | 'oldest' | { offset: number } | { timeMs: number };
  limit: number;
  valueBytes: number; // more of a key, a header or a value is not told
}

// Bytes as base64, cut off at `valueBytes`; null as the producer has sent it.
export interface ShownBytes {
  base64: string | null;
  bytes: number; // of all of it
}

export interface Message {
  offset: number;
  timeMs: number;
  key: ShownBytes;
  value: ShownBytes;
  headers: { key: string; value: ShownBytes }[];
}

export interface MessagePage {
  startOffset: number;
  endOffset: number;
  messages: Message[]; // committed ones, oldest first
  nextOffset: number; // where the next page begins
  skipped: number; // batches that are too large or can't be read
}

// Looks into topics without being a Kafka client.
export interface Inspections {
  cluster(id: string): Promise<ClusterInspection>;
  topic(id: string, name: string): Promise<TopicInspection>;
  messages(question: MessageQuestion): Promise<MessagePage>;
}
