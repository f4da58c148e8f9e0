// The messages between the threads of the log engine. The main thread calls the writer and the readers through their
// pools; readers request snapshots from the writer through a channel between the two, and the body of an answer has its
// own channel to the main thread.
import type { MessagePort } from 'node:worker_threads';
import type { SearchFigures, Snapshot } from '../engine/embedded/snapshot.ts';
import type { LogSelection, Matcher } from '../engine/engine.ts';
import type { LogFigures } from '../engine/figures.ts';
import type { LogPush, LogPushed } from '../push/push.ts';
import type { LogQuestion } from './question.ts';

export const mostQuickBytes = 512 * 1024; // limit of a push that the writer itself decodes

// The writer returns a push that may take long to decode, because it has to store lines of all contracts in the
// meantime.
export type LargePush = { large: Uint8Array };

export interface DecoderCalls {
  decode(push: LogPush): { pushed: LogPushed; packed?: Uint8Array<ArrayBuffer> };
}

export interface WriterCalls {
  push(push: LogPush): Promise<LogPushed | LargePush>;
  append(packed: Uint8Array): Promise<void>;
  prune(old: { tenant: string; matchers: readonly Matcher[]; beforeNs: bigint }): Promise<void>;
  drop(tenant: string): Promise<void>;
  tidy(): Promise<boolean>;
  figures(): Promise<LogFigures>;
}

export interface ReaderCalls {
  // Ends when the whole body was sent to `port`, or the client has disconnected.
  ask(request: { question: LogQuestion; port: MessagePort }): Promise<void>;
}

export type SnapshotRequest = { ask: number; selection: LogSelection } | { release: number; done?: SearchFigures };
export type SnapshotReply = { answers: number; snapshot?: Snapshot; failure?: string };

export type AnswerMessage = { status: number; contentType?: string } | { piece: Uint8Array } | { end: true };
export type AnswerControl = { taken: number } | { abort: true }; // `taken`: bytes of pieces that the client received
