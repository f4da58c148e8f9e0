// A thread that answers questions: PromQL over what is kept and over what the writer has in memory.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Fault } from '../base/fault.ts';
import { letOthersGoFirst } from '../base/thread-priority.ts';
import { type OpenReader, openReaderAt } from './engine/open.ts';
import { answer } from './promql/answer.ts';
import type { Answer, Call, HeadPort, HeardFromWriter, Question, Settlement } from './threads.ts';

const port = parentPort as MessagePort;
const { address } = workerData as { address: string };
let head: MessagePort | undefined;
let told = Promise.withResolvers<void>(); // that the writer has said what it has in memory
// Not before the writer has made what there is to read.
const opening: Promise<OpenReader> = told.promise.then(() => openReaderAt(address));
opening.catch(() => {}); // each call says what is wrong

letOthersGoFirst(); // pushes and everything else the process does

const mostSamples = 50_000_000;
const mostPoints = 11_000;

port.on('message', (message: Call | HeadPort) => {
  if ('head' in message) connect(message.head);
  else if (message.kind === 'close') void close();
  else void reply(message.number, message.with as Question);
});

// A writer that began anew knows nothing of what the one before it said.
function connect(given: MessagePort): void {
  head?.close();
  head = given;
  const before = told;
  told = Promise.withResolvers();
  void told.promise.then(() => before.resolve());
  head.on('message', hear);
  head.unref();
}

function hear(message: HeardFromWriter): void {
  if ('told' in message) told.resolve();
  else void opening.then((opened) => opened.head?.(message)).catch(() => {});
}

// Whoever was told that a push is kept finds it: what the writer said before this question came is heard first.
function listen(opened: OpenReader): void {
  for (let heard = head && receiveMessageOnPort(head); heard; heard = head && receiveMessageOnPort(head)) {
    const message = heard.message as HeardFromWriter;
    if (!('told' in message)) opened.head?.(message);
  }
}

async function reply(number: number, { tenant, path, parameters, nowMs }: Question): Promise<void> {
  try {
    await told.promise;
    const opened = await opening;
    listen(opened);
    const limits = { nowMs, mostSamples, mostPoints };
    const { status, body } = await answer(opened.reader, tenant, path, new URLSearchParams(parameters), limits);
    const settlement: Settlement = [number, { status, body } satisfies Answer];
    const { buffer } = body;
    port.postMessage([settlement], buffer instanceof ArrayBuffer ? [buffer] : []); // nobody else has it
  } catch (error) {
    const fault =
      error instanceof Fault
        ? { kind: error.kind, message: error.message }
        : ({ kind: 'unavailable', message: 'The metric engine broke and begins anew. Try again.' } as const);
    port.postMessage([[number, null, fault]] satisfies Settlement[]);
    if (!(error instanceof Fault)) throw error;
  }
}

async function close(): Promise<void> {
  await opening.then(({ reader }) => reader.close()).catch(() => {});
  process.exit();
}
