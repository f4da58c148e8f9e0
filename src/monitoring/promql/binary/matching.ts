// Operators between two vectors: matching series are found once, by their matching labels; then the values are computed
// pair by pair.
import type { Labels } from '../../series.ts';
import {
  dropLabels,
  keepLabels,
  keyFunction,
  labelOf,
  labelsText,
  metricName,
  withLabel,
  withoutName,
} from '../labels.ts';
import type { BinaryPlan } from '../plan.ts';
import { failing } from '../query-error.ts';
import { isEmptyRow, put, type Row, RowSet } from '../rows.ts';
import type { Scope } from '../scope.ts';
import { isComparison, type Matching } from '../syntax/tree.ts';
import { arithmetic, comparison } from './operators.ts';

// The series with the same matching labels. `many` is the left side, except with group_right.
interface Partners {
  many: Row[];
  one: Row[];
}

export function matched(plan: BinaryPlan, left: Row[], right: Row[], scope: Scope): Row[] {
  const { matching } = plan;
  const isSwapped = matching.group === 'right';
  const key = keyFunction(matching.labels, !matching.isOn);
  const partners = new Map<string, Partners>();
  const at = (labels: Labels): Partners => {
    const name = key(labels);
    const known = partners.get(name) ?? { many: [], one: [] };
    partners.set(name, known);
    return known;
  };
  for (const row of isSwapped ? right : left) at(row.labels).many.push(row);
  for (const row of isSwapped ? left : right) at(row.labels).one.push(row);
  const matcher = new Matcher(plan, scope, isSwapped ? right : left);
  for (const pair of partners.values()) matcher.match(pair);
  return matcher.results().filter((row) => !isEmptyRow(row));
}

type Side = Pick<Row, 'labels' | 'isUnnamed'>;

class Matcher {
  readonly #plan: BinaryPlan;
  readonly #scope: Scope;
  readonly #results: RowSet;
  readonly #pairs = new Map<Side, Map<Side, Row>>();
  readonly #stand = new Map<Row, Side>();
  readonly #operate: (many: number, one: number) => number;
  readonly #isAny: Uint8Array; // by step, whether anything is on the side that may have several
  readonly #holds: ((many: number, one: number) => boolean) | undefined;

  // `many`: of all keys.
  constructor(plan: BinaryPlan, scope: Scope, many: Row[]) {
    this.#isAny = anyOf(many, scope.grid.count);
    this.#plan = plan;
    this.#scope = scope;
    this.#results = new RowSet(scope.grid.count);
    const { op, isBool, matching } = plan;
    const isSwapped = matching.group === 'right';
    const compares = comparison[op];
    const operate =
      arithmetic[op] ?? ((left: number, right: number) => (isBool ? Number(compares?.(left, right)) : left));
    this.#operate = isSwapped ? (many, one) => operate(one, many) : operate;
    if (compares && !isBool) this.#holds = isSwapped ? (many, one) => compares(one, many) : compares;
  }

  results(): Row[] {
    return this.#results.rows();
  }

  match({ many, one }: Partners): void {
    if (one.length > 1) this.#demandUnique(one);
    // With group_right Prometheus does not swap the values for the missing sides, and its own tests want it so.
    const { fillLeft: manyFill, fillRight: oneFill } = this.#plan.matching;
    const hasFill = manyFill !== undefined || oneFill !== undefined;
    if (!hasFill && one.length === 1 && this.#areDistinct(many, one[0] as Row))
      for (const row of many) this.#pair(row, one[0] as Row);
    else if ((many.length > 0 || manyFill !== undefined) && (one.length > 0 || oneFill !== undefined))
      for (let step = 0; step < this.#scope.grid.count; step++) this.#step(many, one, step);
  }

  // Whether pairs can be computed one by one, because no two of them have the same result labels.
  #areDistinct(many: Row[], one: Row): boolean {
    if (many.length < 2) return true;
    return (
      this.#plan.matching.group !== undefined && new Set(many.map((row) => this.#row(row, one))).size === many.length
    );
  }

  #pair(many: Row, one: Row): void {
    const [operate, holds] = [this.#operate, this.#holds];
    const result = this.#row(many, one);
    for (let step = 0; step < result.present.length; step++) {
      if (many.present[step] === 0 || one.present[step] === 0) continue;
      const left = many.values[step] as number;
      const right = one.values[step] as number;
      if (holds && !holds(left, right)) continue;
      put(result, step, operate(left, right));
    }
  }

  // Where several series have the same key, which of them has a value may change from step to step.
  #step(many: Row[], one: Row[], step: number): void {
    const { fillLeft, fillRight, group } = this.#plan.matching;
    const right = one.find(({ present }) => present[step]);
    const lefts = many.filter(({ present }) => present[step]);
    if (lefts.length === 0) {
      if (right && fillLeft !== undefined)
        this.#put(this.#missing(right), fillLeft, right, right.values[step] as number, step);
      return;
    }
    if (!right && fillRight === undefined) return;
    if (lefts.length > 1 && !group)
      throw failing('multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)');
    const results = lefts.map((left) => this.#row(left, right ?? this.#missing(left)));
    if (new Set(results).size < lefts.length)
      throw failing('multiple matches for labels: grouping labels must ensure unique matches');
    for (const left of lefts) {
      const value = right ? (right.values[step] as number) : (fillRight as number);
      this.#put(left, left.values[step] as number, right ?? this.#missing(left), value, step);
    }
  }

  #put(many: Side, left: number, one: Side, right: number, step: number): void {
    if (this.#holds && !this.#holds(left, right)) return;
    put(this.#row(many, one), step, this.#operate(left, right));
  }

  // The value for a missing series.
  #missing(other: Row): Side {
    const known = this.#stand.get(other);
    if (known) return known;
    const made = { labels: matchLabels(other.labels, this.#plan.matching), isUnnamed: false };
    this.#stand.set(other, made);
    return made;
  }

  // The result row of a pair: its labels are computed once, not at each step.
  #row(many: Side, one: Side): Row {
    const known = this.#pairs.get(many)?.get(one);
    if (known) return known;
    const { isBool, op } = this.#plan;
    const labels = this.#resultLabels(many.labels, one.labels);
    const row = this.#results.row(labels, isBool || (isComparison(op) && many.isUnnamed));
    const rows = this.#pairs.get(many) ?? new Map<Side, Row>();
    this.#pairs.set(many, rows.set(one, row));
    return row;
  }

  #resultLabels(many: Labels, one: Labels): Labels {
    const { op, isBool, matching } = this.#plan;
    const losesName = !isComparison(op) || (isBool && !this.#scope.lateNames);
    let labels = losesName ? withoutName(many) : many;
    if (!matching.group && (matching.isOn || matching.labels.length > 0)) {
      const names = new Set(matching.labels);
      labels = matching.isOn ? keepLabels(labels, names) : dropLabels(labels, names);
    }
    for (const name of matching.include) labels = withLabel(labels, name, labelOf(one, name));
    return labels;
  }

  // Several series on the "one" side are fine as long as only one has a value at a time, or the other side has none.
  #demandUnique(one: Row[]): void {
    const isFilled = this.#plan.matching.fillLeft !== undefined;
    const owner = new Int32Array(this.#scope.grid.count).fill(-1);
    for (const [at, { present }] of one.entries())
      for (let step = 0; step < present.length; step++) {
        if (!present[step] || !(isFilled || this.#isAny[step])) continue;
        if ((owner[step] as number) >= 0) throw this.#duplicate(one[owner[step] as number] as Row, one[at] as Row);
        owner[step] = at;
      }
  }

  #duplicate(a: Row, b: Row): Error {
    const { matching } = this.#plan;
    const side = matching.group === 'right' ? 'left' : 'right';
    const shared = labelsText(matchLabels(a.labels, matching));
    const names = [labelsText(a.labels), labelsText(b.labels)].sort().join(', ');
    const what = `found duplicate series for the match group ${shared} on the ${side} hand-side of the operation: [${names}]`;
    return failing(`${what};many-to-many matching not allowed: matching labels must be unique on one side`);
  }
}

function anyOf(rows: Row[], count: number): Uint8Array {
  const any = new Uint8Array(count);
  for (const { present } of rows) for (let step = 0; step < count; step++) any[step] = any[step] || present[step] || 0;
  return any;
}

// The labels that two series were matched on.
function matchLabels(labels: Labels, { isOn, labels: names }: Matching): Labels {
  return isOn ? keepLabels(labels, new Set(names)) : dropLabels(labels, new Set([...names, metricName]));
}
