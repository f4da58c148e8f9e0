// What the product needs of the log engine: the engine itself works in threads of its own.
import type { CallOptions } from '../core/threads/worker-pool.ts';
import type { AppendJob, Matcher } from './engine/engine.ts';
import type { LogFigures } from './engine/figures.ts';
import type { LogPush, LogPushed } from './push/push.ts';
import type { LogAnswer, LogQuestion } from './threads/question.ts';

export interface LogStore {
  readonly isRunning: boolean;
  // Decodes and keeps it; resolves when all of it is durable. Pushes that wait together share a sync.
  push(push: LogPush): Promise<LogPushed>;
  append(jobs: readonly AppendJob[]): Promise<void>;
  // Its body is to be iterated to its end, or its signal aborted.
  ask(
    question: LogQuestion,
    origin: Required<Pick<CallOptions, 'group'>> & Pick<CallOptions, 'signal'>,
  ): Promise<LogAnswer>;
  prune(tenant: string, matchers: readonly Matcher[], beforeNs: bigint): Promise<void>;
  drop(tenant: string): Promise<void>; // does not start the engine where nothing was ever kept
  tidy(): Promise<boolean>;
  figures(): Promise<LogFigures>;
  close(): Promise<void>;
}
