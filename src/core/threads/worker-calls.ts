// The worker's side of a WorkerPool: a module answers its calls with `serveCalls`.
import { parentPort, type Transferable } from 'node:worker_threads';
import { Fault, type FaultDetail, type FaultKind } from '../../base/fault.ts';
import { type Trace, withTrace } from '../../base/trace/trace-context.ts';

// The functions of a module that run in a worker. Their one argument and their result can be cloned.
export type Functions<Calls> = { [Name in keyof Calls]: (argument: never) => unknown };

export type Message = { number: number; name: string; argument: unknown; trace?: Trace | undefined } | { close: true };
type SentFault = { kind: FaultKind; message: string; detail: FaultDetail };
export type Settlement = [number: number, value: unknown, fault?: SentFault];

// Answers calls until the pool is closed. Faults go back to the caller. Any other error is a bug: it
// ends the thread, so that it is logged with its stack and no call continues in an unknown state.
export function serveCalls<Calls extends Functions<Calls>>(calls: Calls, close?: () => Promise<void> | void): void {
  let settled: Settlement[] = [];
  let transfer: Transferable[] = [];

  // Calls that end together are reported in one message.
  const flush = (): void => {
    parentPort?.postMessage(settled, transfer);
    settled = [];
    transfer = [];
  };
  const settle = (settlement: Settlement): void => {
    if (settled.push(settlement) === 1) queueMicrotask(flush);
  };
  parentPort?.on('message', async (message: Message | object) => {
    if ('close' in message) {
      await close?.();
      process.exit();
    }
    if (!('number' in message)) return; // something between this thread and another
    const { number, name, argument, trace } = message;
    try {
      const value = await withTrace(trace, () => calls[name as keyof Calls](argument as never));
      transfer.push(...(transfers.get(value as object) ?? []));
      settle([number, value]);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { cause: _, ...detail } = error.detail;
      settle([number, undefined, { kind: error.kind, message: error.message, detail }]);
    }
  });
}

const transfers = new WeakMap<object, Transferable[]>();

// Marks the parts of a result that are moved to the caller instead of copied.
export function transferring<Value extends object>(value: Value, parts: Transferable[]): Value {
  transfers.set(value, parts);
  return value;
}

// The memory of bytes that can be moved to another thread: none if it has other bytes too.
export function movable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
