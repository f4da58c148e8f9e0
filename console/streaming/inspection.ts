// What the console's own routes tell of clusters and topics: browsers can't be Kafka clients.
import { call } from '../api.ts';

export interface BrokerFacts {
  id: number;
  isServing: boolean;
  leads: number;
}

export interface GroupProgress {
  id: string;
  state: string;
  members: number;
  partitions: { topic: string; partition: number; committed: number; lag: number }[];
}

export interface PartitionFacts {
  index: number;
  leader: number;
  replicas: number[];
  inSync: number[];
  startOffset: number;
  endOffset: number;
  bytes: number;
}

export interface ShownBytes {
  base64: string | null;
  bytes: number;
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
  messages: Message[];
  nextOffset: number;
  skipped: number;
}

// From the path in the API, with a region or without: /de-txl/streaming/clusters/C/topics/T.
export const inspectionPath = (path: string): string => `/console/streaming${path.slice(path.indexOf('/clusters/'))}`;

export const inspectCluster = (path: string, signal: AbortSignal) =>
  call<{ brokers: BrokerFacts[]; groups: GroupProgress[] }>('GET', inspectionPath(path), { signal });

export const inspectTopic = (path: string, signal: AbortSignal) =>
  call<{ partitions: PartitionFacts[]; groups: GroupProgress[] }>('GET', inspectionPath(path), { signal });

export interface MessagesQuestion {
  partition: number;
  at: string; // newest, oldest, an offset, or a time
  limit: number;
}

export const readMessages = (path: string, { partition, at, limit }: MessagesQuestion, signal: AbortSignal) => {
  const query = new URLSearchParams({ partition: String(partition), at, limit: String(limit) });
  return call<MessagePage>('GET', `${inspectionPath(path)}/messages?${query}`, { signal });
};

export const lagOf = ({ partitions }: GroupProgress): number => partitions.reduce((sum, { lag }) => sum + lag, 0);
