// Decodes a push of any format into a sink. It is stored completely or not at all: after an UnreadablePush the sink
// must discard what it received. A sink must know two rules: bytes are valid only during the call, since their memory
// is reused; and samples of a refused series are passed on with the handle that the sink returned, so that it can count
// them.
import { decompress } from '../../core/push/decompress.ts';
import { readOtlpJson } from './otlp/json.ts';
import { readOtlp } from './otlp/otlp.ts';
import { readJson } from './remote-write/json.ts';
import { readRemoteWrite } from './remote-write/version-1.ts';
import { readRemoteWrite2 } from './remote-write/version-2.ts';
import type { Push, PushFormat, Sink } from './sink.ts';
import { readExposition } from './text/exposition.ts';
import { readOpenMetrics } from './text/openmetrics.ts';

export interface DecodeLimits {
  mostBytes: number; // of the decompressed body
}

type Reader = (bytes: Buffer, receivedMs: number, sink: Sink, mostLabelBytes: number) => void;

const readers: Record<PushFormat, Reader> = {
  'remote-write-1': (bytes, _receivedMs, sink) => readRemoteWrite(bytes, sink),
  'remote-write-2': (bytes, _receivedMs, sink, mostLabelBytes) => readRemoteWrite2(bytes, sink, mostLabelBytes),
  text: readExposition,
  openmetrics: readOpenMetrics,
  json: readJson,
  otlp: readOtlp,
  'otlp-json': readOtlpJson,
};

// If many series share labels, the expanded labels may be this many times larger than the largest body.
const labelGrowth = 8;

export function decode(push: Push, sink: Sink, { mostBytes }: DecodeLimits): void {
  const bytes = decompress(push.body, push.coding, mostBytes);
  readers[push.format](bytes, push.receivedMs, sink, mostBytes * labelGrowth);
}
