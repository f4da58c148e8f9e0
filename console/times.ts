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

// The time since: `12 days`, `3 hours`, `5 min`.
export function ageText(iso: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(iso));
  const [unit, size] = steps.find(([, one]) => ms >= one) ?? ['minute', 60_000];
  const count = Math.floor(ms / size);
  if (unit === 'minute') return count === 0 ? '< 1 min' : `${count} min`;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
