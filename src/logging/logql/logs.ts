// Evaluates log queries: lines that pass the pipeline, newest or oldest first, up to a limit.
import type { Labels, LogReader } from '../engine/engine.ts';
import { type LabelSet, labelSet } from './label-set.ts';
import { mergedLines } from './merged-lines.ts';
import { Pace } from './pace.ts';
import { containedWords, splitFilters } from './pipeline/line-filters.ts';
import { LineLabels } from './pipeline/line-labels.ts';
import { applyStages, compilePipeline, type Pipeline } from './pipeline/pipeline.ts';
import type { LogExpr } from './syntax/tree.ts';

export interface LogQueryOptions {
  tenant: string;
  fromNs: bigint; // included
  toNs: bigint; // not included
  direction: 'forward' | 'backward';
  limit: number;
  mostCharacters?: number; // of lines and their labels: the line that exceeds it is the last one
  intervalNs?: bigint; // minimum distance of two lines; 0: all lines
  isCategorized?: boolean; // metadata and parsed labels belong to each line instead of the stream
  signal?: AbortSignal;
}

export interface ResultLine {
  timeNs: bigint;
  line: string;
  metadata?: LabelSet;
  parsed?: LabelSet;
}

export interface ResultStream extends LabelSet {
  lines: ResultLine[];
}

export async function evaluateLogs(
  reader: LogReader,
  { matchers, stages }: LogExpr,
  options: LogQueryOptions,
): Promise<ResultStream[]> {
  const { tenant, fromNs, toNs, direction, limit, mostCharacters = Infinity, intervalNs = 0n, signal } = options;
  const { test, rest } = splitFilters(stages);
  const pipeline = compilePipeline(rest);
  const streams = new ResultStreams(pipeline, options.isCategorized ?? false);
  const pace = new Pace(signal);
  pace.check();
  const isForward = direction === 'forward';
  let last: bigint | undefined;
  const contains = containedWords(stages);
  for await (const piece of reader.select({ tenant, matchers, fromNs, toNs, direction, contains })) {
    for (const { stream, index } of mergedLines(piece, isForward, test)) {
      const timeNs = stream.times[index] as bigint;
      const isTooNear = last !== undefined && (isForward ? timeNs < last + intervalNs : timeNs > last - intervalNs);
      if (intervalNs > 0n && isTooNear) continue;
      if (!streams.add(stream.labels, stream.metadata?.[index], stream.lines[index] as string, timeNs)) {
        if (pace.isDue) await pace.rest();
        continue;
      }
      last = timeNs;
      if (streams.count >= limit || streams.characters > mostCharacters) return streams.list();
      if (pace.isDue) await pace.rest();
    }
    pace.check();
  }
  return streams.list();
}

// Groups lines by their final labels.
export class ResultStreams {
  readonly #pipeline: Pipeline;
  readonly #isCategorized: boolean;
  readonly #labels = new LineLabels();
  readonly #streams = new Map<string, ResultStream>();
  readonly #plain = new Map<Labels, ResultStream>(); // by the labels of a stream that the pipeline does not change
  count = 0;
  characters = 0;

  constructor(pipeline: Pipeline, isCategorized: boolean) {
    this.#pipeline = pipeline;
    this.#isCategorized = isCategorized;
  }

  // Returns false if the pipeline drops the line.
  add(base: Labels, metadata: Labels | undefined, given: string, timeNs: bigint): boolean {
    const labels = this.#labels;
    labels.reset(base, metadata);
    const line = applyStages(this.#pipeline, given, labels, timeNs);
    if (line === undefined) return false;
    this.count++;
    this.characters += line.length;
    if (labels.isPlain && labels.errorDetails === '') this.#plainStream(base).lines.push({ timeNs, line });
    else if (this.#isCategorized) {
      const stream = this.#stream(labelSet(labels.streamEntries()));
      const own = { metadata: labelSet(labels.metadataEntries()), parsed: labelSet(labels.parsedEntries()) };
      this.characters += own.metadata.key.length + own.parsed.key.length;
      stream.lines.push({ timeNs, line, ...own });
    } else this.#stream(labelSet(labels.entries())).lines.push({ timeNs, line });
    return true;
  }

  list(): ResultStream[] {
    return [...this.#streams.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #plainStream(base: Labels): ResultStream {
    let stream = this.#plain.get(base);
    if (!stream) {
      stream = this.#stream(labelSet(Object.entries(base)));
      this.#plain.set(base, stream);
    }
    return stream;
  }

  #stream(set: LabelSet): ResultStream {
    let stream = this.#streams.get(set.key);
    if (!stream) {
      stream = { ...set, lines: [] };
      this.characters += set.key.length;
      this.#streams.set(set.key, stream);
    }
    return stream;
  }
}
