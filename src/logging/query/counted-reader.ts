// A reader that counts what a query reads, for the statistics in its answer.
import type { LogReader } from '../engine/engine.ts';
import type { Processed } from './render.ts';

export function counted(reader: LogReader): { reader: LogReader; processed: (entries?: number) => Processed } {
  const since = performance.now();
  let lines = 0;
  let bytes = 0;
  return {
    reader: {
      async *select(selection) {
        for await (const piece of reader.select(selection)) {
          for (const stream of piece) {
            lines += stream.lines.length;
            for (const line of stream.lines) bytes += line.length;
          }
          yield piece;
        }
      },
      series: (selections) => reader.series(selections),
      names: (selection) => reader.names(selection),
      values: (name, selection) => reader.values(name, selection),
      stats: (selection) => reader.stats(selection),
      close: () => reader.close(),
    },
    processed: (entries = 0) => ({ lines, bytes, entries, seconds: (performance.now() - since) / 1000 }),
  };
}
