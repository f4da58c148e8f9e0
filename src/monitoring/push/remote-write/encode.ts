// Encodes series as a remote write 1.0 request: for remote engines and for tests.

import { compress } from '../../../core/compression/snappy.ts';
import { ProtobufWriter } from '../../../core/push/protobuf/writer.ts';
import type { Described, Labels, MetricType } from '../../series.ts';
import { typesByNumber } from './version-1.ts';

export interface Pushable {
  labels: Labels;
  times: ArrayLike<number>; // ms
  values: ArrayLike<number>;
}

// Returns the body of such a request with its headers.
export function encodeRemoteWrite(series: Iterable<Pushable>, described: Iterable<Described> = []): Buffer {
  return compress(encodeWriteRequest(series, described));
}

export const remoteWriteHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'application/x-protobuf',
  'Content-Encoding': 'snappy',
  'X-Prometheus-Remote-Write-Version': '0.1.0',
};

export function encodeWriteRequest(series: Iterable<Pushable>, described: Iterable<Described> = []): Buffer {
  const out = new ProtobufWriter();
  for (const each of series) out.message(1, () => writeSeries(out, each));
  for (const each of described) out.message(3, () => writeMetadata(out, each));
  return out.written;
}

function writeSeries(out: ProtobufWriter, { labels, times, values }: Pushable): void {
  for (const [name, value] of labels) {
    out.message(1, () => {
      out.text(1, name);
      out.text(2, value);
    });
  }
  for (let at = 0; at < times.length; at++) {
    out.message(2, () => {
      out.double(1, values[at] as number);
      out.int64(2, times[at] as number);
    });
  }
}

function writeMetadata(out: ProtobufWriter, { name, type, help, unit }: Described): void {
  out.int64(1, numberOf(type));
  out.text(2, name);
  out.text(4, help);
  out.text(5, unit);
}

const numberOf = (type: MetricType): number => Math.max(0, typesByNumber.indexOf(type));
