// Decodes a push of any format. It is stored completely or not at all: an unreadable push, or one for an unknown
// stream, stores nothing.
import { decompress } from '../../core/push/decompress.ts';
import { UnreadablePush } from '../../core/push/push-body.ts';
import { readForward } from './forward.ts';
import { readLoki, readLokiJson } from './loki.ts';
import { readOtlpLogs, readOtlpLogsJson } from './otlp.ts';
import { type DecodedPush, type LogPush, type LogPushed, type LogPushFormat, UnknownTag } from './push.ts';
import { readRecords } from './records.ts';

const mostUnpacked = 64 * 1024 * 1024;

const readers: Record<LogPushFormat, (bytes: Buffer, push: LogPush, mostBytes: number) => DecodedPush> = {
  forward: (_bytes, push, mostBytes) => readForward(push, mostBytes),
  records: readRecords,
  loki: readLoki,
  'loki-json': readLokiJson,
  otlp: readOtlpLogs,
  'otlp-json': readOtlpLogsJson,
};

// `mostBytes`: the limit of decompressed bytes.
export function decodePush(push: LogPush, mostBytes = mostUnpacked): DecodedPush {
  try {
    const { body, coding, format } = push;
    return readers[format](decompress(body, coding, mostBytes), push, mostBytes);
  } catch (error) {
    const fault = faultOf(error);
    if (!fault) throw error;
    return { job: { tenant: push.tenant, streams: [] }, pushed: { lines: 0, dropped: 0, reasons: [], fault } };
  }
}

function faultOf(error: unknown): LogPushed['fault'] {
  if (error instanceof UnknownTag) return { kind: 'unknown tag', message: error.message };
  if (!(error instanceof UnreadablePush)) return undefined;
  return { kind: error.tooLarge ? 'oversized' : 'unreadable', message: error.message };
}
