// The module that the worker pool is tested with.
import { threadId } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import { serveCalls, transferring } from './worker-calls.ts';

const calls = {
  double: (value: number) => value * 2,
  thread: () => threadId,
  bytes(length: number) {
    const bytes = new Uint8Array(length).fill(7);
    return transferring({ bytes }, [bytes.buffer]);
  },
  refuse(message: string): never {
    throw new Fault('conflict', message, { problems: [{ message }], cause: new Error('inside') });
  },
  crash(message: string): never {
    throw new Error(message);
  },
  hold(gate: Int32Array<SharedArrayBuffer>): number {
    Atomics.wait(gate, 0, 0);
    return 1;
  },
  hoard(): never {
    for (const all: object[] = []; ; ) all.push({ some: all.length });
  },
  spin(): never {
    for (;;);
  },
};

export type TestCalls = typeof calls;

serveCalls(calls);
