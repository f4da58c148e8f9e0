// For tests: both sides of an embedded engine over a folder.
import type { LogReader } from '../engine.ts';
import { EmbeddedLogReader } from './reader/reader.ts';
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
