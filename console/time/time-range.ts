// Time ranges and their steps. A following range ends at the region's current time, which the lab can move, not at the
// browser's time.

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

const seconds = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });
const minutes = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', hourCycle: 'h23' });
const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

export const timeText = (atS: number): string => whole.format(atS * 1000);
export const spanText = ({ fromS, toS }: Span): string => `${timeText(fromS)} to ${timeText(toS)}`;

// Labels of the time axis. The start of a day shows the date.
export function axisTimes(splits: readonly number[], stepS: number): string[] {
  return splits.map((split) => {
    const at = new Date(split * 1000);
    const isMidnight = at.getHours() === 0 && at.getMinutes() === 0 && at.getSeconds() === 0;
    if (stepS >= day || isMidnight) return days.format(at);
    return (stepS < minute ? seconds : minutes).format(at);
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

// The format of the browser's date and time field, in local time.
export function localText(atS: number): string {
  const at = new Date(atS * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export const secondsIn = (text: string): number => new Date(text).getTime() / 1000;
