// A pipeline: a sequence of stages, compiled once per query and applied to every line.
import { inStage } from '../query-error.ts';
import { stageText } from '../syntax/print.ts';
import type { LabelFilter, Stage } from '../syntax/tree.ts';
import { decolorizeStage, dropStage, keepStage, labelFormatStage, lineFormatStage } from './formats.ts';
import { jsonExpressionStage, jsonStage, unpackStage } from './json.ts';
import { type LabelTest, labelsOfFilter, labelTest } from './label-filters.ts';
import { lineFilterStage } from './line-filters.ts';
import type { LineLabels } from './line-labels.ts';
import { logfmtExpressionStage, logfmtStage } from './logfmt.ts';
import type { CompiledStage, Process } from './process.ts';
import { patternStage, regexpStage } from './regexp.ts';

export interface Pipeline {
  stages: readonly CompiledStage[];
  required: readonly string[];
  // Filters of one label each: a parser can stop at a label whose filter drops the line.
  filters: readonly { name: string; test: LabelTest }[];
  isEmpty: boolean;
}

export function compilePipeline(stages: readonly Stage[]): Pipeline {
  const compiled = stages.map((stage, at) =>
    isParsed(stage) ? stageOf(stage) : inStage(textOf(stages, at), () => stageOf(stage)),
  );
  return {
    stages: compiled,
    required: compiled.flatMap(({ required }) => required),
    filters: stages.flatMap((stage) => {
      if (stage.kind !== 'labelFilter') return [];
      const { filter } = stage;
      if (filter.kind === 'and' || filter.kind === 'or') return [];
      return [{ name: labelsOfFilter(filter)[0] as string, test: labelTest(filter) }];
    }),
    isEmpty: compiled.length === 0,
  };
}

// Loki refuses these while it parses the query, before there are stages.
const isParsed = (stage: Stage): boolean =>
  ['regexp', 'pattern', 'drop', 'keep'].includes(stage.kind) ||
  (stage.kind === 'labelFilter' && !hasAddress(stage.filter));

const hasAddress = (filter: LabelFilter): boolean =>
  filter.kind === 'and' || filter.kind === 'or'
    ? hasAddress(filter.left) || hasAddress(filter.right)
    : filter.kind === 'ip';

// Consecutive line filters are one stage.
const textOf = (stages: readonly Stage[], at: number) => (): string => {
  const isFilter = (index: number): boolean => stages[index]?.kind === 'lineFilter';
  let [from, to] = [at, at + 1];
  while (isFilter(at) && isFilter(from - 1)) from -= 1;
  while (isFilter(at) && isFilter(to)) to += 1;
  return stages.slice(from, to).map(stageText).join(' ');
};

// Returns the line after the pipeline, or undefined if it is dropped.
export function applyStages(
  { stages }: Pipeline,
  line: string,
  labels: LineLabels,
  timeNs: bigint,
): string | undefined {
  let current: string | undefined = line;
  for (const { process } of stages) {
    current = process(current, labels, timeNs);
    if (current === undefined) return undefined;
  }
  return current;
}

function stageOf(stage: Stage): CompiledStage {
  switch (stage.kind) {
    case 'lineFilter':
      return reading(lineFilterStage(stage.filter));
    case 'json':
      return reading(stage.expressions.length > 0 ? jsonExpressionStage(stage.expressions) : jsonStage());
    case 'logfmt': {
      const { expressions, isStrict, keepsEmpty } = stage;
      const hasExpressions = expressions.length > 0;
      return reading(hasExpressions ? logfmtExpressionStage(expressions, isStrict) : logfmtStage(isStrict, keepsEmpty));
    }
    case 'regexp':
      return reading(regexpStage(stage.pattern));
    case 'pattern':
      return reading(patternStage(stage.pattern));
    case 'unpack':
      return reading(unpackStage());
    case 'decolorize':
      return reading(decolorizeStage());
    case 'labelFilter': {
      const test = labelTest(stage.filter);
      return reading((line, labels) => (test(labels) ? line : undefined), labelsOfFilter(stage.filter));
    }
    case 'lineFormat':
      return lineFormatStage(stage.template);
    case 'labelFormat':
      return labelFormatStage(stage.formats);
    case 'drop':
      return reading(dropStage(stage.labels));
    case 'keep':
      return reading(keepStage(stage.labels));
    default:
      throw new Error('there is no other stage');
  }
}

const reading = (process: Process, required: readonly string[] = []): CompiledStage => ({ process, required });
