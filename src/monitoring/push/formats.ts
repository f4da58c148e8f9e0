// Selects the format of a push by its headers. Unknown types are answered with 415.
import { codingOf, mediaTypeOf, type PushCoding } from '../../core/push/push-body.ts';
import type { PushFormat } from './sink.ts';

export interface Form {
  format: PushFormat;
  coding: PushCoding;
}

const messages: Record<string, PushFormat> = {
  'prometheus.WriteRequest': 'remote-write-1',
  'io.prometheus.write.v2.Request': 'remote-write-2',
};

export function formatOf(
  contentType: string | undefined,
  contentEncoding: string | undefined,
  path: 'push' | 'otlp',
): Form | undefined {
  const format = path === 'otlp' ? otlpFormat(contentType ?? '') : pushFormat(contentType ?? '');
  if (!format) return undefined;
  // Remote write without a Content-Encoding is compressed anyway, because the protocol requires it.
  const silent = format === 'remote-write-1' || format === 'remote-write-2' ? 'snappy' : 'identity';
  const coding = codingOf(contentEncoding, silent);
  return coding && { format, coding };
}

function pushFormat(contentType: string): PushFormat | undefined {
  const { type, parameters } = mediaTypeOf(contentType);
  switch (type) {
    case '': // sent by early senders of remote write
    case 'application/x-protobuf':
    case 'application/protobuf': {
      const message = parameters.get('proto') ?? 'prometheus.WriteRequest';
      return Object.hasOwn(messages, message) ? messages[message] : undefined;
    }
    case 'application/json':
      return 'json';
    case 'application/openmetrics-text':
      return 'openmetrics';
    case 'text/plain':
    case 'application/x-www-form-urlencoded': // curl's type for --data-binary, as in the Pushgateway's documentation
      return 'text';
    default:
      return undefined;
  }
}

function otlpFormat(contentType: string): PushFormat | undefined {
  const { type } = mediaTypeOf(contentType);
  if (type === 'application/x-protobuf' || type === 'application/protobuf') return 'otlp';
  return type === 'application/json' ? 'otlp-json' : undefined;
}
