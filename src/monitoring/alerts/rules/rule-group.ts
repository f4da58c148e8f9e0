// A checked rule group, with durations in ms. Its original text is stored next to it.
import { Fault, type Problem } from '../../../base/fault.ts';
import { sortPairs } from '../../push/labels.ts';
import type { Labels } from '../../series.ts';

export interface RuleGroup {
  name: string;
  intervalMs: number; // 0: the default
  offsetMs: number; // how far queries look back, for late data
  limit: number; // of alerts or series per rule; 0: no own limit
  labels: Labels; // for all of its rules, whose own labels have precedence
  rules: Rule[];
}

export interface AlertRule {
  kind: 'alert';
  name: string;
  expr: string;
  forMs: number;
  keepMs: number;
  labels: Labels;
  annotations: Labels;
}

export interface RecordRule {
  kind: 'record';
  name: string;
  expr: string;
  labels: Labels;
}

export type Rule = AlertRule | RecordRule;

export interface RuleText {
  isFile: boolean; // a whole file of groups, not one group
  groups: RuleGroup[];
}

export const mostRules = 200; // of a group
export const mostGroups = 200; // of a pipeline
export const mostName = 256; // characters
export const defaultIntervalMs = 60_000;
export const intervalOf = ({ intervalMs }: RuleGroup): number => intervalMs || defaultIntervalMs;

// The labels that a rule adds: the group's and its own.
export const labelsOf = (group: RuleGroup, rule: Rule): Labels => merged(group.labels, rule.labels);

// The identity of a rule: a rule with a changed expression or duration keeps its alerts.
export const identityOf = (group: RuleGroup, rule: Rule): string =>
  JSON.stringify([rule.kind, rule.name, labelsOf(group, rule)]);

// Sorted by name; later labels override earlier ones, and an empty value removes a label.
export function merged(...all: Labels[]): Labels {
  const byName = new Map<string, string>();
  for (const labels of all) for (const [name, value] of labels) byName.set(name, value);
  return sorted([...byName].filter(([, value]) => value !== ''));
}

export const sorted = (pairs: Iterable<readonly [string, string]>): Labels =>
  sortPairs(Array.from(pairs, ([name, value]): [string, string] => [name, value]));

export const wordsOf = (labels: Labels): Record<string, string> => Object.fromEntries(labels);

export const refusal = (problems: Problem[]): Fault => new Fault('refused', 'The rules are not valid.', { problems });
