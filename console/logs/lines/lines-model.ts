// The lines of a search, newest first: the first page, older pages on demand, and new lines while the search is
// followed. Duplicates are dropped.
import { batch, signal } from '@preact/signals';
import { isAborted } from '../../api.ts';
import type { SeriesAnswer } from '../../plot/plot.ts';
import { askRange, type LinesQuestion, nsOf, type RangeAnswer } from '../loki.ts';
import type { SubmittedSearch } from '../submitted-search.ts';
import { type LogLine, later, linesOf, newestFirst } from './log-line.ts';

export const pageSize = 200;
const mostNew = 1000; // per round
export const mostKept = 50_000;
const mostFollowed = 5000; // while following, older lines are dropped
const overlapNs = 10_000_000_000n; // lines arrive late and out of order

export type AskLines = (
  submitted: SubmittedSearch,
  question: LinesQuestion,
  signal: AbortSignal,
) => Promise<RangeAnswer>;

const askServer: AskLines = ({ source }, question, signal) => askRange(source, question, signal);

export class LinesModel {
  readonly lines = signal<readonly LogLine[]>([]);
  readonly series = signal<readonly SeriesAnswer[] | undefined>(undefined); // if the query counts instead
  readonly isWaiting = signal(true); // for the first page
  readonly isExtending = signal(false);
  readonly isWhole = signal(false); // there are no older lines in this time
  readonly failure = signal<unknown>(undefined);
  readonly #ask: AskLines;
  readonly #keys = new Set<string>();
  #submitted: SubmittedSearch | undefined;
  #loading = new AbortController();

  constructor(ask: AskLines = askServer) {
    this.#ask = ask;
  }

  // False: another search started in the meantime, or this one failed.
  async load(submitted: SubmittedSearch): Promise<boolean> {
    this.#loading.abort();
    const loading = new AbortController();
    this.#loading = loading;
    this.#submitted = submitted;
    this.isWaiting.value = true;
    const { fromS, toS } = submitted.span;
    const times = { startNs: nsOf(fromS), endNs: nsOf(toS) };
    try {
      const answer = await this.#page(submitted, { ...times, direction: 'backward', limit: pageSize }, loading.signal);
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
    const [submitted, oldest, { signal: ending }] = [this.#submitted, this.lines.value.at(-1), this.#loading];
    if (!submitted || !oldest || this.isWhole.value || this.isExtending.value || this.isWaiting.value) return;
    this.isExtending.value = true;
    try {
      // The page may lack other lines of the same moment.
      let found = await this.#older(submitted, later(oldest.timeNs, 1n), ending);
      if (found.isFull && found.fresh.length === 0) found = await this.#older(submitted, oldest.timeNs, ending);
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

  // Loads lines that arrived since, and returns their number.
  async loadNewer(nowS: number): Promise<number> {
    const [submitted, { signal: ending }] = [this.#submitted, this.#loading];
    if (!submitted || this.isWaiting.value || this.series.value) return 0;
    const newest = this.lines.value[0];
    const fromNs = nsOf(submitted.span.fromS);
    const startNs = newest ? later(newest.timeNs, -overlapNs) : fromNs;
    const question = { startNs, endNs: nsOf(nowS + 1), direction: 'backward', limit: mostNew } as const;
    const fresh = this.#fresh(await this.#page(submitted, question, ending));
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

  async #older(
    submitted: SubmittedSearch,
    endNs: string,
    ending: AbortSignal,
  ): Promise<{ fresh: LogLine[]; isFull: boolean }> {
    const times = { startNs: nsOf(submitted.span.fromS), endNs };
    const answer = await this.#page(submitted, { ...times, direction: 'backward', limit: pageSize }, ending);
    return { fresh: this.#fresh(answer), isFull: countOf(answer) >= pageSize };
  }

  #page(
    submitted: SubmittedSearch,
    question: Omit<LinesQuestion, 'query' | 'stepS'>,
    ending: AbortSignal,
  ): Promise<RangeAnswer> {
    return this.#ask(submitted, { ...question, query: submitted.query, stepS: submitted.stepS }, ending);
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
