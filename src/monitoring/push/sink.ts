// What a decoder of pushed metrics is given, and what it fills. Decoders are pure: bytes in, calls of the sink out.
// They are run again after a crash on the same bytes, so they may depend on nothing else.
import type { Described, Labels } from '../series.ts';

export type PushFormat = 'remote-write-1' | 'remote-write-2' | 'text' | 'openmetrics' | 'json' | 'otlp' | 'otlp-json';
export type PushCoding = 'identity' | 'snappy' | 'gzip' | 'zstd' | 'deflate';

// One push as it came. What has no time of its own happened when it was received.
export interface Push {
  format: PushFormat;
  coding: PushCoding;
  body: Uint8Array;
  receivedMs: number;
}

export interface Sink {
  // The series that was registered with exactly these bytes of a label block, or -1: spares the labels' decoding.
  known(bytes: Uint8Array, from: number, to: number): number;
  // A handle for `sample`, or a negative number where the series is refused; the sink remembers why. With the bytes
  // of the block that the labels were read from, `known` finds them from then on.
  register(labels: Labels, bytes?: Uint8Array, from?: number, to?: number): number;
  sample(series: number, timeMs: number, value: number): void;
  describe(described: Described): void;
  // Something that is understood but not taken: a native histogram, a sample without a value …
  reject(count: number, why: string): void;
}

// The whole push can't be read: nothing of it is kept. `decode` throws nothing else.
export class UnreadablePush extends Error {
  readonly tooLarge: boolean;

  constructor(message: string, tooLarge = false) {
    super(message);
    this.tooLarge = tooLarge;
  }
}
