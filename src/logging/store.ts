// The product's interface to the log engine, which works in separate threads.
import type { CallOptions } from '../core/threads/worker-pool.ts';
import type { AppendJob, Matcher } from './engine/engine.ts';
import type { LogFigures } from './engine/figures.ts';
import type { LogPush, LogPushed } from './push/push.ts';
import type { LogAnswer, LogQuestion } from './threads/question.ts';

export interface LogStore {
  readonly isRunning: boolean;
  // Decodes and stores a push; resolves when it is durable. Pushes that wait together share a sync.
  push(push: LogPush): Promise<LogPushed>;
  append(jobs: readonly AppendJob[]): Promise<void>;
  // The caller must iterate the body to its end, or abort the signal.
  ask(
    question: LogQuestion,
    origin: Required<Pick<CallOptions, 'group'>> & Pick<CallOptions, 'signal'>,
  ): Promise<LogAnswer>;
  prune(tenant: string, matchers: readonly Matcher[], beforeNs: bigint): Promise<void>;
  drop(tenant: string): Promise<void>; // does not start the engine if no lines were ever stored
  tidy(): Promise<boolean>;
  figures(): Promise<LogFigures>;
  close(): Promise<void>;
}
