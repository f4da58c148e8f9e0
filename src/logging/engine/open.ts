// Opens a log engine by the scheme of its address: `embedded:FOLDER`, or a log server. In a region each side has its
// own thread (../threads); `openLogEngine` has both in one. An engine is loaded when it is opened.
import { type EngineTable, inDataFolder, onWeb, opener } from '../../core/engines/engine-table.ts';
import type { SnapshotSource } from './embedded/snapshot.ts';
import type { LogReader, LogWriter } from './engine.ts';
import type { DialectOf } from './remote/dialect.ts';

export interface OpenLogWriter {
  writer: LogWriter;
  appendPacked(packed: Uint8Array): Promise<void>;
  source?: SnapshotSource; // of an embedded engine, for its readers
}

export interface LogEngine {
  writer: LogWriter;
  reader: LogReader;
  close(): Promise<void>;
}

interface Sides {
  writer(address: string, warn: (message: string) => void): Promise<OpenLogWriter>;
  reader(address: string, source: SnapshotSource | undefined): Promise<LogReader>; // `source`: of an embedded writer
}

export const logEngines: EngineTable<Sides> = {
  embedded: { at: inDataFolder, open: { writer: embeddedWriter, reader: embeddedReader } },
  'loki+http(s)': { at: onWeb, open: remote(async () => (await import('./remote/loki.ts')).lokiDialect) },
  'victorialogs+http(s)': {
    at: onWeb,
    open: remote(async () => (await import('./remote/victoria-logs.ts')).victoriaDialect),
  },
};

export const openLogWriter: Sides['writer'] = async (address, warn) =>
  opener(logEngines, address).writer(address, warn);

export const openLogReader: Sides['reader'] = async (address, source) =>
  opener(logEngines, address).reader(address, source);

export async function openLogEngine(address: string): Promise<LogEngine> {
  const { writer, source } = await openLogWriter(address, (message) => process.emitWarning(message));
  const reader = await openLogReader(address, source);
  return {
    writer,
    reader,
    async close() {
      await reader.close();
      await writer.close();
    },
  };
}

const folderOf = (address: string): string => address.slice('embedded:'.length);

async function embeddedWriter(address: string, warn: (message: string) => void): Promise<OpenLogWriter> {
  const { openWriter } = await import('./embedded/writer.ts');
  const writer = await openWriter({ folder: folderOf(address), onDamage: warn });
  return { writer, source: writer, appendPacked: (packed) => writer.appendPacked(packed) };
}

async function embeddedReader(address: string, source: SnapshotSource | undefined): Promise<LogReader> {
  if (!source) throw new Error('an embedded engine is read through its writer');
  const { EmbeddedLogReader } = await import('./embedded/reader/reader.ts');
  return new EmbeddedLogReader({ folder: folderOf(address), source });
}

function remote(dialect: () => Promise<DialectOf>): Sides {
  return {
    async writer(address, warn) {
      const { openRemoteWriter } = await import('./remote/remote.ts');
      const { jobOf, unpackJob } = await import('./packed-job.ts');
      const writer = openRemoteWriter(address, await dialect(), warn);
      return { writer, appendPacked: (packed) => writer.append([jobOf(unpackJob(packed))]) };
    },
    reader: async (address) => (await import('./remote/remote.ts')).openRemoteReader(address, await dialect()),
  };
}
