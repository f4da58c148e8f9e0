// The writer thread. Jobs that arrive while others are being synced share the next sync. It also has the index, and
// sends snapshots of it to the readers.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ReaderPort, ThreadData } from '../../core/threads/engine-thread.ts';
import { movable, serveCalls, transferring } from '../../core/threads/worker-calls.ts';
import type { SnapshotSource } from '../engine/embedded/snapshot.ts';
import { openLogWriter } from '../engine/open.ts';
import { packJob } from '../engine/packed-job.ts';
import { decodePush } from '../push/decode.ts';
import type { LogPush, LogPushed } from '../push/push.ts';
import {
  type LargePush,
  mostQuickBytes,
  type SnapshotReply,
  type SnapshotRequest,
  type WriterCalls,
} from './messages.ts';

const { address } = workerData as ThreadData;
const ports = new Map<number, MessagePort>();
const opening = openLogWriter(address, (message) => process.emitWarning(message));
opening.catch(() => {}); // each call reports the error

parentPort?.on('message', (message: object | ReaderPort) => {
  if ('port' in message) connect(message);
});

serveCalls<WriterCalls>(
  {
    push,
    append: async (packed) => (await opening).appendPacked(packed),
    prune: async ({ tenant, matchers, beforeNs }) => (await opening).writer.prune(tenant, matchers, beforeNs),
    drop: async (tenant) => (await opening).writer.drop(tenant),
    tidy: async () => (await opening).writer.tidy(),
    figures: async () => (await opening).writer.figures(),
  },
  async () => {
    await opening.then(({ writer }) => writer.close()).catch(() => {});
  },
);

// A push with a fault appends nothing.
async function push(given: LogPush): Promise<LogPushed | LargePush> {
  const { appendPacked } = await opening;
  const { job, pushed } = decodePush(given, mostQuickBytes);
  if (pushed.fault?.kind === 'oversized') return transferring({ large: given.body }, movable(given.body));
  if (!pushed.fault && job.streams.length > 0) await appendPacked(packJob(job));
  return pushed;
}

// A reader that has ended releases everything it holds.
function connect({ port, reader }: ReaderPort): void {
  const held = new Set<number>();
  ports.get(reader)?.close();
  ports.set(reader, port);
  port.unref();
  port.on('message', async (request: SnapshotRequest) => {
    const source = await opening.then((opened) => opened.source).catch(() => undefined);
    if ('release' in request) {
      // Snapshots of an earlier writer do not belong to this one.
      if (held.delete(request.release)) source?.release(request.release, request.done);
    } else port.postMessage(await answer(request.ask, request, source, held));
  });
  port.on('close', async () => {
    const source = await opening.then((opened) => opened.source).catch(() => undefined);
    for (const number of held) source?.release(number);
  });
}

async function answer(
  ask: number,
  { selection }: Extract<SnapshotRequest, { ask: number }>,
  source: SnapshotSource | undefined,
  held: Set<number>,
): Promise<SnapshotReply> {
  if (!source) return { answers: ask, failure: 'the log engine could not be opened' };
  const snapshot = await source.snapshot(selection);
  held.add(snapshot.number);
  return { answers: ask, snapshot };
}
