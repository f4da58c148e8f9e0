// Pushes and queries of the contract suite: remote write for samples, the text format for metadata.
import assert from 'node:assert/strict';
import { machineTime } from '../../../base/clock.ts';
import { uuid } from '../../../base/ids.ts';
import { encodeRemoteWrite } from '../../push/remote-write/encode.ts';
import { isStale, type Labels, type Matcher, type SeriesData } from '../../series.ts';
import type { Pushed, PushJob, PushLimits, Selection } from '../engine.ts';
import type { MetricBench } from './case.ts';

// A recent whole minute: servers refuse old and future samples.
export const base: number = Math.floor(machineTime() / 60_000) * 60_000 - 30 * 60_000;
export const stepMs = 15_000;

export const newTenant = (): string => uuid();

export const generous: PushLimits = {
  series: 1_000_000,
  accountSeries: 2_000_000,
  labels: 40,
  nameBytes: 200,
  valueBytes: 2000,
  oldestMs: base - 3_600_000,
  newestMs: base + 3_600_000,
};

export type Sample = [timeMs: number, value: number];
export type PushedSeries = [series: Record<string, string>, ...samples: Sample[]];

export const labelsOf = (series: Record<string, string>): Labels =>
  Object.entries(series).sort(([a], [b]) => (a < b ? -1 : 1));

// Each tenant has its own account, unless the case sets one.
export function pushOf(
  tenant: string,
  pushes: readonly PushedSeries[],
  limits: Partial<PushLimits> = {},
  account: string = tenant,
): PushJob {
  const series = pushes.map(([labels, ...samples]) => ({
    labels: labelsOf(labels),
    times: samples.map(([time]) => time),
    values: samples.map(([, value]) => value),
  }));
  const body = new Uint8Array(encodeRemoteWrite(series));
  const push = { format: 'remote-write-1', coding: 'snappy', receivedMs: base, body } as const;
  return { tenant, account, push, limits: { ...generous, ...limits } };
}

export function textOf(tenant: string, text: string, receivedMs: number = base): PushJob {
  const push = { format: 'text', coding: 'identity', receivedMs, body: new TextEncoder().encode(text) } as const;
  return { tenant, account: tenant, push, limits: generous };
}

// Pushes one after the other; all of them must be accepted.
export async function pushed(
  { writer, settle }: MetricBench,
  tenant: string,
  ...pushes: PushedSeries[][]
): Promise<void> {
  for (const push of pushes) {
    const count = push.reduce((sum, [, ...samples]) => sum + samples.length, 0);
    const [outcome] = await writer.append([pushOf(tenant, push)]);
    assert.deepEqual(outcome, { samples: count, rejected: 0, reasons: [] } satisfies Pushed);
  }
  await settle();
}

export function selectionOf(tenant: string, matchers: readonly Matcher[] = []): Selection {
  return { tenant, matchers, fromMs: base - 3_600_000, toMs: base + 3_600_000 };
}

export const named = (value: string): Matcher => ({ name: '__name__', op: '=', value });

export async function found(bench: MetricBench, selection: Selection): Promise<PushedSeries[]> {
  return (await bench.reader.select(selection)).map(pushedSeriesOf);
}

export function pushedSeriesOf({ labels, times, values }: SeriesData): PushedSeries {
  assert.equal(times.length, values.length);
  return [Object.fromEntries(labels), ...Array.from(times, (time, at): Sample => [time, values[at] as number])];
}

// Whether two numbers have the same bits: zero has two signs, and there are many NaNs.
export const sameBits = (a: number, b: number): boolean => Object.is(a, b) && isStale(a) === isStale(b);
