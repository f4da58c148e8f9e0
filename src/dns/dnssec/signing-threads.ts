// Threads for the computations of DNSSEC: signatures, and the hashes of many names. A zone waits for its own calls
// only.
import type { KeyObject } from 'node:crypto';
import { WorkerPool } from '../../core/threads/worker-pool.ts';

export interface SigningCalls {
  sign(given: { key: KeyObject; message: Uint8Array }): Uint8Array;
  newKey(given: { bits: number }): string; // RSA, PEM
  hash(given: { names: readonly string[]; salt: Uint8Array; iterations: number }): string[];
}

const usual = {
  name: 'The signer of zones',
  module: new URL('./worker.ts', import.meta.url),
  callsPerThread: 1,
  idleMs: 10_000,
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
};

export const signingThreads = new WorkerPool<SigningCalls>({
  ...usual,
  threads: 2,
  sharedThreads: 1,
  waitingPerGroup: 1000,
});

// A large key takes seconds: signatures do not wait for it.
export const keyThread = new WorkerPool<SigningCalls>({ ...usual, waitingPerGroup: 20 });
