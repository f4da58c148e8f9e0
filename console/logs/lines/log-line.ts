// The lines of an answer in the order of the list: newest first.
import type { Labels } from '../../plot/plot.ts';
import type { StreamAnswer } from '../loki.ts';

export interface LogLine {
  id: number; // short, for element ids
  key: string; // stream, time and text identify a line
  timeNs: string;
  labels: Labels; // of its stream
  metadata: Labels;
  parsed: Labels; // fields parsed by the query
  text: string;
}

let count = 0;

export function linesOf(streams: readonly StreamAnswer[]): LogLine[] {
  const lines = streams.flatMap(({ stream, values }) => {
    const name = JSON.stringify(stream);
    return values.map(([timeNs, text, more]): LogLine => {
      const { structuredMetadata: metadata = {}, parsed = {} } = more ?? {};
      return { id: ++count, key: `${timeNs} ${name} ${text}`, timeNs, labels: stream, metadata, parsed, text };
    });
  });
  return lines.sort(newestFirst);
}

export const newestFirst = (a: LogLine, b: LogLine): number => compareTimes(b.timeNs, a.timeNs);

// Decimal numbers without leading zeros.
const compareTimes = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

export const later = (timeNs: string, byNs: bigint): string => `${BigInt(timeNs) + byNs}`;

export const msOf = (timeNs: string): number => Number(BigInt(timeNs) / 1_000_000n);

const time = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit' });

export const clockText = (timeNs: string): string => time.format(msOf(timeNs));
export const dayText = (timeNs: string): string => day.format(msOf(timeNs));

// With all digits.
export function exactTime(timeNs: string): string {
  const seconds = new Date(msOf(timeNs)).toISOString().slice(0, 19);
  return `${seconds}.${(BigInt(timeNs) % 1_000_000_000n).toString().padStart(9, '0')}Z`;
}

// The LogQL selector of its stream.
export const streamSelector = ({ labels }: LogLine): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ')}}`;
