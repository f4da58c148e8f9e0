// A topic with its own codec (`compression.type`) stores all batches in it: batches of other codecs are recompressed,
// the rest are stored unchanged.
import { ProtocolError } from '../wire/errors.ts';
import { batchHeaderAt } from '../wire/record-batch.ts';
import { expansionLimit, recompress } from '../wire/records.ts';
import { type LocatedHeader, refusalOf } from './batch-check.ts';
import type { LogConfig } from './log-config.ts';

export interface Produced {
  records: Buffer;
  batches: LocatedHeader[];
}

export function inOwnCodec({ records, batches }: Produced, config: LogConfig): Produced {
  const { compression: codec, gzipLevel, zstdLevel, maxMessageBytes } = config;
  if (codec === undefined || batches.every(({ header }) => header.compression === codec)) return { records, batches };
  const parts = batches.map(({ header, at }) => {
    const batch = records.subarray(at, at + header.size);
    if (header.compression === codec) return batch;
    const compressed = inCodec(() =>
      recompress(batch, header, { codec, gzipLevel, zstdLevel }, expansionLimit(maxMessageBytes)),
    );
    if (compressed.length > maxMessageBytes)
      throw new ProtocolError('MESSAGE_TOO_LARGE', `a batch has ${compressed.length} bytes in the codec of the topic`);
    return compressed;
  });
  let at = 0;
  const located = parts.map((part): LocatedHeader => {
    at += part.length;
    return { header: batchHeaderAt(part, 0), at: at - part.length };
  });
  return { records: Buffer.concat(parts), batches: located };
}

function inCodec(work: () => Buffer): Buffer {
  try {
    return work();
  } catch (error) {
    throw refusalOf(error);
  }
}
