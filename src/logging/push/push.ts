// A push of log lines as it arrived, and what becomes of it. It is decoded in the writer's thread, by decode.ts.
// Decoding is pure.
import type { PushCoding } from '../../core/push/push-body.ts';
import type { AppendJob } from '../engine/engine.ts';

// forward: one message of the forward protocol. records: JSON objects for one stream.
export type LogPushFormat = 'forward' | 'records' | 'loki' | 'loki-json' | 'otlp' | 'otlp-json';

// A stream of the pipeline that lines may go to.
export interface TargetStream {
  tag: string;
  source: string;
  labels: readonly string[]; // fields of records that become labels
  oldestNs: bigint; // lines before this time would be pruned at once
}

export interface LogPush {
  tenant: string; // the pipeline's id
  format: LogPushFormat;
  coding: PushCoding;
  body: Uint8Array;
  receivedNs: bigint; // no two pushes have the same: the time of lines that have none
  sequence: number; // the nanosecond of the first line whose time has whole seconds only; the next lines follow it
  newestNs: bigint; // lines after it are refused: a clock is wrong
  streams: readonly TargetStream[]; // that this push may name
  tag?: string; // of records
}

// Nothing of it is kept where there is a fault.
export interface LogPushed {
  lines: number; // kept, or known from an earlier push of the same chunk
  dropped: number; // too old, too new, too long or carrying too much
  reasons: string[]; // at most a few
  ack?: string; // the chunk that the sender wants to have acknowledged
  fault?: { kind: 'unreadable' | 'oversized' | 'unknown tag'; message: string };
}

export interface DecodedPush {
  job: AppendJob;
  pushed: LogPushed;
}

// Nothing of a push is kept that names a stream which the pipeline does not have.
export class UnknownTag extends Error {
  constructor(tag: string | undefined) {
    super(
      tag === undefined
        ? 'no stream is named: send its tag as the label or attribute "tag"'
        : `the pipeline has no such stream: ${JSON.stringify(tag.slice(0, 80))}`,
    );
  }
}
