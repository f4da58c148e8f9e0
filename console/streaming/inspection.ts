// Reads clusters and topics by the console's own routes, because browsers can't be Kafka clients.
import type {
  ClusterInspection,
  GroupProgress,
  Message,
  MessagePage,
  Produced,
  TailPages,
  TopicInspection,
} from '../../src/streaming/engine/inspection.ts';
import { call } from '../api.ts';
import type { SentMessage } from './new-message.ts';

export type {
  BrokerFacts,
  GroupProgress,
  Message,
  MessagePage,
  PartitionFacts,
  TailPages,
  TruncatedBytes,
} from '../../src/streaming/engine/inspection.ts';

// From the path in the API, with a region or without: /de-txl/streaming/clusters/C/topics/T.
export const inspectionPath = (path: string): string => `/console/streaming${path.slice(path.indexOf('/clusters/'))}`;

export const inspectCluster = (path: string, signal: AbortSignal) =>
  call<ClusterInspection>('GET', inspectionPath(path), { signal });

export const inspectTopic = (path: string, signal: AbortSignal) =>
  call<TopicInspection>('GET', inspectionPath(path), { signal });

export interface MessagesQuestion {
  partition: number;
  at: string; // newest, oldest, an offset, or a time
  limit: number;
}

export const readMessages = (path: string, { partition, at, limit }: MessagesQuestion, signal: AbortSignal) => {
  const query = new URLSearchParams({ partition: String(partition), at, limit: String(limit) });
  return call<MessagePage>('GET', `${inspectionPath(path)}/messages?${query}`, { signal });
};

export interface PartitionMessage extends Message {
  partition: number;
}

export type ReadTail = (
  path: string,
  after: readonly (readonly [partition: number, offset: number])[],
  ending: AbortSignal,
) => Promise<TailPages>;

export const readTail: ReadTail = (path, after, signal) => {
  const query = new URLSearchParams({ after: after.map((one) => one.join(':')).join(',') });
  return call<TailPages>('GET', `${inspectionPath(path)}/tail?${query}`, { signal });
};

export const messagesPath = (path: string): string => `${inspectionPath(path)}/messages`;

export const produceMessage = (path: string, body: SentMessage) => call<Produced>('POST', messagesPath(path), { body });

export const lagOf = ({ partitions }: GroupProgress): number => partitions.reduce((sum, { lag }) => sum + lag, 0);
