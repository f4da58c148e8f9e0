// The lines of a search, newest first: the first page at once, older ones when they are asked for, and new ones while
// the search is followed. A line that comes twice is kept once.
import { batch, signal } from '@preact/signals';
import { isAborted } from '../../api.ts';
import type { SeriesAnswer } from '../../plot/plot.ts';
import type { Asked } from '../asked.ts';
import { askRange, type LinesQuestion, nsOf, type RangeAnswer } from '../loki.ts';
import { type LogLine, later, linesOf, newestFirst } from './log-line.ts';

export const pageSize = 200;
const mostNew = 1000; // of one round
export const mostKept = 50_000;
const mostFollowed = 5000; // while the search is followed, older ones are dropped
const overlapNs = 10_000_000_000n; // lines arrive late and out of order

export type AskLines = (asked: Asked, question: LinesQuestion, signal: AbortSignal) => Promise<RangeAnswer>;

const askServer: AskLines = ({ source }, question, signal) => askRange(source, question, signal);

export class LinesModel {
  readonly lines = signal<readonly LogLine[]>([]);
  readonly series = signal<readonly SeriesAnswer[] | undefined>(undefined); // the query counts instead
  readonly isWaiting = signal(true); // for the first page
  readonly isExtending = signal(false);
  readonly isWhole = signal(false); // there are no older ones in this time
  readonly failure = signal<unknown>(undefined);
  readonly #ask: AskLines;
  readonly #keys = new Set<string>();
  #asked: Asked | undefined;
  #loading = new AbortController();

  constructor(ask: AskLines = askServer) {
    this.#ask = ask;
  }

  // False: another search has begun meanwhile, or this one failed.
  async load(asked: Asked): Promise<boolean> {
    this.#loading.abort();
    const loading = new AbortController();
    this.#loading = loading;
    this.#asked = asked;
    this.isWaiting.value = true;
    const { fromS, toS } = asked.span;
    const times = { startNs: nsOf(fromS), endNs: nsOf(toS) };
    try {
      const answer = await this.#page(asked, { ...times, direction: 'backward', limit: pageSize }, loading.signal);
      if (loading.signal.aborted) return false;
      batch(() => this.#show(answer));
      return true;
    } catch (error) {
      if (loading.signal.aborted || isAborted(error)) return false;
      batch(() => {
        this.#clear();
        this.failure.value = error;
      });
      return false;
    }
  }

  async loadOlder(): Promise<void> {
    const [asked, oldest, { signal: ending }] = [this.#asked, this.lines.value.at(-1), this.#loading];
    if (!asked || !oldest || this.isWhole.value || this.isExtending.value || this.isWaiting.value) return;
    this.isExtending.value = true;
    try {
      // Others of the same moment may not have been in the page.
      let found = await this.#older(asked, later(oldest.timeNs, 1n), ending);
      if (found.isFull && found.fresh.length === 0) found = await this.#older(asked, oldest.timeNs, ending);
      if (ending.aborted) return;
      const lines = [...this.lines.value, ...found.fresh];
      batch(() => {
        this.lines.value = lines;
        this.isWhole.value = !found.isFull || lines.length >= mostKept;
      });
    } catch (error) {
      if (!ending.aborted) this.failure.value = error;
    } finally {
      this.isExtending.value = false;
    }
  }

  // What has arrived since; the number of new lines.
  async loadNewer(nowS: number): Promise<number> {
    const [asked, { signal: ending }] = [this.#asked, this.#loading];
    if (!asked || this.isWaiting.value || this.series.value) return 0;
    const newest = this.lines.value[0];
    const fromNs = nsOf(asked.span.fromS);
    const startNs = newest ? later(newest.timeNs, -overlapNs) : fromNs;
    const question = { startNs, endNs: nsOf(nowS + 1), direction: 'backward', limit: mostNew } as const;
    const fresh = this.#fresh(await this.#page(asked, question, ending));
    if (ending.aborted || fresh.length === 0) return 0;
    const lines = [...this.lines.value, ...fresh].sort(newestFirst);
    const kept = lines.slice(0, mostFollowed);
    for (const { key } of lines.slice(mostFollowed)) this.#keys.delete(key);
    batch(() => {
      this.lines.value = kept;
      if (kept.length < lines.length) this.isWhole.value = false;
    });
    return fresh.length;
  }

  close(): void {
    this.#loading.abort();
  }

  async #older(asked: Asked, endNs: string, ending: AbortSignal): Promise<{ fresh: LogLine[]; isFull: boolean }> {
    const times = { startNs: nsOf(asked.span.fromS), endNs };
    const answer = await this.#page(asked, { ...times, direction: 'backward', limit: pageSize }, ending);
    return { fresh: this.#fresh(answer), isFull: countOf(answer) >= pageSize };
  }

  #page(asked: Asked, question: Omit<LinesQuestion, 'query' | 'stepS'>, ending: AbortSignal): Promise<RangeAnswer> {
    return this.#ask(asked, { ...question, query: asked.query, stepS: asked.stepS }, ending);
  }

  #fresh(answer: RangeAnswer): LogLine[] {
    if (answer.resultType !== 'streams') return [];
    const fresh = linesOf(answer.result).filter(({ key }) => !this.#keys.has(key));
    for (const { key } of fresh) this.#keys.add(key);
    return fresh;
  }

  #show(answer: RangeAnswer): void {
    this.#clear();
    if (answer.resultType === 'matrix') this.series.value = answer.result;
    else this.lines.value = this.#fresh(answer);
    this.isWhole.value = countOf(answer) < pageSize;
  }

  #clear(): void {
    this.#keys.clear();
    this.lines.value = [];
    this.series.value = undefined;
    this.failure.value = undefined;
    this.isWaiting.value = false;
    this.isWhole.value = true;
  }
}

const countOf = (answer: RangeAnswer): number =>
  answer.resultType === 'streams' ? answer.result.reduce((sum, { values }) => sum + values.length, 0) : 0;
