// The writer thread. Pushes that arrive while others are being written share the next commit and its sync.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ReaderPort, ThreadData } from '../../core/threads/engine-thread.ts';
import { serveCalls } from '../../core/threads/worker-calls.ts';
import type { Pushed, PushJob } from '../engine/engine.ts';
import { type OpenWriter, openWriterAt } from '../engine/open.ts';
import type { WriterCalls, WriterMessage } from './threads.ts';

interface WaitingPush {
  job: PushJob;
  resolve(pushed: Pushed): void;
  reject(error: unknown): void;
}

const { address } = workerData as ThreadData;
const heads = new Map<number, MessagePort>();
const opening: Promise<OpenWriter> = openWriterAt(address, (message) => {
  for (const head of heads.values()) head.postMessage(message satisfies WriterMessage);
});
opening.catch(() => {}); // each call reports the error

const mostAppends = 2; // concurrently: one is decoded while the other is synced

let waiting: WaitingPush[] = [];
let appends = 0;
let isScheduled = false;

parentPort?.on('message', (message: object | ReaderPort) => {
  if ('port' in message) void connect(message);
});

serveCalls<WriterCalls>(
  {
    push,
    prune: async ({ tenant, beforeMs }) => (await opening).writer.prune(tenant, beforeMs),
    drop: async (tenant) => (await opening).writer.drop(tenant),
    tidy: async () => (await opening).writer.tidy(),
    figures: async () => (await opening).writer.figures(),
  },
  async () => {
    await opening.then(({ writer }) => writer.close()).catch(() => {});
  },
);

async function connect({ port: head, reader }: ReaderPort): Promise<void> {
  heads.get(reader)?.close();
  heads.set(reader, head);
  head.unref();
  const writer = await opening.catch(() => undefined); // without a writer there is no data in memory
  const messages: WriterMessage[] = [{ reset: true }, ...(writer?.heads() ?? []), { complete: true }];
  for (const message of messages) head.postMessage(message);
}

function push(job: PushJob): Promise<Pushed> {
  return new Promise((resolve, reject) => {
    waiting.push({ job, resolve, reject });
    if (!isScheduled) setImmediate(write); // together with everything that has arrived by then
    isScheduled = true;
  });
}

function write(): void {
  isScheduled = false;
  while (appends < mostAppends && waiting.length > 0) {
    const taken = waiting;
    waiting = [];
    appends++;
    void append(taken).finally(() => {
      appends--;
      write();
    });
  }
}

async function append(taken: readonly WaitingPush[]): Promise<void> {
  try {
    const { writer } = await opening;
    const outcomes = await writer.append(taken.map(({ job }) => job));
    for (const [at, { resolve }] of taken.entries()) resolve(outcomes[at] as Pushed);
  } catch (error) {
    for (const { reject } of taken) reject(error);
  }
}
