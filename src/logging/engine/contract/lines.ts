// Lines for the contract suite, and search results in a form that is easy to compare.
import { machineTime } from '../../../base/clock.ts';
import { uuid } from '../../../base/ids.ts';
import type { AppendJob, Labels, LineSelection, LogSelection, Matcher } from '../engine.ts';
import type { LogBench } from './case.ts';

// An hour ago: servers refuse old and future lines.
export const base = BigInt(Math.floor(machineTime() / 60_000) * 60_000 - 3_600_000) * 1_000_000n;
export const secondNs = 1_000_000_000n;
export const at = (seconds: number): bigint => base + BigInt(Math.round(seconds * 1000)) * 1_000_000n;

export const newTenant = (): string => uuid();

// The time in seconds since `base`, the text, and the line's metadata.
export type PushedLine = [seconds: number, text: string, metadata?: Labels];

export function jobOf(
  tenant: string,
  streams: readonly (readonly [Labels, ...PushedLine[]])[],
  chunk?: string,
): AppendJob {
  return {
    tenant,
    ...(chunk !== undefined && { chunk }),
    streams: streams.map(([labels, ...lines]) => ({
      labels,
      times: BigInt64Array.from(lines, ([seconds]) => at(seconds)),
      lines: lines.map(([, text]) => text),
      ...(lines.some(([, , metadata]) => metadata) && { metadata: lines.map(([, , metadata]) => metadata) }),
    })),
  };
}

export async function appended(bench: LogBench, ...jobs: AppendJob[]): Promise<void> {
  await bench.writer.append(jobs);
  await bench.settle();
}

export const equals = (name: string, value: string): Matcher => ({ name, operator: '=', value });
export const everything: Matcher[] = [{ name: 'app', operator: '=~', value: '.+' }];

export const selectionOf = (tenant: string, more: Partial<LogSelection> = {}): LogSelection => ({
  tenant,
  matchers: everything,
  fromNs: at(-600),
  toNs: at(3600),
  ...more,
});

export interface Found {
  labels: Labels;
  seconds: number;
  text: string;
  metadata?: Labels;
}

// Returns all lines in their order; a piece with several streams is sorted by time here.
export async function found(bench: LogBench, tenant: string, more: Partial<LineSelection> = {}): Promise<Found[]> {
  const all: Found[] = [];
  const direction = more.direction ?? 'forward';
  for await (const piece of bench.reader.select({ ...selectionOf(tenant), direction, ...more })) {
    const lines: Found[] = piece.flatMap(({ labels, times, lines: texts, metadata }) =>
      texts.map((text, index) => ({
        labels,
        seconds: Number((times[index] as bigint) - base) / Number(secondNs),
        text,
        ...(metadata?.[index] && { metadata: metadata[index] }),
      })),
    );
    const sign = direction === 'forward' ? 1 : -1;
    all.push(...lines.sort((a, b) => sign * (a.seconds - b.seconds)));
  }
  return all;
}

export const texts = (lines: readonly Found[]): string[] => lines.map(({ text }) => text);
