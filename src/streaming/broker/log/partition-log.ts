// The log of one partition. An append is checked and gets its offsets at once, then it is queued; one write takes
// everything that is queued, and the answer follows the write. Written data is in the kernel's page cache: a crash of
// the process loses none of it. `flush: 'always'` syncs before the answer; otherwise a timer syncs, and a power failure
// can lose the writes since the last sync. Readers see only written data (the high watermark).
import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../../../base/clock.ts';
import { crc32c } from '../../../base/crc32c.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import { ProtocolError } from '../wire/errors.ts';
import { batchHeaderAt, setLogAppendTime, setOffsetAndEpoch } from '../wire/record-batch.ts';
import { controlBatch } from '../wire/records.ts';
import { checkBatches, type LocatedHeader, limitsOf } from './batch-check.ts';
import { type LogConfig, segmentAgeMs } from './log-config.ts';
import { type EpochStart, readLogState, writeLogState } from './log-state.ts';
import type { ProducerStates } from './producer-state.ts';
import { inOwnCodec } from './recompression.ts';
import { recoverLog } from './recovery.ts';
import { Segment } from './segment.ts';
import { SyncPolicy } from './sync-policy.ts';

export interface LogOptions {
  folder: string;
  config: LogConfig;
  clock: Clock;
  flush: 'always' | 'interval';
  onState?: () => void; // called when the state is saved for the first time
}

export interface Appended {
  baseOffset: number;
  logAppendTime: number; // -1 if records keep the producer's
}

interface PendingWrite {
  bytes: Buffer;
  batches: LocatedHeader[];
  endOffset: number;
}

const mostQueuedBytes = 256 * 1024 * 1024;
const snapshotBytes = 64 * 1024 * 1024;

export class PartitionLog {
  config: LogConfig;
  segments: Segment[];
  readonly producers: ProducerStates;
  readonly folder: string;
  startOffset: number;
  endOffset: number; // the next offset to assign
  highWatermark: number; // everything below is written
  epochs: EpochStart[];
  isClosed = false;
  hadState = false; // a state existed when the log was opened
  failure: Error | undefined;
  compactedBelow = 0; // an offset; after a restart all records count as new again
  wasCompacted = false;
  readonly #clock: Clock;
  #onState: (() => void) | undefined;
  #queue: PendingWrite[] = [];
  #queuedBytes = 0;
  #writing: Promise<void> | undefined;
  #writers: { offset: number; resolve(): void; reject(error: Error): void }[] = []; // waiting for the watermark
  #waiters = new Set<() => void>();
  #sealing: Promise<void> = Promise.resolve();
  #saving: Promise<void> = Promise.resolve();
  #sinceSnapshot = 0;
  readonly #syncs: SyncPolicy;
  readonly #jitterShare: number;

  static async open(options: LogOptions): Promise<PartitionLog> {
    const saved = await readLogState(options.folder);
    const state = saved ?? { startOffset: 0, endOffset: 0, epochs: [], producers: [], aborted: [] };
    const log = new PartitionLog(options, await recoverLog(options.folder, state, options.clock));
    log.wasCompacted = saved !== undefined && (saved.isCompacted ?? options.config.isCompacted);
    log.hadState = saved !== undefined;
    if (saved) log.#onState = undefined;
    // The state describes lost batches. Once their offsets are assigned again, that could not be detected any more.
    if (state.endOffset > log.endOffset) await log.saveState();
    return log;
  }

  private constructor(options: LogOptions, recovered: Awaited<ReturnType<typeof recoverLog>>) {
    this.folder = options.folder;
    this.config = options.config;
    this.#clock = options.clock;
    this.segments = recovered.segments;
    // The old offset of the clocks is unknown: keep records too long rather than delete them too early.
    for (const segment of this.segments) segment.aheadMs = options.clock.offset();
    this.producers = recovered.producers;
    this.startOffset = recovered.startOffset;
    this.endOffset = recovered.endOffset;
    this.highWatermark = recovered.endOffset;
    this.epochs = recovered.epochs;
    this.#syncs = new SyncPolicy(options, recovered.endOffset);
    this.#onState = options.onState;
    this.#jitterShare = crc32c(Buffer.from(options.folder)) / 0xffffffff;
  }

  get active(): Segment {
    return this.segments.at(-1) as Segment;
  }

  get sizeBytes(): number {
    return this.segments.reduce((sum, { size }) => sum + size, 0);
  }

  // Readers of committed records stop at the first open transaction, whose beginning may be deleted.
  get lastStableOffset(): number {
    return Math.max(this.startOffset, Math.min(this.producers.firstOpenOffset(), this.highWatermark));
  }

  // Resolves when the records are written. The log modifies the buffer, so the caller must not use it any more.
  async append(sent: Buffer, leaderEpoch: number): Promise<Appended> {
    this.#checkUsable(sent.length);
    const { isLogAppendTime } = this.config;
    const checked = checkBatches(sent, limitsOf(this.config, this.#clock.real()));
    const first = checked[0] as LocatedHeader;
    if (first.header.producerId >= 0) {
      const duplicate = this.producers.duplicateOf(first.header);
      if (duplicate) {
        await this.#written(duplicate.lastOffset + 1);
        return { baseOffset: duplicate.baseOffset, logAppendTime: isLogAppendTime ? duplicate.timestamp : -1 };
      }
    }
    const { records, batches } = inOwnCodec({ records: sent, batches: checked }, this.config);
    const logAppendTime = isLogAppendTime ? this.#clock.now() : -1;
    for (const { header, at } of batches) {
      if (!isLogAppendTime) continue;
      header.maxTimestamp = logAppendTime;
      setLogAppendTime(records, at, header.size, logAppendTime);
    }
    const baseOffset = this.endOffset;
    this.#enqueue(records, batches, leaderEpoch);
    for (const { header } of batches) this.producers.append(header, this.#clock.real());
    await this.#written(this.endOffset);
    return { baseOffset, logAppendTime };
  }

  // Ends the producer's transaction in this partition, if it has one.
  async appendMarker(producer: { id: number; epoch: number }, committed: boolean, leaderEpoch: number): Promise<void> {
    this.#checkUsable(0); // first: a failed log must not write its producers' state
    if (!this.producers.isInTransaction(producer.id)) return;
    const records = controlBatch(producer, committed, this.#clock.now());
    const batches = [{ header: batchHeaderAt(records, 0), at: 0 }];
    this.#enqueue(records, batches, leaderEpoch);
    this.producers.endTransaction((batches[0] as LocatedHeader).header, committed, this.#clock.real());
    await this.#written(this.endOffset);
  }

  #checkUsable(bytes: number): void {
    if (this.isClosed) throw new ProtocolError('NOT_LEADER_OR_FOLLOWER');
    if (this.failure) throw new ProtocolError('KAFKA_STORAGE_ERROR', this.failure.message);
    if (this.#queuedBytes + bytes > mostQueuedBytes)
      throw new ProtocolError('REQUEST_TIMED_OUT', 'the disk is too slow: too many writes are queued');
  }

  #enqueue(bytes: Buffer, batches: LocatedHeader[], leaderEpoch: number): void {
    for (const { header, at } of batches) {
      const count = header.lastOffset - header.baseOffset;
      header.baseOffset = this.endOffset;
      header.lastOffset = this.endOffset + count;
      header.leaderEpoch = leaderEpoch;
      setOffsetAndEpoch(bytes, at, header.baseOffset, leaderEpoch);
      this.endOffset += count + 1;
    }
    const { header } = batches[0] as LocatedHeader;
    if (leaderEpoch > (this.epochs.at(-1)?.epoch ?? -1))
      this.epochs.push({ epoch: leaderEpoch, startOffset: header.baseOffset });
    this.#queue.push({ bytes, batches, endOffset: this.endOffset });
    this.#queuedBytes += bytes.length;
    this.#writing ??= this.#drain();
  }

  // Waits for the write that reaches an offset.
  #written(offset: number): Promise<void> {
    if (this.highWatermark >= offset) return Promise.resolve();
    return new Promise((resolve, reject) => this.#writers.push({ offset, resolve, reject }));
  }

  // Appends of one turn of the event loop, or made while `first` runs, are written together.
  async #drain(first = () => Promise.resolve()): Promise<void> {
    try {
      await first();
      while (this.#queue.length > 0) await this.#writeQueued();
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#writing = undefined;
    }
  }

  // Stops all writes and acknowledgements: the end of the file is unknown until the log is opened again.
  #fail(error: Error): void {
    this.failure = error;
    const reason = new ProtocolError('KAFKA_STORAGE_ERROR', error.message);
    for (const { reject } of this.#writers.splice(0)) reject(reason);
    this.#wake();
  }

  async #writeQueued(): Promise<void> {
    const first = this.#queue[0] as PendingWrite;
    const { segmentBytes } = this.config;
    const { size, createdMs } = this.active;
    const isOld = this.#clock.now() - createdMs > segmentAgeMs(this.config, this.#jitterShare);
    const isFull = isOld || size + first.bytes.length > segmentBytes;
    if (size > 0 && isFull) await this.#roll(first.batches[0]?.header.baseOffset as number);
    const segment = this.active;
    if (segment.size === 0) segment.createdMs = this.#clock.now();
    segment.aheadMs = this.#clock.offset();
    let position = segment.size;
    let count = 0;
    for (const { bytes } of this.#queue) {
      if (count > 0 && position + bytes.length > segmentBytes) break;
      position += bytes.length;
      count++;
    }
    const group = this.#queue.splice(0, count);
    const buffers = group.map(({ bytes }) => bytes);
    await writeAll(await segment.handle(this.#clock.real()), buffers);
    const { endOffset } = group.at(-1) as PendingWrite;
    const isSynced = this.#syncs.isDue(this.config, endOffset);
    if (isSynced) await (await segment.handle()).datasync();
    this.#note(segment, group);
    this.#queuedBytes -= position - segment.size;
    this.#sinceSnapshot += position - segment.size;
    segment.size = position;
    if (isSynced) segment.synced = position;
    if (isSynced) this.#syncs.note(endOffset);
    this.highWatermark = endOffset;
    this.#wake();
  }

  #note(segment: Segment, group: PendingWrite[]): void {
    let position = segment.size;
    for (const { bytes, batches } of group) {
      for (const { header, at } of batches) segment.noteBatch(header, position + at);
      position += bytes.length;
    }
  }

  // Begins a new segment between two writes, so that each batch is in the segment that its offset selects.
  async roll(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.isClosed || this.failure || this.active.size === 0) return;
    this.#writing = this.#drain(() => this.#roll(this.endOffset));
    await this.#writing;
  }

  // The old segment is sealed in the background; if the process ends before that, the segment is scanned once more.
  async #roll(baseOffset: number): Promise<void> {
    const full = this.active;
    const segment = new Segment(this.folder, baseOffset, this.#clock.now());
    await segment.handle();
    await syncFolder(this.folder);
    this.segments.push(segment);
    this.#sealing = this.#sealing.then(() => full.seal(baseOffset)).catch((error: Error) => this.#fail(error));
  }

  // Resolves when all closed segments are sealed. Files of a segment must not be replaced or deleted before that.
  sealed(): Promise<void> {
    return this.#sealing;
  }

  // Calls the listener once, after a write or when the log is closed. Returns a function that cancels it.
  onChange(listener: () => void): () => void {
    this.#waiters.add(listener);
    return () => this.#waiters.delete(listener);
  }

  #wake(): void {
    const reached = this.#writers.filter(({ offset }) => offset <= this.highWatermark);
    this.#writers = this.#writers.filter(({ offset }) => offset > this.highWatermark);
    for (const { resolve } of reached) resolve();
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) waiter();
  }

  // The timer calls this: afterwards a power failure loses nothing written before.
  async sync(): Promise<void> {
    await this.#sealing;
    const { highWatermark } = this;
    await this.active.sync();
    this.#syncs.note(highWatermark);
    if (this.#sinceSnapshot > snapshotBytes) await this.saveState();
  }

  // One write at a time, because all writes use the same file.
  saveState(): Promise<void> {
    const saved = this.#saving.then(async () => {
      this.#sinceSnapshot = 0;
      const { startOffset, endOffset, epochs, producers, wasCompacted: isCompacted } = this;
      await writeLogState(this.folder, { startOffset, endOffset, epochs, isCompacted, ...producers.snapshot() });
      this.#onState?.();
      this.#onState = undefined;
    });
    this.#saving = saved.catch(() => {});
    return saved;
  }

  async close(): Promise<void> {
    await this.#end();
    if (!this.failure) {
      await this.active.seal(this.endOffset);
      await this.saveState();
    }
    for (const segment of this.segments) await segment.close();
  }

  // Closes the files without saving: for a log that failed and is opened again, or is deleted.
  async abandon(): Promise<void> {
    await this.#end();
    for (const segment of this.segments) await segment.close();
  }

  async #end(): Promise<void> {
    this.isClosed = true;
    this.#wake();
    await this.#writing;
    await this.#sealing;
    await this.#saving;
  }
}

async function writeAll(handle: FileHandle, buffers: Buffer[]): Promise<void> {
  const total = buffers.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await handle.writev(buffers);
  if (bytesWritten < total) await handle.appendFile(Buffer.concat(buffers).subarray(bytesWritten));
}
