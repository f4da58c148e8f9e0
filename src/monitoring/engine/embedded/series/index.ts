// The reader's inverted index of a tenant's series, in memory: the labels of each series, and the series of each label.
// A name with a value is a pair; a series is a list of pairs, and each pair has a posting list. Series are numbered in
// the order of their ids, so posting lists ascend. The index only grows; when series are deleted, it is rebuilt.
import type { Labels, Matcher } from '../../../series.ts';
import { PackedLabels } from './label-coding.ts';

export type MatcherTest = (matcher: Matcher) => (value: string) => boolean;

// Most pairs have one series, which is stored as a number instead of a list.
type Posting = number | PipelineNumbers;

class PipelineNumbers {
  #data = new Uint32Array(4);
  length = 0;

  push(value: number): void {
    if (this.length === this.#data.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.#data);
      this.#data = grown;
    }
    this.#data[this.length++] = value;
  }

  at(place: number): number {
    return this.#data[place] as number;
  }

  all(): Uint32Array {
    return this.#data.subarray(0, this.length);
  }
}

export class SeriesIndex {
  readonly #test: MatcherTest;
  readonly #names = new Map<string, number>();
  readonly #nameTexts: string[] = [];
  readonly #values: Map<string, number>[] = []; // pairs by value, for each name
  readonly #pairNames = new PipelineNumbers();
  readonly #pairValues: string[] = [];
  readonly #labels: (Labels[number] | undefined)[] = []; // by pair
  readonly #postings: Posting[] = [];
  readonly #ids = new PipelineNumbers();
  readonly #starts = new PipelineNumbers(); // start of each series' pairs
  readonly #pairs = new PipelineNumbers();
  #before: PackedLabels | undefined; // labels of the last added series

  constructor(test: MatcherTest) {
    this.#test = test;
  }

  get size(): number {
    return this.#ids.length;
  }

  idOf(series: number): number {
    return this.#ids.at(series);
  }

  // Adjacent series share most labels, which are not even decoded.
  add(id: number, labels: Uint8Array): void {
    const series = this.#ids.length;
    this.#ids.push(id);
    this.#starts.push(this.#pairs.length);
    const label = new PackedLabels(new Uint8Array(labels));
    const before = this.#before;
    const earlier = series > 0 ? this.#starts.at(series - 1) : 0;
    for (let at = 0; label.next(); at++) {
      const isSame = before?.next() === true && label.equals(before);
      const pair = isSame ? this.#pairs.at(earlier + at) : this.#pairOf(label.name(), label.value());
      this.#pairs.push(pair);
      this.#post(pair, series);
    }
    label.rewind();
    this.#before = label;
  }

  #pairOf(name: string, value: string): number {
    let number = this.#names.get(name);
    if (number === undefined) {
      number = this.#nameTexts.push(name) - 1;
      this.#names.set(name, number);
      this.#values.push(new Map());
    }
    const values = this.#values[number] as Map<string, number>;
    let pair = values.get(value);
    if (pair === undefined) {
      pair = this.#pairValues.push(value) - 1;
      this.#pairNames.push(number);
      this.#labels.push(undefined);
      this.#postings.push(-1);
      values.set(value, pair);
    }
    return pair;
  }

  #post(pair: number, series: number): void {
    const posting = this.#postings[pair] as Posting;
    if (posting === -1) this.#postings[pair] = series;
    else if (typeof posting === 'number') {
      const numbers = new PipelineNumbers();
      numbers.push(posting);
      numbers.push(series);
      this.#postings[pair] = numbers;
    } else posting.push(series);
  }

  labels(series: number): Labels {
    const { from, to } = this.#pairsOf(series);
    const labels: Labels[number][] = [];
    for (let at = from; at < to; at++) labels.push(this.#labelOf(this.#pairs.at(at)));
    return labels;
  }

  // Decoded when it is first needed; most pairs are shared by many series.
  #labelOf(pair: number): Labels[number] {
    let label = this.#labels[pair];
    if (!label) {
      label = [this.#nameTexts[this.#pairNames.at(pair)] as string, this.#pairValues[pair] as string];
      this.#labels[pair] = label;
    }
    return label;
  }

  #pairsOf(series: number): { from: number; to: number } {
    const isLast = series === this.#ids.length - 1;
    return { from: this.#starts.at(series), to: isLast ? this.#pairs.length : this.#starts.at(series + 1) };
  }

  names(series?: Iterable<number>): string[] {
    if (!series) return this.#nameTexts.toSorted();
    const found = new Set<number>();
    for (const one of series) {
      const { from, to } = this.#pairsOf(one);
      for (let at = from; at < to; at++) found.add(this.#pairNames.at(this.#pairs.at(at)));
    }
    return [...found].map((name) => this.#nameTexts[name] as string).sort();
  }

  values(name: string, series?: Iterable<number>): string[] {
    const number = this.#names.get(name);
    if (number === undefined) return [];
    if (!series) return [...(this.#values[number] as Map<string, number>).keys()].sort();
    const found = new Set<number>();
    for (const one of series) found.add(this.#pairWith(one, number));
    found.delete(-1);
    return [...found].map((pair) => this.#pairValues[pair] as string).sort();
  }

  // Returns the series' pair of that name, or -1.
  #pairWith(series: number, name: number): number {
    const { from, to } = this.#pairsOf(series);
    for (let at = from; at < to; at++) {
      const pair = this.#pairs.at(at);
      if (this.#pairNames.at(pair) === name) return pair;
    }
    return -1;
  }

  // Returns the series that all matchers select, ascending. The matcher with the fewest series comes first.
  match(matchers: readonly Matcher[]): Uint32Array {
    const tests = matchers.map((matcher) => this.#prepare(matcher));
    let fewest: Candidates | undefined;
    for (const { candidates } of tests)
      if (candidates && (!fewest || candidates.count < fewest.count)) fewest = candidates;
    const rest = tests.filter(({ candidates }) => !candidates || candidates !== fewest);
    const found = new PipelineNumbers();
    for (const series of fewest ? fewest.list() : this.#every())
      if (rest.every(({ takes }) => takes(series))) found.push(series);
    return found.all();
  }

  *#every(): Generator<number> {
    for (let series = 0; series < this.size; series++) yield series;
  }

  #prepare(matcher: Matcher): { takes(series: number): boolean; candidates?: Candidates } {
    const test = testOf(matcher, this.#test);
    const takesNone = test('');
    const name = this.#names.get(matcher.name);
    if (name === undefined) return takesNone ? { takes: () => true } : { takes: () => false, candidates: none };
    const known = new Map<number, boolean>([[-1, takesNone]]); // each distinct value is matched once
    const takesPair = (pair: number): boolean => {
      let taken = known.get(pair);
      if (taken === undefined) {
        taken = test(this.#pairValues[pair] as string);
        known.set(pair, taken);
      }
      return taken;
    };
    const takes = (series: number): boolean => takesPair(this.#pairWith(series, name));
    return takesNone ? { takes } : { takes, candidates: this.#candidates(matcher, name, takesPair) };
  }

  #candidates({ op, value }: Matcher, name: number, takesPair: (pair: number) => boolean): Candidates {
    const values = this.#values[name] as Map<string, number>;
    const pairs: number[] = [];
    if (op === '=') {
      const pair = values.get(value);
      if (pair !== undefined) pairs.push(pair);
    } else for (const pair of values.values()) if (takesPair(pair)) pairs.push(pair);
    const postings = pairs.map((pair) => this.#postings[pair] as Posting);
    const count = postings.reduce<number>((sum, one) => sum + (typeof one === 'number' ? 1 : one.length), 0);
    return { count, list: () => union(postings, count) };
  }
}

interface Candidates {
  count: number;
  list(): Iterable<number>;
}

const none: Candidates = { count: 0, list: () => [] };

// A series has one value per name, so the lists are disjoint.
function union(postings: readonly Posting[], count: number): Uint32Array {
  const [only] = postings;
  if (postings.length === 1 && only instanceof PipelineNumbers) return only.all();
  const all = new Uint32Array(count);
  let at = 0;
  for (const posting of postings) {
    if (typeof posting === 'number') all[at++] = posting;
    else {
      all.set(posting.all(), at);
      at += posting.length;
    }
  }
  return all.sort();
}

function testOf(matcher: Matcher, pattern: MatcherTest): (value: string) => boolean {
  const { op, value } = matcher;
  if (op === '=') return (text) => text === value;
  if (op === '!=') return (text) => text !== value;
  return pattern(matcher);
}
