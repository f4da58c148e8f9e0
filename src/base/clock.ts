// Time, injected everywhere and movable by the lab. It never goes back: when the machine's clock jumps
// back, ours stands still until it is caught up. Leases and certificates use `real`, which the lab can't move.

export interface Clock {
  now(): number;
  real(): number;
  advance(ms: number): void;
  offset(): number;
}

// The machine's own time, for what the lab must not move.
export const machineTime = (): number => Date.now();

export function createClock(offsetMs = 0, machine: () => number = machineTime): Clock {
  let offset = offsetMs;
  let last = 0;
  return {
    now() {
      const time = machine() + offset;
      if (time > last) last = time;
      return last;
    },
    real: machine,
    advance(ms) {
      offset += ms;
    },
    offset: () => offset,
  };
}

// The platform's clients append a Z to whatever has none, so times always leave as …Z.
export const iso = (ms: number): string => new Date(ms).toISOString();

// The machine's time as HTTP writes it in a Date header.
export const httpDate = (): string => new Date(machineTime()).toUTCString();

const momentForm = /^(\d{4}-\d\d-(\d\d))(?:[t ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(z|[+-]\d\d:\d\d)?)?$/i;

// The moment that somebody has written: a day, which begins at midnight, or an RFC 3339 time; without a zone it is UTC.
// NaN for anything else, and for days that no month has: Date would take them for days of the next.
export function timeOf(text: string): number {
  const [, day, ofMonth, hour, zone = 'Z'] = momentForm.exec(text) ?? [];
  if (day === undefined || new Date(`${day}T00:00:00Z`).getUTCDate() !== Number(ofMonth)) return Number.NaN;
  return Date.parse(hour === undefined ? day : `${day}T${hour}${zone.toUpperCase()}`);
}
