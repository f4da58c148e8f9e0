// For tests: both sides of an embedded engine on a folder.
import { crc32 } from 'node:zlib';
import type { LogReader } from '../engine.ts';
import { EmbeddedLogReader } from './reader/reader.ts';
import type { LogEntry } from './write-ahead-log.ts';
import { type EmbeddedLogWriter, openWriter, type WriterOptions } from './writer.ts';

export interface OpenedEngine {
  writer: EmbeddedLogWriter;
  reader: LogReader;
  close(): Promise<void>;
}

export async function openedIn(folder: string, more: Partial<WriterOptions> = {}): Promise<OpenedEngine> {
  const writer = await openWriter({ folder, ...more });
  const reader = new EmbeddedLogReader({ folder, source: writer });
  return { writer, reader, close: () => writer.close() };
}

// Builds a write-ahead log of an earlier version.
export function earlierLog(number: number, entries: readonly LogEntry[]): Buffer {
  let sum = number;
  return Buffer.concat(
    entries.flatMap((entry) => {
      const [kind, body] = 'job' in entry ? [1, entry.job] : [2, Buffer.from(entry.drop)];
      sum = crc32(body, (sum + kind) >>> 0);
      const prefix = Buffer.alloc(16);
      for (const [at, value] of [0x474f4c43, kind, body.length, sum].entries()) prefix.writeUInt32LE(value, 4 * at);
      return [prefix, body];
    }),
  );
}
