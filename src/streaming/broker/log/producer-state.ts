// The state of a partition's producers: the epoch and the last five batches of each, which makes retries
// idempotent, and the transactions that are open or were aborted. It depends on the log alone, so it is rebuilt by
// replaying batch headers.
import { ProtocolError } from '../wire/errors.ts';
import type { BatchHeader } from '../wire/record-batch.ts';

interface WrittenBatch {
  firstSequence: number;
  lastSequence: number;
  baseOffset: number;
  lastOffset: number;
  timestamp: number;
}

export interface Producer {
  epoch: number;
  batches: WrittenBatch[];
  lastMs: number; // its last write by the machine's clock, because the times of its records can have any age
  transactionStart: number; // -1 if none is open
}

export interface AbortedTransaction {
  producerId: number;
  firstOffset: number;
  lastOffset: number;
}

export interface ProducerSnapshot {
  producers: [id: number, producer: Producer][];
  aborted: AbortedTransaction[];
}

const rememberedBatches = 5;
const largestSequence = 0x7fffffff;

// After the largest sequence follows 0.
const sequenceAfter = (sequence: number, count: number): number => (sequence + count) % (largestSequence + 1);

export class ProducerStates {
  readonly producers = new Map<number, Producer>();
  aborted: AbortedTransaction[] = [];

  // Returns the batch that this one repeats, if any; throws if the batch is out of order or its producer is fenced.
  duplicateOf(header: BatchHeader): WrittenBatch | undefined {
    const producer = this.producers.get(header.producerId);
    if (!producer) return undefined;
    if (header.producerEpoch < producer.epoch)
      throw new ProtocolError(
        'INVALID_PRODUCER_EPOCH',
        `epoch ${header.producerEpoch} is older than ${producer.epoch}`,
      );
    const isNewEpoch = header.producerEpoch > producer.epoch;
    const last = isNewEpoch ? undefined : producer.batches.at(-1);
    const lastSequence = sequenceAfter(header.baseSequence, header.lastOffset - header.baseOffset);
    if (last) {
      const same = producer.batches.find(
        (one) => one.firstSequence === header.baseSequence && one.lastSequence === lastSequence,
      );
      if (same) return same;
    }
    const expected = last ? sequenceAfter(last.lastSequence, 1) : 0;
    if (header.baseSequence !== expected)
      throw new ProtocolError(
        'OUT_OF_ORDER_SEQUENCE_NUMBER',
        `sequence ${header.baseSequence} is out of order, expected ${expected}`,
      );
    return undefined;
  }

  append(header: BatchHeader, nowMs: number): void {
    if (header.producerId < 0) return;
    const producer = this.#producer(header, nowMs);
    producer.batches.push({
      firstSequence: header.baseSequence,
      lastSequence: sequenceAfter(header.baseSequence, header.lastOffset - header.baseOffset),
      baseOffset: header.baseOffset,
      lastOffset: header.lastOffset,
      timestamp: header.maxTimestamp,
    });
    if (producer.batches.length > rememberedBatches) producer.batches.shift();
    if (header.isTransactional && producer.transactionStart < 0) producer.transactionStart = header.baseOffset;
  }

  // A control batch ends the producer's transaction.
  endTransaction(header: BatchHeader, committed: boolean, nowMs: number): void {
    const producer = this.#producer(header, nowMs);
    if (producer.transactionStart >= 0 && !committed) {
      const { producerId, lastOffset } = header;
      this.aborted.push({ producerId, firstOffset: producer.transactionStart, lastOffset });
    }
    producer.transactionStart = -1;
  }

  #producer({ producerId, producerEpoch }: BatchHeader, nowMs: number): Producer {
    let producer = this.producers.get(producerId);
    if (!producer) {
      producer = { epoch: producerEpoch, batches: [], lastMs: nowMs, transactionStart: -1 };
      this.producers.set(producerId, producer);
    }
    if (producerEpoch > producer.epoch) {
      producer.epoch = producerEpoch;
      producer.batches = [];
    }
    producer.lastMs = nowMs;
    return producer;
  }

  isInTransaction(producerId: number): boolean {
    return (this.producers.get(producerId)?.transactionStart ?? -1) >= 0;
  }

  // Returns the first offset of all open transactions.
  firstOpenOffset(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { transactionStart } of this.producers.values())
      if (transactionStart >= 0 && transactionStart < first) first = transactionStart;
    return first;
  }

  abortedBetween(from: number, to: number): AbortedTransaction[] {
    return this.aborted.filter(({ firstOffset, lastOffset }) => lastOffset >= from && firstOffset < to);
  }

  // Removes producers that were inactive for long, and aborted transactions whose records are deleted.
  prune(silentSinceMs: number, logStart: number): void {
    for (const [id, { lastMs, transactionStart }] of this.producers)
      if (lastMs < silentSinceMs && transactionStart < 0) this.producers.delete(id);
    this.aborted = this.aborted.filter(({ lastOffset }) => lastOffset >= logStart);
  }

  snapshot(): ProducerSnapshot {
    return { producers: [...this.producers], aborted: this.aborted };
  }

  restore({ producers, aborted }: ProducerSnapshot): void {
    for (const [id, producer] of producers) this.producers.set(id, producer);
    this.aborted = aborted;
  }
}
