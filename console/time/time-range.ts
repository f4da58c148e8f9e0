// Time ranges and their steps. A following range ends at the region's current time, which the lab can move, not at the
// browser's time. Times are shown in the chosen time zone.
import { inZone } from './time-zone.ts';

export type Range = { lastS: number } | Span;

export interface Span {
  fromS: number;
  toS: number;
}

const minute = 60;
const hour = 3600;
const day = 86_400;

export const ranges: readonly [lastS: number, title: string][] = [
  [15 * minute, 'Last 15 minutes'],
  [hour, 'Last hour'],
  [3 * hour, 'Last 3 hours'],
  [6 * hour, 'Last 6 hours'],
  [12 * hour, 'Last 12 hours'],
  [day, 'Last 24 hours'],
  [2 * day, 'Last 2 days'],
  [7 * day, 'Last 7 days'],
  [30 * day, 'Last 30 days'],
];

export const usualRange: Range = { lastS: hour };
export const isFollowing = (range: Range): range is { lastS: number } => 'lastS' in range;

export const spanOf = (range: Range, nowS: number): Span =>
  isFollowing(range) ? { fromS: nowS - range.lastS, toS: nowS } : range;

const lengthOf = ({ fromS, toS }: Span): number => toS - fromS;

// Moves by half the length, so that half of the old range stays visible.
export function moved(span: Span, direction: -1 | 1): Span {
  const by = (direction * lengthOf(span)) / 2;
  return { fromS: span.fromS + by, toS: span.toS + by };
}

export function widened(span: Span): Span {
  const by = lengthOf(span) / 2;
  return { fromS: span.fromS - by, toS: span.toS + by };
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400];

// The smallest step that the width can show.
export function stepOf(span: Span, widthPx: number, pixelsPerStep = 3): number {
  const points = Math.min(1000, Math.max(60, Math.floor(widthPx / pixelsPerStep)));
  const exact = lengthOf(span) / points;
  return steps.find((step) => step >= exact) ?? Math.ceil(exact / day) * day;
}

const seconds = inZone({ timeStyle: 'medium', hourCycle: 'h23' });
const minutes = inZone({ timeStyle: 'short', hourCycle: 'h23' });
const days = inZone({ day: 'numeric', month: 'short' });
const whole = inZone({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
const sortable = inZone({ dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' }, 'sv-SE'); // 2026-01-31 23:59:59

export const timeText = (atS: number): string => whole(atS * 1000);
export const spanText = ({ fromS, toS }: Span): string => `${timeText(fromS)} to ${timeText(toS)}`;

// Labels of the time axis. The start of a day shows the date.
export function axisTimes(splits: readonly number[], stepS: number): string[] {
  return splits.map((split) => {
    const atMs = split * 1000;
    if (stepS >= day || sortable(atMs).endsWith('00:00:00')) return days(atMs);
    return (stepS < minute ? seconds : minutes)(atMs);
  });
}

// Reads a range from an address: `range=3600`, or `from` and `to`.
export function rangeIn(query: URLSearchParams): Range | undefined {
  const [lastS, fromS, toS] = ['range', 'from', 'to'].map((name) => Number(query.get(name) ?? Number.NaN)) as [
    number,
    number,
    number,
  ];
  if (lastS > 0 && lastS <= 366 * day) return { lastS };
  return toS > fromS && fromS > 0 && toS < 8.64e12 ? { fromS, toS } : undefined;
}

export const addressed = (range: Range): Record<string, string> =>
  isFollowing(range) ? { range: String(range.lastS) } : { from: String(range.fromS), to: String(range.toS) };

// The format of the browser's date and time field, in the chosen time zone.
export const localText = (atS: number): string => sortable(atS * 1000).replace(' ', 'T');

export function secondsIn(text: string): number {
  const asUtc = Date.parse(`${text}Z`) / 1000;
  if (Number.isNaN(asUtc)) return asUtc;
  const offset = (atS: number): number => Date.parse(`${localText(atS)}Z`) / 1000 - Math.floor(atS);
  return asUtc - offset(asUtc - offset(asUtc)); // twice, because the offset may change in between
}
