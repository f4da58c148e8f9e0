// A thread that answers queries: PromQL on the blocks on disk and on the samples in the writer's memory.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type ReaderPort, type ThreadData, yieldToOthers } from '../../core/threads/engine-thread.ts';
import { serveCalls, transferring } from '../../core/threads/worker-calls.ts';
import { type OpenReader, openReaderAt } from '../engine/open.ts';
import { answer } from '../promql/api/answer.ts';
import type { Query, QueryAnswer, ReaderCalls, WriterMessage } from './threads.ts';

const { address } = workerData as ThreadData;
let head: MessagePort | undefined;
let complete = Promise.withResolvers<void>(); // resolved when the writer has announced all its memory
// Not before the writer has created the files.
const opening: Promise<OpenReader> = complete.promise.then(() => openReaderAt(address));
opening.catch(() => {}); // each call reports the error

const mostSamples = 50_000_000;
const mostPoints = 11_000;
const mostNumbers = 64 * 1024 * 1024;
const mostAnswer = 256 * 1024 * 1024;

yieldToOthers();

parentPort?.on('message', (message: object | ReaderPort) => {
  if ('port' in message) connect(message.port);
});

serveCalls<ReaderCalls>({ query }, async () => {
  await opening.then(({ reader }) => reader.close()).catch(() => {});
});

// A restarted writer does not know what the earlier one announced.
function connect(port: MessagePort): void {
  head?.close();
  head = port;
  const before = complete;
  complete = Promise.withResolvers();
  void complete.promise.then(() => before.resolve());
  head.on('message', (message: WriterMessage) => {
    if ('complete' in message) complete.resolve();
    else void opening.then((opened) => opened.head?.(message)).catch(() => {});
  });
  head.unref();
}

async function query({ tenant, path, parameters, nowMs, mostBytes = mostAnswer }: Query): Promise<QueryAnswer> {
  await complete.promise;
  const opened = await opening;
  catchUp(opened);
  const limits = { nowMs, mostSamples, mostPoints, mostNumbers, mostBytes };
  const { status, body } = await answer(opened.reader, tenant, path, new URLSearchParams(parameters), limits);
  const { buffer } = body;
  return transferring({ status, body }, buffer instanceof ArrayBuffer ? [buffer] : []);
}

// A client finds its confirmed pushes: messages of the writer before this query are applied first.
function catchUp(opened: OpenReader): void {
  for (let next = head && receiveMessageOnPort(head); next; next = head && receiveMessageOnPort(head)) {
    const message = next.message as WriterMessage;
    if (!('complete' in message)) opened.head?.(message);
  }
}
