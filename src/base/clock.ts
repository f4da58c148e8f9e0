// Time, injected everywhere and movable by the lab. It never goes back: when the machine's clock jumps back, ours
// stops until the machine's has caught up. Leases and certificates use `real`, which the lab can't move.

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

// Times always end in Z: the platform's clients append one to times without it.
export const iso = (ms: number): string => new Date(ms).toISOString();

// The machine's time as HTTP writes it in a Date header.
export const httpDate = (): string => new Date(machineTime()).toUTCString();

const momentForm = /^(\d{4}-\d\d-(\d\d))(?:[t ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(z|[+-]\d\d:\d\d)?)?$/i;

// Parses a day (midnight) or an RFC 3339 time; without a zone it is UTC. NaN for anything else, and for days such as
// February 30, which Date would move to the next month.
export function timeOf(text: string): number {
  const [, day, ofMonth, hour, zone = 'Z'] = momentForm.exec(text) ?? [];
  if (day === undefined || new Date(`${day}T00:00:00Z`).getUTCDate() !== Number(ofMonth)) return Number.NaN;
  return Date.parse(hour === undefined ? day : `${day}T${hour}${zone.toUpperCase()}`);
}
