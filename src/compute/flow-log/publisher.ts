// Publishes captured flows: one object per flow log and interval, oldest interval first. The steps of an interval:
// 1. It is closed and the key of its object is reserved, in one write set. From then on its flows don't change.
// 2. The object is written.
// 3. Its flows and the reservation are removed, in one write set.
// After a crash, the object exists or is written with the same key and content: no interval is lost or written twice.
// Several nodes may do this at once; the version of the capture row decides which one closes an interval.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Reconciler } from '../../core/reconciler.ts';
import type { Row, Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { ObjectWriter } from '../../surface/ports.ts';
import {
  bucketOf,
  type Capture,
  captureKey,
  captureOf,
  capturePlace,
  chunksOf,
  intervalOf,
  objectKey,
  objectKeyRow,
  oldestChunk,
} from './capture-rows.ts';
import { endSeconds, hasEnded } from './interval.ts';
import { showPause, writePause } from './pause.ts';
import { recordsOf } from './records.ts';

export interface PublisherTools {
  store: Store;
  clock: Pick<Clock, 'now'>;
  log: Log;
  writer(): ObjectWriter | undefined;
}

const everyMs = 10_000;
const atOnce = 16; // flow logs
const contentType = 'application/gzip';
const compress = promisify(gzip); // without a time in its header

export const flowLogPublisher = (tools: PublisherTools): Reconciler => ({
  name: 'flow-logs',
  everyMs,
  get home() {
    return tools.writer()?.home; // the writing product is opened later
  },
  async run() {
    const writer = tools.writer();
    if (writer) await publishAll(tools, writer);
  },
});

async function publishAll(tools: PublisherTools, writer: ObjectWriter): Promise<void> {
  const run: Run = { ...tools, writer, nextSeconds: new Map() };
  for await (const rows of tools.store.pages({ contract: 0, place: capturePlace }, 'resource', atOnce))
    await Promise.all(
      rows.map((row) =>
        publish(run, row).catch((error: unknown) =>
          tools.log.error('flow log not published', { flowLog: row.id, error }),
        ),
      ),
    );
}

interface Run extends Omit<PublisherTools, 'writer'> {
  writer: ObjectWriter;
  nextSeconds: Map<string, number>; // by the name of the object: the first second in it that may be free
}

// All ended intervals of a flow log.
async function publish(run: Run, found: Row): Promise<void> {
  const { store, clock } = run;
  const { contract, path } = captureOf(found);
  const flowLog = await store.at(contract, path);
  let row = found;
  for (;;) {
    const oldest = await oldestChunk(store, row.id);
    const interval = oldest && intervalOf(oldest);
    if (interval === undefined && !flowLog) return forget(run, row);
    if (interval === undefined || !hasEnded(interval, clock.now())) break;
    const { closed, isWritten } = await write(run, row, interval, flowLog);
    row = flowLog ? await writePause(run, closed, !isWritten) : closed;
    if (!isWritten && flowLog) break;
    // If both the flow log and its bucket are deleted, no one can read the flows any more.
    await removeFlows(run, row, interval);
  }
  if (flowLog) await showPause(run, row, flowLog);
}

interface Written {
  closed: Row; // the capture row
  isWritten: boolean; // false: the bucket is deleted or unwritable
}

async function write(run: Run, row: Row, interval: number, flowLog: Row | undefined): Promise<Written> {
  const { contract, bucket } = captureOf(row);
  if (!(await run.writer.canWrite(contract, bucketOf(bucket).name))) return { closed: row, isWritten: false };
  const closed = await close(run, row, interval, flowLog);
  const isWritten = (closed === row && (await isThere(run, row))) || (await put(run, closed, interval));
  return { closed, isWritten };
}

// An interval that was closed before this run may already have its object: the key was free when it was reserved.
async function isThere({ writer }: Run, row: Row): Promise<boolean> {
  const { contract, bucket, object } = captureOf(row);
  return object !== null && writer.exists(contract, bucketOf(bucket).name, object.key);
}

// If another writer's object has that name, the next second is used.
async function close(run: Run, row: Row, interval: number, flowLog: Row | undefined): Promise<Row> {
  const capture = captureOf(row);
  if (capture.object?.interval === interval) return row;
  const { contract, bucket } = capture;
  const name = flowLog ? (JSON.parse(flowLog.body) as { name: string }).name : capture.name;
  const shared = `${contract} ${bucket} ${objectKey(bucket, name, endSeconds(interval))}`;
  for (let seconds = run.nextSeconds.get(shared) ?? endSeconds(interval); ; seconds++) {
    run.nextSeconds.set(shared, seconds + 1);
    const key = objectKey(bucket, name, seconds);
    if (await run.writer.exists(contract, bucketOf(bucket).name, key)) continue;
    const closed: Capture = { ...capture, name, closedBefore: interval + 1, object: { interval, key } };
    const next = { ...row, body: JSON.stringify(closed) };
    const outcome = await run.store.apply([
      { op: 'update', table: 'resource', row: next },
      { op: 'insert', table: 'resource', row: objectKeyRow(capture, key) },
    ]);
    if (outcome.ok) return { ...next, version: row.version + 1 };
    if (outcome.why !== 'exists') throw new Error('another node publishes the same flow log');
  }
}

// False: the bucket is deleted or no longer writable for us.
async function put({ store, writer }: Run, row: Row, interval: number): Promise<boolean> {
  const capture = captureOf(row);
  const chunks = await chunksOf(store, row.id, interval);
  // Another node may have removed them while they were read: then it has written the object.
  const [first] = chunks;
  if (!first || !(await store.get(first.contract, first.place, first.id))) return true;
  const text = recordsOf(capture, interval, chunks);
  const key = (capture.object as { key: string }).key;
  try {
    await writer.put(capture.contract, bucketOf(capture.bucket).name, key, await compress(text), { contentType });
    return true;
  } catch (error) {
    if (error instanceof Fault && (error.kind === 'missing' || error.kind === 'forbidden')) return false;
    throw error;
  }
}

// Another node may have done the same.
async function removeFlows({ store }: Run, row: Row, interval: number): Promise<void> {
  const capture = captureOf(row);
  const { key = '' } = capture.object ?? {};
  const rows = [...(await chunksOf(store, row.id, interval)), objectKeyRow(capture, key)];
  await store.must(rows.map((one): Write => ({ op: 'remove', table: 'resource', key: one, loose: true })));
}

// The flow log is deleted, and all its flows are published. It may still be capturing for a moment: then it has a new
// row.
async function forget({ store }: Run, row: Row): Promise<void> {
  await store.apply([{ op: 'remove', table: 'resource', key: captureKey(row.id), version: row.version }]);
}
