// One transactional id: its producer, and its open or last transaction. The key-value log stores it in this form.
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
  ending?: ProducerIdentity; // owner of the transaction that is being ended, if the producer has a new identity already
  lastEpoch?: number; // the epoch of the producer's last request for a new epoch, which it may repeat
  timeoutMs: number;
  state: TransactionState;
  partitions: string[]; // `partition/topic`
  offsets: Record<string, OffsetCommit[]>; // by group
  startMs: number;
  changeMs: number;
}

export const largestEpoch = 32_766;

export const isBusy = ({ state }: Transaction): boolean => state.startsWith('Prepare');

export const isSame = (one: ProducerIdentity, other: ProducerIdentity): boolean =>
  one.id === other.id && one.epoch === other.epoch;

// The owner of the transaction that is open or being ended.
export const endingOf = ({ ending, producer }: Transaction): ProducerIdentity => ending ?? producer;

export const partitionKey = (topic: string, partition: number): string => `${partition}/${topic}`;

export function parsePartitionKey(key: string): { topic: string; partition: number } {
  const at = key.indexOf('/');
  return { topic: key.slice(at + 1), partition: Number(key.slice(0, at)) };
}

// Throws unless the producer owns the transactional id now.
export function checkProducer(transaction: Transaction | undefined, given: ProducerIdentity): Transaction {
  if (!transaction || transaction.producer.id !== given.id) throw new ProtocolError('INVALID_PRODUCER_ID_MAPPING');
  if (given.epoch !== transaction.producer.epoch) throw new ProtocolError('PRODUCER_FENCED');
  return transaction;
}

// Recognizes a repeated request for a new epoch whose answer was lost: that epoch was not used yet.
export const isRepeated = ({ producer, state, lastEpoch }: Transaction, given: ProducerIdentity): boolean =>
  state === 'Empty' && producer.id === given.id && lastEpoch === given.epoch;
