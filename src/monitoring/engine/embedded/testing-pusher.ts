// For tests: a process or thread that pushes endlessly and reports the answers. The value of each sample is the number
// of its push, so that a reader detects missing ones.
import { writeSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { machineTime } from '../../../base/clock.ts';
import { decode } from '../../push/decode.ts';
import { encodeRemoteWrite } from '../../push/remote-write/encode.ts';
import type { PushJob } from '../engine.ts';
import { openWriter } from './writer.ts';

export const pushedFrom = 1_700_000_000_000;
export const pushedEveryMs = 1000;
export const seriesOfPush = 20;
const mostBytes = 1 << 24;
const limits = {
  series: 1e6,
  accountSeries: 1e6,
  labels: 40,
  nameBytes: 200,
  valueBytes: 2000,
  oldestMs: 0,
  newestMs: 1e15,
};

export function numberedPush(number: number): PushJob {
  const series = Array.from({ length: seriesOfPush }, (_, at) => ({
    labels: [
      ['__name__', 'pushed'],
      ['at', String(at)],
    ] as const,
    times: [pushedFrom + number * pushedEveryMs],
    values: [number],
  }));
  const body = new Uint8Array(encodeRemoteWrite(series));
  const push = { format: 'remote-write-1', coding: 'snappy', receivedMs: pushedFrom, body } as const;
  return { tenant: 'tenant', account: 'account', push, limits };
}

interface PusherOptions {
  folder: string;
  from: number;
  most: number; // pushes
  arenaSamples: number;
  lanes: number; // concurrent pushes
}

async function pushOn(options: PusherOptions, port: MessagePort | null): Promise<void> {
  const { folder, from, most, arenaSamples, lanes } = options;
  const writer = await openWriter({
    folder,
    decode: (push, sink) => decode(push, sink, { mostBytes }),
    now: machineTime,
    tell: (head) => port?.postMessage({ head }),
    arenaSamples,
  });
  for (const head of writer.heads()) port?.postMessage({ head });
  const answered = (number: number): void => {
    if (port) port.postMessage({ answered: number });
    else writeSync(1, `${number}\n`);
  };
  let next = from;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < from + most; number = next++) {
      await writer.append([numberedPush(number)]);
      answered(number);
      if (number % 50 === 0) await writer.tidy();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await writer.close();
  port?.postMessage({ done: true });
}

const given = parentPort ? (workerData as { pusher?: PusherOptions }).pusher : undefined;
const fromCommandLine = process.argv[2] === 'push' ? (JSON.parse(process.argv[3] ?? '') as PusherOptions) : undefined;
if (given) await pushOn(given, parentPort);
else if (fromCommandLine) await pushOn(fromCommandLine, null);
