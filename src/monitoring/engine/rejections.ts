// Counts the refused samples of a push, with a few reasons, each with a series and a value. All engines use it, so that
// limits are the same everywhere.
import { iso } from '../../base/clock.ts';
import type { Labels } from '../series.ts';
import type { Pushed, PushLimits } from './engine.ts';

const mostReasons = 3;

export class Rejections {
  #count = 0;
  #refused = 0; // refused samples because of a limit
  readonly #reasons = new Set<string>();
  readonly #refusals: string[] = [];

  reject(count: number, why: string): void {
    this.#count += count;
    if (this.#reasons.size < mostReasons) this.#reasons.add(why);
  }

  // Returns a handle for a refused series, whose samples are counted as they arrive.
  refuse(why: string): number {
    if (this.#refusals.length < mostReasons) this.#refusals.push(why);
    return -1 - this.#refusals.length;
  }

  refusedSample(handle: number): void {
    this.#refused += 1;
    this.reject(1, this.#refusals[-2 - handle] ?? 'a series was refused');
  }

  outOfTime(timeMs: number, { oldestMs, newestMs }: PushLimits, show: () => string): void {
    if (this.#reasons.size >= mostReasons) {
      this.reject(1, '');
      return;
    }
    const why =
      timeMs > newestMs
        ? `which is in the future (the latest allowed time is ${timeText(newestMs)})`
        : `which is older than the retention (${timeText(oldestMs)})`;
    this.reject(1, `a sample of ${show()} has the time ${timeText(timeMs)}, ${why}`);
  }

  outcome(samples: number): Pushed {
    const reasons = [...this.#reasons];
    const outcome: Pushed = { samples, rejected: this.#count, reasons };
    if (samples === 0 && this.#refused > 0 && this.#refused === this.#count)
      outcome.fault = { kind: 'limit', message: reasons.join('; ') };
    return outcome;
  }
}

const timeText = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? iso(Math.floor(ms)) : `${ms} ms`);

// Returns why a series with these labels is refused, regardless of the number of series.
export function refusalOf(labels: Labels, limits: PushLimits): string | undefined {
  if (labels.length > limits.labels)
    return `${shownLabels(labels)} has ${labels.length} labels, ${limits.labels} are allowed`;
  for (const [name, value] of labels) {
    // A character has at most three bytes, so most labels need no exact count.
    if (name.length * 3 > limits.nameBytes && Buffer.byteLength(name) > limits.nameBytes)
      return `a label name of ${shownLabels(labels)} has more than ${limits.nameBytes} bytes`;
    if (value.length * 3 > limits.valueBytes && Buffer.byteLength(value) > limits.valueBytes)
      return `the label ${short(name)} of ${shownLabels(labels)} has more than ${limits.valueBytes} bytes`;
  }
  return undefined;
}

export function tooMany(labels: Labels, { series, accountSeries }: PushLimits, isOfAccount: boolean): string {
  const most = isOfAccount
    ? `the pipelines of the contract have ${accountSeries} series, which is the limit`
    : `the pipeline has ${series} series, which is the limit`;
  return `${most}: ${shownLabels(labels)} was refused`;
}

// In the syntax of a query: name{label="value", …}
export function shownLabels(labels: Labels): string {
  const name = labels.find(([label]) => label === '__name__')?.[1] ?? '';
  const rest = labels.filter(([label]) => label !== '__name__').slice(0, 4);
  const more = labels.length - rest.length > (name === '' ? 0 : 1) ? ', …' : '';
  const pairs = rest.map(([label, value]) => `${short(label)}=${JSON.stringify(short(value))}`);
  return `${short(name)}{${pairs.join(', ')}${more}}`;
}

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
