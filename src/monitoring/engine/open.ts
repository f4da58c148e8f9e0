// Which engine an address means: `embedded:FOLDER`, or `prometheus+http(s)://…` for one that runs elsewhere. Both
// threads open it, each its own side.
import { machineTime } from '../../base/clock.ts';
import { matcherTest } from '../promql/matcher-test.ts';
import { decode } from '../push/decode.ts';
import type { Push, Sink } from '../push/sink.ts';
import { embeddedFolder, type HeadMessage } from './address.ts';
import { openReader } from './embedded/reader.ts';
import { openWriter } from './embedded/writer.ts';
import type { MetricReader, MetricWriter } from './engine.ts';
import { openRemoteReader, openRemoteWriter } from './remote/remote.ts';

export interface OpenWriter {
  writer: MetricWriter;
  heads(): HeadMessage[]; // what a new reader has to be told
}

export interface OpenReader {
  reader: MetricReader;
  head?(message: HeadMessage): void;
}

const mostDecodedBytes = 32 * 1024 * 1024;
const decodePush = (push: Push, sink: Sink): void => decode(push, sink, { mostBytes: mostDecodedBytes });

export async function openWriterAt(address: string, tell: (message: HeadMessage) => void): Promise<OpenWriter> {
  const folder = embeddedFolder(address);
  if (folder === undefined)
    return { writer: await openRemoteWriter({ url: address, decode: decodePush }), heads: () => [] };
  const onDamage = (message: string): void => process.emitWarning(message);
  const writer = await openWriter({ folder, decode: decodePush, now: machineTime, tell, onDamage });
  return { writer, heads: () => writer.heads() };
}

export async function openReaderAt(address: string): Promise<OpenReader> {
  const folder = embeddedFolder(address);
  if (folder === undefined) return { reader: await openRemoteReader({ url: address }) };
  const reader = await openReader({ folder, matcherTest });
  return { reader, head: (message) => reader.head(message) };
}
