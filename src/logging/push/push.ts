// The types of a raw push of log lines and its result. It is decoded in the writer's thread by decode.ts. Decoding has
// no side effects.
import type { PushCoding } from '../../core/push/push-body.ts';
import type { AppendJob } from '../engine/engine.ts';

// forward: one message of the forward protocol. records: JSON objects for one stream.
export type LogPushFormat = 'forward' | 'records' | 'loki' | 'loki-json' | 'otlp' | 'otlp-json';

// A stream of the pipeline that can receive lines.
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
  receivedNs: bigint; // unique for each push: the time of lines without a time
  sequence: number; // the nanosecond of the first line with a time in whole seconds; later lines follow it
  newestNs: bigint; // lines after it are refused: a clock is wrong
  streams: readonly TargetStream[]; // the allowed streams of this push
  tag?: string; // of records
}

// With a fault nothing is stored.
export interface LogPushed {
  lines: number; // stored, or known from an earlier push of the same chunk
  dropped: number; // too old, too new, too long or with too much metadata
  reasons: string[]; // at most a few
  ack?: string; // the chunk to acknowledge
  fault?: { kind: 'unreadable' | 'oversized' | 'unknown tag'; message: string };
}

export interface DecodedPush {
  job: AppendJob;
  pushed: LogPushed;
}

// A push that names an unknown stream of the pipeline stores nothing.
export class UnknownTag extends Error {
  constructor(tag: string | undefined) {
    super(
      tag === undefined
        ? 'the push names no stream: send its tag as the label or attribute "tag"'
        : `the pipeline has no stream with the tag ${JSON.stringify(tag.slice(0, 80))}`,
    );
  }
}
