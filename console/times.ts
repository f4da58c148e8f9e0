// Formats times. The platform's clock, which the lab can move, decides what is in the past.

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const steps: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

export const dateText = (iso: string): string => exact.format(new Date(iso));

// `in 29 days`, `2 hours ago`.
export function distance(iso: string, nowMs: number): string {
  const ms = Date.parse(iso) - nowMs;
  const [unit, size] = steps.find(([, one]) => Math.abs(ms) >= one) ?? ['minute', 60_000];
  return relative.format(Math.round(ms / size), unit);
}
