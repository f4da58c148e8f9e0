// Grafana's units and colours in this console.
import type { Unit } from '../../../plot/units.ts';
import type { ThresholdColour } from '../../plot/panel-settings.ts';

const units: Readonly<Record<string, Unit>> = {
  percent: 'percent',
  percentunit: 'ratio',
  bytes: 'bytes',
  decbytes: 'bytes',
  Bps: 'byteRate',
  binBps: 'byteRate',
  decBps: 'byteRate',
  bps: 'bitRate',
  binbps: 'bitRate',
  decbps: 'bitRate',
  s: 'seconds',
  dtdurations: 'seconds',
  ms: 'milliseconds',
  dtdurationms: 'milliseconds',
  celsius: 'celsius',
  reqps: 'rate',
  ops: 'rate',
  pps: 'rate',
  cps: 'rate',
  eps: 'rate',
  rps: 'rate',
  wps: 'rate',
  iops: 'rate',
  mps: 'rate',
};

export const unitOfGrafana = (unit: string): Unit | 'auto' => (unit === '' ? 'auto' : (units[unit] ?? 'number'));

const named: readonly [words: RegExp, colour: ThresholdColour][] = [
  [/green/, 'good'],
  [/yellow|orange/, 'warning'],
  [/red/, 'danger'],
  [/blue|purple/, 'accent'],
];

// By name, or by the hue of `#rrggbb` and `rgb(…)`.
export function colourOfGrafana(text: string): ThresholdColour {
  const found = named.find(([words]) => words.test(text))?.[1];
  if (found) return found;
  const [red, green, blue] = rgbOf(text);
  if (red === undefined || green === undefined || blue === undefined) return 'quiet';
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  if (most - least < 30) return 'quiet';
  if (most === blue) return 'accent';
  if (most === green) return 'good';
  return green - least > (most - least) / 3 ? 'warning' : 'danger';
}

function rgbOf(text: string): number[] {
  const hex = /^#([0-9a-f]{6})/i.exec(text)?.[1];
  if (hex !== undefined) return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return /^rgba?\(/.test(text) ? (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number) : [];
}
