// Go's layouts of times: the reference time Mon Jan 2 15:04:05 MST 2006 shows how a time is to be written or read.
import { GoTime } from './values.ts';

const months = 'January February March April May June July August September October November December'.split(' ');
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const tokens = new RegExp(
  [
    'January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|__2|_2|002|01|02|03|04|05|06|15|PM|pm',
    '-07:00:00|-07:00|-070000|-0700|-07|Z07:00:00|Z07:00|Z070000|Z0700|Z07',
    '[.,]0+(?!\\d)|[.,]9+(?!\\d)|1|2|3|4|5',
  ].join('|'),
  'g',
);

interface Parts {
  year: number;
  month: number; // from 1
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  weekday: number;
  yearDay: number;
  offset: number; // seconds east of UTC
  zone: string;
}

const second = 1_000_000_000n;
const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

function partsOf({ ns, zone }: GoTime): Parts {
  const nanosecond = Number(((ns % second) + second) % second);
  const seconds = Number((ns - BigInt(nanosecond)) / second);
  const offset = offsetOf(zone, seconds);
  const date = new Date((seconds + offset) * 1000);
  const year = date.getUTCFullYear();
  return {
    year,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanosecond,
    weekday: date.getUTCDay(),
    yearDay: Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / 86_400_000) + 1,
    offset,
    zone: zoneName(zone, seconds),
  };
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(zone)) {
    let format: Intl.DateTimeFormat | undefined;
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
        timeZoneName: 'short',
      });
    } catch {
      format = undefined;
    }
    if (formats.size > 100) formats.clear();
    formats.set(zone, format);
  }
  return formats.get(zone);
}

export const isZone = (zone: string): boolean => zone === 'UTC' || (zone !== '' && formatOf(zone) !== undefined);

function zoneParts(zone: string, seconds: number): Record<string, string> {
  const parts = formatOf(zone)?.formatToParts(new Date(seconds * 1000)) ?? [];
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

function offsetOf(zone: string, seconds: number): number {
  const [, sign, hours = '', minutes = ''] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign) return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  if (zone === 'UTC') return 0;
  const { year, month, day, hour, minute, second: rest } = zoneParts(zone, seconds);
  return (
    Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(rest)) / 1000 - seconds
  );
}

function zoneName(zone: string, seconds: number): string {
  if (zone === 'UTC') return 'UTC';
  if (/^[+-]\d\d:\d\d$/.test(zone)) return zone.replace(':', '');
  const { timeZoneName = '' } = zoneParts(zone, seconds);
  const [, sign, hours = ''] = /^GMT([+-])(\d+)/.exec(timeZoneName) ?? [];
  return sign ? `${sign}${hours.padStart(2, '0')}` : timeZoneName;
}

export function formatTime(time: GoTime, layout: string): string {
  const parts = partsOf(time);
  return layout.replace(tokens, (token) => formatToken(token, parts));
}

function formatToken(token: string, parts: Parts): string {
  const hour12 = parts.hour % 12 === 0 ? 12 : parts.hour % 12;
  const simple: Record<string, string> = {
    January: months[parts.month - 1] as string,
    Jan: (months[parts.month - 1] as string).slice(0, 3),
    Monday: days[parts.weekday] as string,
    Mon: (days[parts.weekday] as string).slice(0, 3),
    MST: parts.zone,
    '2006': pad(parts.year, 4),
    '06': pad(parts.year % 100),
    __2: String(parts.yearDay).padStart(3),
    '002': pad(parts.yearDay, 3),
    _2: String(parts.day).padStart(2),
    '02': pad(parts.day),
    '2': String(parts.day),
    '01': pad(parts.month),
    '1': String(parts.month),
    '15': pad(parts.hour),
    '03': pad(hour12),
    '3': String(hour12),
    '04': pad(parts.minute),
    '4': String(parts.minute),
    '05': pad(parts.second),
    '5': String(parts.second),
    PM: parts.hour < 12 ? 'AM' : 'PM',
    pm: parts.hour < 12 ? 'am' : 'pm',
  };
  const found = Object.hasOwn(simple, token) ? simple[token] : undefined;
  if (found !== undefined) return found;
  if (/^[.,]/.test(token)) return fraction(token, parts.nanosecond);
  if (token.startsWith('Z') && parts.offset === 0) return 'Z';
  const minutes = Math.floor(Math.abs(parts.offset) / 60);
  const sign = parts.offset < 0 ? '-' : '+';
  const hours = sign + pad(Math.floor(minutes / 60));
  if (/^.07$/.test(token)) return hours;
  return `${hours}${token.includes(':') ? ':' : ''}${pad(minutes % 60)}`;
}

function fraction(token: string, nanosecond: number): string {
  const digits = pad(nanosecond, 9).slice(0, token.length - 1);
  if (token[1] === '0') return `${token[0]}${digits}`;
  const short = digits.replace(/0+$/, '');
  return short === '' ? '' : `${token[0]}${short}`;
}

const readings: Readonly<Record<string, string>> = {
  January: months.join('|'),
  Jan: months.map((month) => month.slice(0, 3)).join('|'),
  Monday: days.join('|'),
  Mon: days.map((day) => day.slice(0, 3)).join('|'),
  MST: '[A-Z]{3,4}',
  '2006': '\\d{4}',
  __2: '[ \\d]{2}\\d',
  '002': '\\d{3}',
  _2: ' ?\\d{1,2}',
  PM: 'AM|PM',
  pm: 'am|pm',
};

// The time that a text means; undefined where it does not have the layout.
export function parseTime(layout: string, text: string, zone: string): GoTime | undefined {
  const names: string[] = [];
  const group = (token: string, form: string): string => {
    names.push(token);
    return `(${form})`;
  };
  let form = '';
  let from = 0;
  for (const { 0: token, index } of layout.matchAll(tokens)) {
    form += RegExp.escape(layout.slice(from, index));
    from = index + token.length;
    if (/^[.,]9/.test(token)) form += `(?:${group('fraction', '[.,]\\d{1,9}')})?`;
    else if (/^[.,]0/.test(token)) form += group('fraction', `[.,]\\d{${token.length - 1}}`);
    else if (/^[-Z]/.test(token)) form += group('offset', token.startsWith('Z') ? `Z|${signed(token)}` : signed(token));
    else {
      form += group(token, readings[token] ?? (token.length === 1 ? '\\d{1,2}' : '\\d{2}'));
      // A fraction may follow the seconds, even if the layout has none.
      if (/^0?5$/.test(token) && !/^[.,][09]/.test(layout.slice(from))) form += `(?:${group('fraction', '[.,]\\d+')})?`;
    }
  }
  const found = new RegExp(`^${form}${RegExp.escape(layout.slice(from))}$`).exec(text);
  if (!found) return undefined;
  return timeOf(new Map(names.map((name, index) => [name, found[index + 1] ?? ''])), zone);
}

const signed = (token: string): string =>
  token.includes(':') ? '[+-]\\d\\d:\\d\\d' : token.length > 3 ? '[+-]\\d{4}' : '[+-]\\d\\d';

function timeOf(read: ReadonlyMap<string, string>, zone: string): GoTime | undefined {
  const number = (...names: string[]): number | undefined => {
    const name = names.find((one) => read.has(one));
    return name === undefined ? undefined : Number(read.get(name));
  };
  const short = number('06');
  const year = number('2006') ?? (short === undefined ? 0 : short + (short >= 69 ? 1900 : 2000));
  const named = read.get('January') ?? read.get('Jan');
  const month = named === undefined ? (number('01', '1') ?? 1) : months.findIndex((one) => one.startsWith(named)) + 1;
  const yearDay = number('002', '__2');
  const day = yearDay ?? number('02', '_2', '2') ?? 1;
  const half = (read.get('PM') ?? read.get('pm'))?.toUpperCase();
  const hour12 = number('03', '3');
  const hour =
    hour12 === undefined ? (number('15') ?? 0) : half === undefined ? hour12 : (hour12 % 12) + (half === 'PM' ? 12 : 0);
  const [minute, seconds] = [number('04', '4') ?? 0, number('05', '5') ?? 0];
  if (month > 12 || month < 1 || day < 1 || hour > 23 || minute > 59 || seconds > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, yearDay === undefined ? month - 1 : 0, day);
  if (yearDay === undefined && date.getUTCDate() !== day) return undefined;
  const local = date.getTime() / 1000 + hour * 3600 + minute * 60 + seconds;
  const given = read.get('offset');
  const own = given === undefined || given === '' ? zone : given === 'Z' ? 'UTC' : zoneOf(given);
  const offset = offsetOf(own, local - offsetOf(own, local));
  const nanosecond = BigInt((read.get('fraction') ?? '').slice(1, 10).padEnd(9, '0') || '0');
  return new GoTime(BigInt(local - offset) * second + nanosecond, own);
}

const zoneOf = (offset: string): string => `${offset.slice(0, 3)}:${offset.replace(':', '').slice(3) || '00'}`;
