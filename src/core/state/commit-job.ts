// A write set that waits in an engine's commit queue, and how its caller learns the outcome: the same for every engine.
import type { Outcome } from './engine.ts';

export type Settled = Outcome | { error: unknown };

export interface CommitJob {
  writes: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

export const commitLimits = { jobs: 512, writes: 4096 }; // a full commit takes about 20 ms

// Returns true where the write set failed.
export function settle(job: CommitJob, result: Settled | undefined): boolean {
  if (!result || 'error' in result) job.reject(result?.error);
  else job.resolve(result);
  return !result || 'error' in result || !result.ok;
}
