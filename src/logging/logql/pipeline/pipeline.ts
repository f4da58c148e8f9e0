// A pipeline: stages in a row, compiled once for a query and applied to every line.
import type { Stage } from '../syntax/tree.ts';
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
  // Filters of one label each: a parser that finds such a label can stop at a line that will be dropped.
  filters: readonly { name: string; test: LabelTest }[];
  isEmpty: boolean;
}

export function compilePipeline(stages: readonly Stage[]): Pipeline {
  const compiled = stages.map(stageOf);
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

// The line as it leaves the pipeline, or undefined where it is dropped.
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
