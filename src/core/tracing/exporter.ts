// Sends spans to a collector by OTLP over HTTP, in batches. The queue is bounded and nothing waits for it: if the
// collector does not accept spans, they are dropped and counted.
import { setTimeout as pause } from 'node:timers/promises';
import { machineTime } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { counter, type Figures, gauge } from '../figures.ts';
import { otlpJson, rejectedSpans } from './otlp.ts';
import type { Attributes, Span, SpanSink } from './span.ts';

const batchSize = 512;
const mostQueued = 16 * batchSize;
const batchMs = 1000;
const answerMs = 10_000;
const retryPausesMs = [500, 1000, 2000];
const temporary = [429, 502, 503, 504]; // by the specification of OTLP
const closeMs = 2000;
const clockStepMs = 50; // the machine's clock was set, or the machine was suspended

export const traceFigures = {
  exported: counter('Spans that the collector accepted.'),
  dropped: counter('Spans that were dropped: the queue was full, or the collector did not accept them.'),
  queued: gauge('Spans that wait for their export.'),
};

export interface ExporterOptions {
  url: string;
  resource(): Attributes;
  log: Log;
}

export class SpanExporter implements SpanSink {
  readonly #options: ExporterOptions;
  readonly #closing = new AbortController(); // no more retries
  readonly #closed = new AbortController(); // no more calls
  #queue: Span[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #epochMs = performance.timeOrigin;
  #isFailing = false;
  #exported = 0;
  #dropped = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  figures(): Figures<typeof traceFigures> {
    return { exported: this.#exported, dropped: this.#dropped, queued: this.#queue.length };
  }

  add(span: Span): void {
    if (this.#queue.length >= mostQueued || this.#closing.signal.aborted) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= batchSize) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), batchMs).unref();
  }

  // Sends the rest, as far as the collector accepts it in time.
  async close(): Promise<void> {
    this.#closing.abort();
    const timer = setTimeout(() => this.#closed.abort(), closeMs);
    await this.#sending;
    while (this.#queue.length > 0) await this.#sendBatch();
    clearTimeout(timer);
    clearTimeout(this.#timer);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendBatches().finally(() => {
      this.#sending = undefined;
      if (this.#queue.length > 0) this.#timer ??= setTimeout(() => this.#flush(), batchMs).unref();
    });
  }

  async #sendBatches(): Promise<void> {
    do await this.#sendBatch();
    while (this.#queue.length >= batchSize);
  }

  async #sendBatch(): Promise<void> {
    const spans = this.#queue.splice(0, batchSize);
    const body = otlpJson(spans, this.#options.resource(), this.#epoch());
    for (const pauseMs of [...retryPausesMs, undefined]) {
      const { rejected, problem, isTemporary } = await this.#post(body);
      if (rejected !== undefined) return this.#noteSuccess(spans.length, rejected);
      if (!isTemporary || pauseMs === undefined || this.#closing.signal.aborted)
        return this.#noteFailure(spans.length, problem);
      await pause(pauseMs, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  async #post(body: string): Promise<{ rejected?: number; problem?: string; isTemporary?: boolean }> {
    try {
      const answer = await fetch(this.#options.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(answerMs), this.#closed.signal]),
      });
      const text = await answer.text();
      if (answer.ok) return { rejected: rejectedSpans(text) };
      return { problem: `It answered ${answer.status}.`, isTemporary: temporary.includes(answer.status) };
    } catch (error) {
      return { problem: reasonOf(error as Error), isTemporary: true };
    }
  }

  #noteSuccess(count: number, rejected: number): void {
    this.#exported += count - rejected;
    this.#dropped += rejected;
    if (this.#isFailing) this.#options.log.info('traces are exported again', { dropped: this.#dropped });
    this.#isFailing = false;
  }

  #noteFailure(count: number, why: string | undefined): void {
    this.#dropped += count;
    if (!this.#isFailing) this.#options.log.warn('traces can not be exported', { to: this.#options.url, why });
    this.#isFailing = true;
  }

  // The monotonic clock gives durations and the order of spans; it is compared with the machine's time now and then.
  #epoch(): number {
    const epochMs = machineTime() - performance.now();
    if (Math.abs(epochMs - this.#epochMs) > clockStepMs) this.#epochMs = epochMs;
    return this.#epochMs;
  }
}

// Without its stack: the first stack of a process delays all calls, because its source map is parsed.
const reasonOf = ({ message, cause }: Error): string =>
  (cause as NodeJS.ErrnoException | undefined)?.code ?? (cause as Error | undefined)?.message ?? message;
