// Functions of times.
import { machineTime } from '../../../base/clock.ts';
import { moment, text } from '../../../core/go-template/arguments.ts';
import type { Entry } from '../../../core/go-template/function-entry.ts';
import { formatTime, isZone, parseTime } from '../../../core/go-template/time-layout.ts';
import { fail, GoTime, type Value } from '../../../core/go-template/values.ts';
import type { LineScope } from './line-scope.ts';

const second = 1_000_000_000n;
const zeroTime = new GoTime(-62_135_596_800n * second); // the first of January of the year 1
const now = (): GoTime => new GoTime(BigInt(machineTime()) * 1_000_000n);

// The number of digits determines the unit.
const epochUnits: Readonly<Record<number, bigint>> = {
  5: 86_400n * second,
  10: second,
  13: 1_000_000n,
  16: 1000n,
  19: 1n,
};

function fromEpoch(epoch: string): GoTime {
  const unit = epochUnits[epoch.length];
  if (!/^[+-]?\d+$/.test(epoch)) {
    const why = `strconv.ParseInt: parsing ${JSON.stringify(epoch)}: invalid syntax`;
    fail(`unable to parse time '${epoch}': ${why}`);
  }
  return unit === undefined ? fail(`unable to parse time '${epoch}': %!w(<nil>)`) : new GoTime(BigInt(epoch) * unit);
}

function dated(layout: string, value: Value): string {
  if (value instanceof GoTime) return formatTime(value, layout);
  return formatTime(typeof value === 'bigint' ? new GoTime(value * second) : now(), layout);
}

// Rounds down, also before 1970.
const divided = (ns: bigint, unit: bigint): bigint => (ns - (((ns % unit) + unit) % unit)) / unit;

export const timeFunctions: Entry<LineScope>[] = [
  ['__timestamp__', 0, 0, (_, { timeNs }) => new GoTime(timeNs)],
  ['now', 0, 0, () => now()],
  ['date', 2, 2, ([layout, value]) => dated(text(layout), value)],
  ['toDate', 2, 2, ([layout, value]) => parseTime(text(layout), text(value), 'UTC') ?? zeroTime],
  [
    'toDateInZone',
    3,
    3,
    ([layout, zone, value]) => {
      const name = text(zone);
      return parseTime(text(layout), text(value), isZone(name) ? name : 'UTC') ?? zeroTime;
    },
  ],
  ['unixToTime', 1, 1, ([epoch]) => fromEpoch(text(epoch))],
  ['unixEpoch', 1, 1, ([time]) => String(divided(moment(time).ns, second))],
  ['unixEpochMillis', 1, 1, ([time]) => String(divided(moment(time).ns, 1_000_000n))],
  ['unixEpochNanos', 1, 1, ([time]) => String(moment(time).ns)],
];
