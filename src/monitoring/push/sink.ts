// The input and output of push decoders. Decoders have no side effects: bytes in, calls of the sink out. After a crash
// they run again on the same bytes, so they must not depend on anything else.
import type { PushCoding } from '../../core/push/push-body.ts';
import type { Described, Labels } from '../series.ts';

export type PushFormat = 'remote-write-1' | 'remote-write-2' | 'text' | 'openmetrics' | 'json' | 'otlp' | 'otlp-json';

// One raw push. Samples without a time have the time of receipt.
export interface Push {
  format: PushFormat;
  coding: PushCoding;
  body: Uint8Array;
  receivedMs: number;
}

export interface Sink {
  // Returns the series that was registered with exactly these label bytes, or -1: this avoids decoding the labels.
  known(bytes: Uint8Array, from: number, to: number): number;
  // Returns a handle for `sample`, or a negative number if the series is refused; the sink stores the reason. With the
  // bytes of the labels, `known` finds them from then on.
  register(labels: Labels, bytes?: Uint8Array, from?: number, to?: number): number;
  sample(series: number, timeMs: number, value: number): void;
  describe(described: Described): void;
  // Rejects valid but unsupported content: a native histogram, a sample without a value …
  reject(count: number, why: string): void;
}
