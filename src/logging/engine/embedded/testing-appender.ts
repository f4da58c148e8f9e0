// For tests: a process that appends endlessly and reports confirmed chunks. Every line has the number of its chunk, so
// that a missing, duplicated or incomplete chunk is detected.
import { writeSync } from 'node:fs';
import type { AppendJob } from '../engine.ts';
import { openWriter } from './writer.ts';

export const appendedFrom = 1_700_000_000_000_000_000n;
export const linesOfChunk = 20;
const streams = ['a', 'b', 'c'];

export function numberedJob(number: number): AppendJob {
  return {
    tenant: 'tenant',
    chunk: `chunk ${number}`,
    streams: streams.map((app, stream) => ({
      labels: { app },
      times: BigInt64Array.from(
        { length: linesOfChunk },
        (_, line) => appendedFrom + BigInt(number * 1_000_000 + stream * 1000 + line),
      ),
      lines: Array.from(
        { length: linesOfChunk },
        (_, line) => `chunk=${number} line=${line} ${'x'.repeat(number % 90)}`,
      ),
    })),
  };
}

export const linesOfJob = streams.length * linesOfChunk;

export interface AppenderOptions {
  folder: string;
  from: number;
  most: number; // chunks
  arenaBytes: number;
  lanes: number; // concurrent chunks
}

async function appendOn({ folder, from, most, arenaBytes, lanes }: AppenderOptions): Promise<void> {
  const writer = await openWriter({ folder, arenaBytes });
  let next = from;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < from + most; number = next++) {
      await writer.append([numberedJob(number)]);
      writeSync(1, `${number}\n`);
      if (number % 7 === 0) await writer.append([numberedJob(number)]); // simulates a lost answer
      if (number % 20 === 0) await writer.tidy();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await writer.close();
}

if (process.argv[2] === 'append') await appendOn(JSON.parse(process.argv[3] ?? '') as AppenderOptions);
