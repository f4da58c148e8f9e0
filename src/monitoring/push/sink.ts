// What decoders of pushes get and fill. Decoders are pure: bytes in, calls of the sink out. After a crash they run
// again on the same bytes, so they must not depend on anything else.
import type { PushCoding } from '../../core/push/push-body.ts';
import type { Described, Labels } from '../series.ts';

export type PushFormat = 'remote-write-1' | 'remote-write-2' | 'text' | 'openmetrics' | 'json' | 'otlp' | 'otlp-json';

// One push as it arrived. Samples without a time have the time of receipt.
export interface Push {
  format: PushFormat;
  coding: PushCoding;
  body: Uint8Array;
  receivedMs: number;
}

export interface Sink {
  // The series that was registered with exactly these label bytes, or -1: avoids decoding the labels.
  known(bytes: Uint8Array, from: number, to: number): number;
  // A handle for `sample`, or a negative number where the series is refused; the sink remembers why. With the bytes
  // of the block that the labels were read from, `known` finds them from then on.
  register(labels: Labels, bytes?: Uint8Array, from?: number, to?: number): number;
  sample(series: number, timeMs: number, value: number): void;
  describe(described: Described): void;
  // Something valid that is not supported: a native histogram, a sample without a value …
  reject(count: number, why: string): void;
}
