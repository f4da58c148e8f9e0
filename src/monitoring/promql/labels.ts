// Operations on labels during evaluation. Labels are sorted by name and never changed in place.
import type { Labels } from '../series.ts';
import { quote } from './syntax/literals.ts';

export const noLabels: Labels = [];
export const metricName = '__name__';

// The labels that describe the metric itself: operations that change its meaning remove them.
const describing: ReadonlySet<string> = new Set([metricName, '__type__', '__unit__']);

export function labelOf(labels: Labels, name: string): string {
  for (const [key, value] of labels) if (key === name) return value;
  return '';
}

export function withoutName(labels: Labels): Labels {
  return labels.some(([name]) => describing.has(name)) ? labels.filter(([name]) => !describing.has(name)) : labels;
}

export function keepLabels(labels: Labels, names: ReadonlySet<string>): Labels {
  return labels.filter(([name]) => names.has(name));
}

export function dropLabels(labels: Labels, names: ReadonlySet<string>): Labels {
  return labels.filter(([name]) => !names.has(name));
}

// An empty value means that the label is absent.
export function withLabel(labels: Labels, name: string, value: string): Labels {
  const others = labels.filter(([key]) => key !== name);
  if (value === '') return others;
  const at = others.findIndex(([key]) => key > name);
  return others.toSpliced(at < 0 ? others.length : at, 0, [name, value]);
}

// A unique key of labels: the separator does not occur in valid names or values.
const gap = '\xff\u0000';

export function keyOf(labels: Labels): string {
  let key = '';
  for (const [name, value] of labels) key += name + gap + value + gap;
  return key;
}

// The key by which series are grouped or matched: the values of some labels, or of all but some.
export function keyFunction(names: readonly string[], isWithout: boolean): (labels: Labels) => string {
  const key = new Key(names, isWithout);
  return (labels) => key.of(labels);
}

// A method instead of a closure, so that it is compiled once for all queries.
class Key {
  readonly #names: ReadonlySet<string>;
  readonly #isWithout: boolean;

  constructor(names: readonly string[], isWithout: boolean) {
    this.#names = new Set(isWithout ? [...names, metricName] : names);
    this.#isWithout = isWithout;
  }

  of(labels: Labels): string {
    let key = '';
    for (let at = 0; at < labels.length; at++) {
      const [name, value] = labels[at] as Labels[number];
      if (this.#names.has(name) !== this.#isWithout) key += name + gap + value + gap;
    }
    return key;
  }
}

export function labelsText(labels: Labels): string {
  return `{${labels.map(([name, value]) => `${name}=${quote(value)}`).join(', ')}}`;
}

// An evenly distributed number from 0 to 1 that depends on the labels alone: FNV, then mixed.
export function shareOf(labels: Labels): number {
  let hash = 0x9747b28c;
  for (const byte of Buffer.from(keyOf(labels))) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
