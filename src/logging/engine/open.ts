// Which engine an address means: `embedded:FOLDER`, or one that runs elsewhere. In a region the two sides are in
// threads of their own (../threads); `openLogEngine` has them in one.
import { embeddedFolder } from './address.ts';
import { EmbeddedLogReader } from './embedded/reader/reader.ts';
import type { SnapshotSource } from './embedded/snapshot.ts';
import { openWriter } from './embedded/writer.ts';
import type { LogReader, LogWriter } from './engine.ts';
import { jobOf, unpackJob } from './packed-job.ts';
import { openRemoteReader, openRemoteWriter } from './remote/remote.ts';

export interface OpenLogWriter {
  writer: LogWriter;
  appendPacked(packed: Uint8Array): Promise<void>;
  source?: SnapshotSource; // of an embedded engine: what its readers need
}

export interface LogEngine {
  writer: LogWriter;
  reader: LogReader;
  close(): Promise<void>;
}

export async function openLogWriter(address: string, warn: (message: string) => void): Promise<OpenLogWriter> {
  const folder = embeddedFolder(address);
  if (folder === undefined) {
    const writer = openRemoteWriter(address, warn);
    return { writer, appendPacked: (packed) => writer.append([jobOf(unpackJob(packed))]) };
  }
  const writer = await openWriter({ folder, onDamage: warn });
  return { writer, source: writer, appendPacked: (packed) => writer.appendPacked(packed) };
}

// `source`: what the reader of an embedded engine asks.
export async function openLogReader(address: string, source: SnapshotSource | undefined): Promise<LogReader> {
  const folder = embeddedFolder(address);
  if (folder === undefined) return openRemoteReader(address);
  if (!source) throw new Error('an embedded engine is read through its writer');
  return new EmbeddedLogReader({ folder, source });
}

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
