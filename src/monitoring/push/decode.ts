// Decodes a push of any format into a sink. It counts as a whole: after an UnreadablePush the sink has to forget what
// it was given. A sink must know two things: bytes are valid during the call only, since their memory is reused; and
// samples of a series that it refused are passed on all the same, with the handle that it returned, so that it can
// count them.
import { decompress } from '../../core/push/compression/decompress.ts';
import { readOtlpJson } from './otlp/json.ts';
import { readOtlp } from './otlp/otlp.ts';
import { readJson } from './remote-write/json.ts';
import { readRemoteWrite } from './remote-write/version-1.ts';
import { readRemoteWrite2 } from './remote-write/version-2.ts';
import type { Push, PushFormat, Sink } from './sink.ts';
import { readExposition } from './text/exposition.ts';
import { readOpenMetrics } from './text/openmetrics.ts';

export interface DecodeLimits {
  mostBytes: number; // of the body without its compression
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

// Where many series share labels, the expanded labels may take so many times the largest body.
const labelGrowth = 8;

export function decode(push: Push, sink: Sink, { mostBytes }: DecodeLimits): void {
  const bytes = decompress(push.body, push.coding, mostBytes);
  readers[push.format](bytes, push.receivedMs, sink, mostBytes * labelGrowth);
}
