// One transactional id: its producer, and the transaction that is open or was the last. This is what the key-value
// log keeps of it.
import type { OffsetCommit } from '../group/offsets.ts';
import { ProtocolError } from '../wire/errors.ts';

export type TransactionState =
  | 'Empty'
  | 'Ongoing'
  | 'PrepareCommit'
  | 'PrepareAbort'
  | 'CompleteCommit'
  | 'CompleteAbort';

export interface ProducerIdentity {
  id: number;
  epoch: number;
}

export interface Transaction {
  producer: ProducerIdentity;
  ending?: ProducerIdentity; // whose transaction is being ended, where the producer has a new identity already
  timeoutMs: number;
  state: TransactionState;
  partitions: string[]; // `partition/topic`
  offsets: Record<string, OffsetCommit[]>; // by group
  startMs: number;
  changeMs: number;
}

export const largestEpoch = 32_766;

export const isBusy = ({ state }: Transaction): boolean => state.startsWith('Prepare');

export const partitionKey = (topic: string, partition: number): string => `${partition}/${topic}`;

export function parsePartitionKey(key: string): { topic: string; partition: number } {
  const at = key.indexOf('/');
  return { topic: key.slice(at + 1), partition: Number(key.slice(0, at)) };
}

// Throws unless the producer is the one that has the transactional id now.
export function checkProducer(transaction: Transaction | undefined, given: ProducerIdentity): Transaction {
  if (!transaction || transaction.producer.id !== given.id) throw new ProtocolError('INVALID_PRODUCER_ID_MAPPING');
  if (given.epoch !== transaction.producer.epoch) throw new ProtocolError('PRODUCER_FENCED');
  return transaction;
}
