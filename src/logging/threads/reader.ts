// A thread that answers queries: LogQL on the blocks on disk and on the lines in the writer's memory. It runs one query
// at a time, which ends when the client disconnects.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type ReaderPort, type ThreadData, yieldToOthers } from '../../core/threads/engine-thread.ts';
import { serveCalls } from '../../core/threads/worker-calls.ts';
import type { LogReader } from '../engine/engine.ts';
import { openLogReader } from '../engine/open.ts';
import { answer } from '../query/answer.ts';
import type { AnswerControl, AnswerMessage, ReaderCalls } from './messages.ts';
import type { LogQuestion } from './question.ts';
import { SnapshotClient } from './snapshot-client.ts';

const { address } = workerData as ThreadData;
const source = new SnapshotClient();
const opening = openLogReader(address, source);
opening.catch(() => {}); // each call reports the error

const mostUntaken = 8 * 1024 * 1024; // bytes that the client has not received

yieldToOthers();

parentPort?.on('message', (message: object | ReaderPort) => {
  if ('port' in message) source.connect(message.port);
});

serveCalls<ReaderCalls>({ ask }, async () => {
  await opening.then((reader) => reader.close()).catch(() => {});
});

async function ask({ question, port }: { question: LogQuestion; port: MessagePort }): Promise<void> {
  const client = new Client(port);
  try {
    const reader = await opening;
    const { signal } = client;
    const { status, contentType, body } = await answer(endedBy(reader, signal), question, signal);
    client.send({ status, ...(contentType !== undefined && { contentType }) });
    for await (const piece of body) {
      await client.sendPiece(piece);
      signal.throwIfAborted();
    }
    client.send({ end: true });
  } catch (error) {
    if (!client.signal.aborted) throw error;
  } finally {
    client.close();
  }
}

// The receiver of an answer's body, which is sent at the pace of the reader.
class Client {
  readonly #port: MessagePort;
  readonly #abort = new AbortController();
  #untaken = 0;
  #wake: (() => void) | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: AnswerControl) => {
      if ('abort' in message) this.#abort.abort();
      else this.#untaken -= message.taken;
      this.#wake?.();
    });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  send(message: AnswerMessage): void {
    this.#port.postMessage(message);
  }

  async sendPiece(piece: Uint8Array): Promise<void> {
    this.#untaken += piece.byteLength;
    this.send({ piece });
    while (this.#untaken > mostUntaken && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  close(): void {
    this.#port.close();
  }
}

// Returns the reader for one query, whose iterations end with it.
function endedBy(reader: LogReader, signal: AbortSignal): LogReader {
  return {
    select: (selection) => reader.select({ ...selection, signal }),
    series: (selections) => reader.series(selections),
    names: (selection) => reader.names(selection),
    values: (name, selection) => reader.values(name, selection),
    stats: (selection) => reader.stats(selection),
    close: () => Promise.resolve(),
  };
}
