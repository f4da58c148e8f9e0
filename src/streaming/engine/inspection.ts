// Views into clusters and topics for users without a Kafka client: the engines provide them, the console reads them.

export interface BrokerFacts {
  id: number;
  isServing: boolean;
  leads: number; // partitions
}

export interface PartitionFacts {
  index: number;
  leader: number; // -1 if no broker is available
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
  groups: GroupProgress[]; // groups that have committed offsets of the topic
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
  valueBytes: number; // longer keys, headers and values are truncated
}

// Bytes as base64, truncated at `valueBytes`; null if the producer sent null.
export interface TruncatedBytes {
  base64: string | null;
  bytes: number; // the full length
}

export interface Message {
  offset: number;
  timeMs: number;
  key: TruncatedBytes;
  value: TruncatedBytes;
  headers: { key: string; value: TruncatedBytes }[];
}

export interface MessagePage {
  startOffset: number;
  endOffset: number;
  messages: Message[]; // committed ones, oldest first
  nextOffset: number; // where the next page begins
  skipped: number; // batches that are too large or can't be read
}

// A message to write; bytes are base64.
export interface NewMessage {
  id: string; // of the cluster
  topic: string;
  partition: number | null; // null: chosen by the key, or at random
  key: string | null;
  value: string | null;
  headers: { key: string; value: string | null }[];
}

export interface Produced {
  partition: number;
  offset: number;
}

// New messages of several partitions, in the order of the question.
export interface TailPages {
  pages: MessagePage[];
}

// Reads and writes topics without a Kafka client.
export interface Inspections {
  cluster(id: string): Promise<ClusterInspection>;
  topic(id: string, name: string): Promise<TopicInspection>;
  messages(question: MessageQuestion): Promise<MessagePage>;
  produce(message: NewMessage): Promise<Produced>;
}
