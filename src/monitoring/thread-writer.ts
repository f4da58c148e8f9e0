// The thread that writes. Pushes that wait while others are being written share the next commit and its sync.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Fault } from '../base/fault.ts';
import type { PushJob } from './engine/engine.ts';
import { type OpenWriter, openWriterAt } from './engine/open.ts';
import type { Call, HeadPort, HeardFromWriter, Settlement } from './threads.ts';

const port = parentPort as MessagePort;
const { address } = workerData as { address: string };
const heads = new Map<number, MessagePort>();
const opening: Promise<OpenWriter> = openWriterAt(address, (message) => {
  for (const head of heads.values()) head.postMessage(message satisfies HeardFromWriter);
});
opening.catch(() => {}); // each call says what is wrong

const mostAtOnce = 2; // appends: one is decoded while the other is synced

let waiting: { number: number; job: PushJob }[] = [];
let underWay = 0;
let isScheduled = false;

port.on('message', (message: Call | HeadPort) => {
  if ('head' in message) void connect(message);
  else if (message.kind === 'push') push(message.number, (message.with as { job: PushJob }).job);
  else void answer(message);
});

async function connect({ head, at = 0 }: HeadPort): Promise<void> {
  heads.get(at)?.close();
  heads.set(at, head);
  head.unref();
  const writer = await opening.catch(() => undefined); // then there is nothing in memory
  for (const message of [{ reset: true }, ...(writer?.heads() ?? []), { told: true }]) head.postMessage(message);
}

function push(number: number, job: PushJob): void {
  waiting.push({ number, job });
  if (!isScheduled) setImmediate(write); // what else has arrived comes along
  isScheduled = true;
}

function write(): void {
  isScheduled = false;
  while (underWay < mostAtOnce && waiting.length > 0) {
    const taken = waiting;
    waiting = [];
    underWay++;
    void append(taken).finally(() => {
      underWay--;
      write();
    });
  }
}

async function append(taken: typeof waiting): Promise<void> {
  try {
    const { writer } = await opening;
    const outcomes = await writer.append(taken.map(({ job }) => job));
    port.postMessage(taken.map(({ number }, at): Settlement => [number, outcomes[at]]));
  } catch (error) {
    port.postMessage(taken.map(({ number }): Settlement => [number, null, faultOf(error)]));
  }
}

async function answer({ number, kind, with: given }: Call): Promise<void> {
  try {
    const { writer } = await opening;
    if (kind === 'close') {
      await writer.close();
      process.exit();
    }
    port.postMessage([[number, await perform(kind, given)]] satisfies Settlement[]);
  } catch (error) {
    port.postMessage([[number, null, faultOf(error)]] satisfies Settlement[]);
    if (kind === 'close') process.exit();
  }
}

async function perform(kind: string, given: unknown): Promise<unknown> {
  const { writer } = await opening;
  const { tenant, beforeMs } = given as { tenant: string; beforeMs: number };
  switch (kind) {
    case 'prune':
      return writer.prune(tenant, beforeMs);
    case 'drop':
      return writer.drop(tenant);
    case 'tidy':
      return writer.tidy();
    case 'figures':
      return writer.figures();
    default:
      throw new Error(`the writer knows no ${kind}`);
  }
}

function faultOf(error: unknown): { kind: Fault['kind']; message: string } {
  if (error instanceof Fault) return { kind: error.kind, message: error.message };
  // A bug is told by its thread's end, where it is logged whole.
  setImmediate(() => {
    throw error;
  });
  return { kind: 'unavailable', message: 'The metric engine broke and begins anew. Try again.' };
}
