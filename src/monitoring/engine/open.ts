// Opens a metric engine by the scheme of its address: `embedded:FOLDER`, or a server with the protocols of Prometheus.
// Both threads open the engine, each its own side. An engine is loaded when it is opened.
import { machineTime } from '../../base/clock.ts';
import { type EngineTable, inDataFolder, onWeb, opener } from '../../core/engines/engine-table.ts';
import type { Push, Sink } from '../push/sink.ts';
import type { HeadMessage } from './address.ts';
import type { MetricReader, MetricWriter } from './engine.ts';

export interface OpenWriter {
  writer: MetricWriter;
  heads(): HeadMessage[]; // the first messages for a new reader
}

export interface OpenReader {
  reader: MetricReader;
  head?(message: HeadMessage): void;
}

interface Sides {
  writer(address: string, tell: (message: HeadMessage) => void): Promise<OpenWriter>;
  reader(address: string): Promise<OpenReader>;
}

export const metricEngines: EngineTable<Sides> = {
  embedded: { at: inDataFolder, open: { writer: embeddedWriter, reader: embeddedReader } },
  'prometheus+http(s)': { at: onWeb, open: { writer: remoteWriter, reader: remoteReader } },
};

export const openWriterAt: Sides['writer'] = async (address, tell) =>
  opener(metricEngines, address).writer(address, tell);

export const openReaderAt: Sides['reader'] = async (address) => opener(metricEngines, address).reader(address);

const folderOf = (address: string): string => address.slice('embedded:'.length);

async function embeddedWriter(address: string, tell: (message: HeadMessage) => void): Promise<OpenWriter> {
  const [{ openWriter }, decode] = await Promise.all([import('./embedded/writer.ts'), pushDecoder()]);
  const onDamage = (message: string): void => process.emitWarning(message);
  const writer = await openWriter({ folder: folderOf(address), decode, now: machineTime, tell, onDamage });
  return { writer, heads: () => writer.heads() };
}

async function embeddedReader(address: string): Promise<OpenReader> {
  const { openReader } = await import('./embedded/reader.ts');
  const { matcherTest } = await import('../promql/matcher-test.ts');
  const reader = await openReader({ folder: folderOf(address), matcherTest });
  return { reader, head: (message) => reader.head(message) };
}

async function remoteWriter(url: string): Promise<OpenWriter> {
  const [{ openRemoteWriter }, decode] = await Promise.all([import('./remote/remote.ts'), pushDecoder()]);
  return { writer: await openRemoteWriter({ url, decode }), heads: () => [] };
}

async function remoteReader(url: string): Promise<OpenReader> {
  const { openRemoteReader } = await import('./remote/remote.ts');
  return { reader: await openRemoteReader({ url }) };
}

const mostDecodedBytes = 32 * 1024 * 1024;

async function pushDecoder(): Promise<(push: Push, sink: Sink) => void> {
  const { decode } = await import('../push/decode.ts');
  return (push, sink) => decode(push, sink, { mostBytes: mostDecodedBytes });
}
