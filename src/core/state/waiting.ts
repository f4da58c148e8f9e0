// Changes that wait for their commit, and how each learns what became of it: the same for every engine.
import type { Outcome } from './engine.ts';

export type Settled = Outcome | { error: unknown };

export interface Waiting {
  writes: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

export const most = { jobs: 512, writes: 4096 }; // of one commit: some 20 ms

// True: it failed.
export function settle(job: Waiting, result: Settled | undefined): boolean {
  if (!result || 'error' in result) job.reject(result?.error);
  else job.resolve(result);
  return !result || 'error' in result || !result.ok;
}
