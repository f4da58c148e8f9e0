// The annotations of a result: warnings that it may be misleading, and infos.

import { shortNumber } from './api/number-format.ts';
import { quote } from './syntax/literals.ts';
import { placeOf, type Span } from './syntax/tree.ts';

type Level = 'warning' | 'info';

// The correction of histogram buckets, over all steps and series with the same annotation.
export interface Forced {
  fromMs: number;
  toMs: number;
  lowest: number;
  highest: number;
  difference: number;
  samples: number;
}

interface Note {
  level: Level;
  span: Span;
  forced?: Forced;
}

const shownOfEach = 10;

export class Annotations {
  readonly #notes = new Map<string, Note>(); // each text once, at its first position

  warn(message: string, span: Span): void {
    this.#add({ level: 'warning', span }, `PromQL warning: ${message}`);
  }

  hint(message: string, span: Span, forced?: Forced): void {
    this.#add({ level: 'info', span, ...(forced && { forced }) }, `PromQL info: ${message}`);
  }

  invalidQuantile(value: number, span: Span): void {
    this.warn(`quantile value should be between 0 and 1, got ${shortNumber(value)}`, span);
  }

  texts(level: Level, query: string, most = shownOfEach): string[] {
    const all = [...this.#notes].filter(([, note]) => note.level === level);
    const shown = all.slice(0, most).map(([text, note]) => this.#text(text, note, query));
    if (all.length > most) shown.push(`${all.length - most} more ${level} annotations omitted`);
    return shown;
  }

  #add(note: Note, text: string): void {
    const known = this.#notes.get(text);
    if (!known) this.#notes.set(text, note);
    else if (known.forced && note.forced) known.forced = joined(known.forced, note.forced);
  }

  #text(text: string, { span, forced }: Note, query: string): string {
    return `${text}${forced ? forcedText(forced) : ''} (${placeOf(query, span.from)})`;
  }
}

export function forMetric(message: string, name: string): string {
  return name === '' ? message : `${message} for metric name ${quote(name)}`;
}

function joined(a: Forced, b: Forced): Forced {
  return {
    fromMs: Math.min(a.fromMs, b.fromMs),
    toMs: Math.max(a.toMs, b.toMs),
    lowest: Math.min(a.lowest, b.lowest),
    highest: Math.max(a.highest, b.highest),
    difference: Math.max(a.difference, b.difference),
    samples: a.samples + b.samples,
  };
}

function forcedText({ fromMs, toMs, lowest, highest, difference, samples }: Forced): string {
  const buckets = `from buckets ${shortNumber(lowest)} to ${shortNumber(highest)}`;
  const size = `with a max diff of ${shortNumber(Number(difference.toPrecision(2)))}`;
  return `, ${buckets}, ${size}, over ${samples} samples from ${timeText(fromMs)} to ${timeText(toMs)}`;
}

function timeText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : `${date.toISOString().slice(0, 19)}Z`;
}
