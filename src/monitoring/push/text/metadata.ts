// The # TYPE, # HELP and # UNIT lines of a text: each once per metric, and before its samples.

import { short } from '../../../core/push/text.ts';
import { type Described, type MetricType, metricTypes } from '../../series.ts';
import type { Sink } from '../sink.ts';
import { type Lines, pairsOf, unescaped } from './line.ts';

type Kind = keyof typeof bits;
const bits = { TYPE: 1, HELP: 2, UNIT: 4 };

interface Family extends Described {
  said: number; // a bit for each kind of line seen
}

// A limit against hostile texts, which would take a hundred times their size in memory.
export const mostFamilies = 50_000;

export class Families {
  readonly #families = new Map<string, Family>();
  readonly #sampled = new Set<string>();

  // Quoted names are not checked, because they would have to be decoded for every sample.
  sampled(line: Lines): void {
    const { bytes } = line;
    let to = line.at;
    while (to < line.end && isNameByte(bytes[to] as number)) to++;
    if (to > line.at && this.#sampled.size < mostFamilies) this.#sampled.add(bytes.toString('latin1', line.at, to));
  }

  // The cursor is after the kind.
  read(line: Lines, kind: Kind): void {
    line.skipBlanks();
    const name = nameAt(line);
    const family = this.#of(line, name);
    if (family.said & bits[kind]) line.fail(`a second ${kind} line for ${short(name)}`);
    if (kind === 'TYPE' && this.#sampled.has(name)) line.fail(`the TYPE of ${short(name)} comes after its samples`);
    family.said |= bits[kind];
    line.skipBlanks();
    const text = line.rest();
    if (kind === 'TYPE') family.type = typeOf(line, text.trim());
    else if (kind === 'HELP') family.help = unescaped(text);
    else family.unit = text.trim();
  }

  tell(sink: Sink): void {
    for (const { name, type, help, unit } of this.#families.values()) sink.describe({ name, type, help, unit });
  }

  #of(line: Lines, name: string): Family {
    const known = this.#families.get(name);
    if (known) return known;
    if (this.#families.size >= mostFamilies) line.fail(`the push describes more than ${mostFamilies} metrics`);
    const family: Family = { name, type: 'unknown', help: '', unit: '', said: 0 };
    this.#families.set(name, family);
    return family;
  }
}

function nameAt(line: Lines): string {
  const from = line.at;
  if (line.bytes[from] === 0x22 && from < line.end) return quotedName(line);
  const word = line.word();
  const [pair, ...more] = pairsOf(line, word);
  if (!pair || more.length > 0 || pair[1] !== word) line.fail(`${short(word)} is not the name of a metric`);
  return word;
}

function quotedName(line: Lines): string {
  const from = line.at;
  let to = from + 1;
  while (to < line.end && line.bytes[to] !== 0x22) to += line.bytes[to] === 0x5c ? 2 : 1;
  if (to >= line.end) line.fail('a quote is not closed');
  line.at = to + 1;
  const name = unescaped(line.bytes.toString('utf8', from + 1, to));
  return name === '' ? line.fail('a metric has no name') : name;
}

function typeOf(line: Lines, word: string): MetricType {
  if (word === 'untyped') return 'unknown';
  return metricTypes.find((type) => type === word) ?? line.fail(`${short(word)} is not a type of metric`);
}

// Letters, digits, underscore and colon.
const isNameByte = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x30 && byte <= 0x3a) || byte === 0x5f;
