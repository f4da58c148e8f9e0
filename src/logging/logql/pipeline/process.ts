// What a stage of a pipeline does with a line: the line, as it is or changed, or undefined where the line is dropped.
import type { LineLabels } from './line-labels.ts';

export type Process = (line: string, labels: LineLabels, timeNs: bigint) => string | undefined;

// A stage, and the labels that it reads: a metric query extracts only those.
export interface CompiledStage {
  process: Process;
  required: readonly string[];
}
