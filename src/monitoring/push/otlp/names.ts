// Translates the names of OpenTelemetry's metrics, units and attributes like Prometheus, so that dashboards work with
// both. `http.server.duration` in `ms` is http_server_duration_milliseconds.

export type Suffix = 'total' | 'ratio' | undefined;

const units: Record<string, string> = {
  d: 'days',
  h: 'hours',
  min: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
  By: 'bytes',
  KiBy: 'kibibytes',
  MiBy: 'mebibytes',
  GiBy: 'gibibytes',
  TiBy: 'tebibytes',
  kBy: 'kilobytes',
  KBy: 'kilobytes',
  MBy: 'megabytes',
  GBy: 'gigabytes',
  TBy: 'terabytes',
  m: 'meters',
  V: 'volts',
  A: 'amperes',
  J: 'joules',
  W: 'watts',
  g: 'grams',
  Cel: 'celsius',
  Hz: 'hertz',
  '1': '',
  '%': 'percent',
};

const perUnits: Record<string, string> = {
  s: 'second',
  m: 'minute',
  min: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year',
};

// Empty if no character of the name is valid.
export function metricName(name: string, unit: string, suffix: Suffix): string {
  let words = wordsOf(name);
  const { main, per } = unitWords(unit);
  if (main !== '' && !words.includes(main)) words.push(main);
  if (per !== '' && !words.includes(per)) words.push(per);
  if (words.length === 0) return '';
  if (suffix) words = [...words.filter((word) => word !== suffix), suffix];
  const joined = words.join('_');
  return /^\d/.test(joined) ? `_${joined}` : joined;
}

export function unitName(unit: string): string {
  const { main, per } = unitWords(unit);
  return [main, per].filter((word) => word !== '').join('_');
}

export function labelName(key: string): string {
  const name = key.replace(/[^a-zA-Z0-9_]/g, '_');
  if (/^\d/.test(name)) return `key_${name}`;
  return /^_(?!_)/.test(name) ? `key${name}` : name;
}

const wordsOf = (name: string): string[] => name.split(/[^a-zA-Z0-9:]+/).filter((word) => word !== '');

// `By/s` is bytes, per_second. Text in braces is a remark, not a unit.
function unitWords(unit: string): { main: string; per: string } {
  const slash = unit.indexOf('/');
  const above = (slash < 0 ? unit : unit.slice(0, slash)).trim();
  const below = slash < 0 ? '' : unit.slice(slash + 1).trim();
  const per = word(below, perUnits);
  return { main: word(above, units), per: per === '' ? '' : `per_${per}` };
}

function word(unit: string, names: Record<string, string>): string {
  if (/[{}]/.test(unit)) return '';
  const name = Object.hasOwn(names, unit) ? (names[unit] as string) : unit;
  return wordsOf(name).join('_');
}
