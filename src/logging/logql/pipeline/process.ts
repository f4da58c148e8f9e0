// The effect of a stage on a line: the line, unchanged or changed, or undefined if it is dropped.
import type { LineLabels } from './line-labels.ts';

export type Process = (line: string, labels: LineLabels, timeNs: bigint) => string | undefined;

// A stage, and the labels that it reads: a metric query extracts only those.
export interface CompiledStage {
  process: Process;
  required: readonly string[];
}
