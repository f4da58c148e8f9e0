// Turns lines into samples: each line that passes the pipeline counts as one, as its bytes, or as the value of a label,
// and belongs to a series with the labels that the query keeps.
import type { Labels, StreamLines } from '../../engine/engine.ts';
import { keyPart, type LabelSet, labelSet, noLabels } from '../label-set.ts';
import { hintsOf } from '../pipeline/hints.ts';
import { type LabelTest, labelsOfFilter, labelTest } from '../pipeline/label-filters.ts';
import { splitFilters } from '../pipeline/line-filters.ts';
import { LineLabels } from '../pipeline/line-labels.ts';
import { applyStages, compilePipeline } from '../pipeline/pipeline.ts';
import type { Grouping, RangeExpr, Stage, Unwrap } from '../syntax/tree.ts';
import { parseBytes, parseFloat64, parseGoDuration, secondsOf, UnitError } from '../syntax/units.ts';

export interface Extractor {
  // Extracts the sample of one line: true if there is one, which is then in `value` and `series`.
  extract(stream: StreamLines, index: number): boolean;
  value: number;
  series: LabelSet;
}

const sampleError = 'SampleExtractionErr';

// `outer` is the grouping of a sum around the range, which is applied to single lines if possible.
export function createExtractor(expr: RangeExpr, outer: Grouping | undefined): Extractor {
  const { op, unwrap } = expr;
  const grouping = outer ?? expr.grouping;
  const isBytes = op === 'bytes_over_time' || op === 'bytes_rate';
  const { test, rest } = splitFilters(neededStages(expr.logs.stages, isBytes));
  const pipeline = compilePipeline(rest);
  const converted = unwrap && createConversion(unwrap);
  let groups = grouping?.labels ?? [];
  let isWithout = grouping?.isWithout ?? false;
  const hasNoLabels = op === 'absent_over_time' || (grouping !== undefined && groups.length === 0 && !isWithout);
  if (unwrap && (groups.length === 0 || isWithout)) {
    isWithout = true;
    groups = [...groups, unwrap.label];
  }
  const hints = hintsOf({
    required: [...pipeline.required, ...(unwrap?.filters.flatMap(labelsOfFilter) ?? [])],
    groups,
    isWithout,
    hasNoLabels,
    ...(unwrap && { unwrapped: unwrap.label }),
    filters: pipeline.filters,
  });
  const labels = new LineLabels(hints);
  const grouped = createGrouping(labels, new Set(groups), isWithout, hasNoLabels);
  const extractor: Extractor = {
    value: 1,
    series: noLabels,
    extract(stream, index) {
      const given = stream.lines[index] as string;
      if (!test(given)) return false;
      labels.reset(stream.labels, stream.metadata?.[index]);
      const line = applyStages(pipeline, given, labels, stream.times[index] as bigint);
      if (line === undefined) return false;
      if (converted) {
        const value = converted(labels);
        if (value === undefined) return false;
        extractor.value = value;
      } else if (isBytes) extractor.value = Buffer.byteLength(line);
      extractor.series = grouped();
      return true;
    },
  };
  return extractor;
}

// Formatting a line is unnecessary if nothing reads it.
function neededStages(stages: readonly Stage[], isBytes: boolean): Stage[] {
  if (isBytes) return [...stages];
  const readers = new Set<Stage['kind']>(['lineFilter', 'json', 'logfmt', 'regexp', 'pattern', 'unpack']);
  return stages.filter(
    (stage, index) => stage.kind !== 'lineFormat' || stages.slice(index).some(({ kind }) => readers.has(kind)),
  );
}

const conversions = {
  number: parseFloat64,
  bytes: parseBytes,
  duration: (text: string): number => secondsOf(parseGoDuration(text)),
};

// Returns the value of the unwrapped label; undefined if the line has none or a filter drops it.
function createConversion({ label, conversion, filters }: Unwrap): (labels: LineLabels) => number | undefined {
  const kind = conversion === 'bytes' ? 'bytes' : conversion === undefined ? 'number' : 'duration';
  const convert = conversions[kind];
  const tests: LabelTest[] = filters.map(labelTest);
  return (labels) => {
    const text = labels.get(label);
    if (text === undefined || text === '') return undefined;
    let value = 0;
    try {
      value = convert(text);
    } catch (error) {
      if (!(error instanceof UnitError)) throw error;
      labels.error = sampleError;
      labels.errorDetails = error.message;
    }
    return tests.every((test) => test(labels)) ? value : undefined;
  };
}

const mostKnown = 100_000;

// The labels of a line's series. Unchanged lines share the labels computed for their stream; a line with an error keeps
// all labels, so that the error is visible.
function createGrouping(
  labels: LineLabels,
  groups: ReadonlySet<string>,
  isWithout: boolean,
  hasNoLabels: boolean,
): () => LabelSet {
  const ofStreams = new Map<Labels, LabelSet>();
  const known = new Map<string, LabelSet>();
  const interned = (set: LabelSet): LabelSet => {
    const found = known.get(set.key);
    if (found) return found;
    if (known.size < mostKnown) known.set(set.key, set);
    return set;
  };
  const names = [...groups].sort();
  // For a few names the key consists of their values, and the set is created only for new keys.
  const ofNames = (): LabelSet => {
    let key = '';
    for (const name of names) {
      const value = labels.get(name);
      if (value !== undefined) key += keyPart(name, value);
    }
    const found = known.get(key);
    if (found) return found;
    return interned(labelSet(names.flatMap((name) => pairOf(name, labels.get(name)))));
  };
  const ofAll = (): LabelSet => interned(labelSet(labels.entries().filter(([name]) => !groups.has(name))));
  const ofLine = groups.size === 0 || isWithout ? ofAll : ofNames;
  return () => {
    if (labels.error !== '') return interned(labelSet(labels.entries()));
    if (hasNoLabels) return noLabels;
    if (!labels.isPlain) return ofLine();
    let set = ofStreams.get(labels.base);
    if (!set) {
      set = ofLine();
      ofStreams.set(labels.base, set);
    }
    return set;
  };
}

const pairOf = (name: string, value: string | undefined): [string, string][] =>
  value === undefined ? [] : [[name, value]];
