// For tests: both sides of the embedded engine in one thread.
import { machineTime } from '../../../base/clock.ts';
import { matcherTest } from '../../promql/matcher-test.ts';
import { decode } from '../../push/decode.ts';
import { type EmbeddedReader, openReader } from './reader.ts';
import { type EmbeddedWriter, openWriter, type WriterOptions } from './writer.ts';

export interface Opened {
  writer: EmbeddedWriter;
  reader: EmbeddedReader;
  close(): Promise<void>;
}

const mostBytes = 64 * 1024 * 1024;

export async function openedIn(folder: string, more: Partial<WriterOptions> = {}): Promise<Opened> {
  let reader: EmbeddedReader | undefined;
  const writer = await openWriter({
    folder,
    decode: (push, sink) => decode(push, sink, { mostBytes }),
    now: machineTime,
    tell: (message) => reader?.head(message),
    ...more,
  });
  const made = await openReader({ folder, matcherTest });
  for (const message of writer.heads()) made.head(message);
  reader = made;
  const close = async (): Promise<void> => {
    await made.close();
    await writer.close(); // the last connection removes the log of the file
  };
  return { writer, reader: made, close };
}
