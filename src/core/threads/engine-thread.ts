// The input of an engine's thread, and its priority.
import { setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';

export interface ThreadData {
  address: string; // of the engine
}

// What connects the writer with a reader. `reader`: its index; a new port replaces its old one.
export interface ReaderPort {
  port: MessagePort;
  reader: number;
}

const behindOthers = 10;

// For readers: on Linux this is the priority of the calling thread alone, so writing and the event loop go first.
export function yieldToOthers(): void {
  try {
    setPriority(behindOthers);
  } catch {
    // Where it is not allowed, questions are answered all the same.
  }
}
