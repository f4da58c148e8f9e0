// Binary operators over the series of one step.
import { type LabelSet, labelSet, valueIn } from '../label-set.ts';
import { badData } from '../query-error.ts';
import { compute } from '../syntax/operators.ts';
import { type BinaryExpr, comparisons, type Matching } from '../syntax/tree.ts';
import type { Vector } from './rows.ts';

// A vector and a scalar: a comparison without bool drops samples and keeps the values of the others.
export function withScalar({ op, isBool }: BinaryExpr, vector: Vector, scalar: number, isLeft: boolean): Vector {
  const isFilter = comparisons.has(op) && !isBool;
  const result: Vector = [];
  for (const { series, value } of vector) {
    const computed = isLeft ? compute(op, scalar, value) : compute(op, value, scalar);
    if (isFilter) {
      if (computed === 1) result.push({ series, value });
    } else result.push({ series, value: computed });
  }
  return result;
}

export type Combine = (left: Vector, right: Vector) => Vector;

export function createCombine(expr: BinaryExpr): Combine {
  const keyOf = createKeys(expr.matching);
  if (expr.op === 'and' || expr.op === 'unless') {
    const isAnd = expr.op === 'and';
    return (left, right) => {
      const keys = new Set(right.map(({ series }) => keyOf(series)));
      return left.filter(({ series }) => keys.has(keyOf(series)) === isAnd);
    };
  }
  if (expr.op === 'or')
    return (left, right) => {
      const keys = new Set(left.map(({ series }) => keyOf(series)));
      return [...left, ...right.filter(({ series }) => !keys.has(keyOf(series)))];
    };
  return createMatching(expr, keyOf);
}

// The labels of a series that match the two sides.
function createKeys({ isOn, labels }: Matching): (series: LabelSet) => string {
  const known = new Map<string, string>();
  const names = new Set(labels);
  return (series) => {
    let key = known.get(series.key);
    if (key === undefined) {
      key = labelSet(series.pairs.filter(([name, value]) => names.has(name) === isOn && value !== '')).key;
      known.set(series.key, key);
    }
    return key;
  };
}

function createMatching({ op, isBool, matching }: BinaryExpr, keyOf: (series: LabelSet) => string): Combine {
  const { side } = matching;
  const isFilter = comparisons.has(op) && !isBool;
  const labelsFor = createResultLabels(matching);
  return (left, right) => {
    const [many, one] = side === 'right' ? [right, left] : [left, right];
    const ones = new Map<string, Vector[number]>();
    for (const sample of one) {
      const key = keyOf(sample.series);
      if (ones.has(key))
        throw badData(
          `found duplicate series on the ${side === 'right' ? 'left' : 'right'} hand-side` +
            ';many-to-many matching not allowed: matching labels must be unique on one side',
        );
      ones.set(key, sample);
    }
    const matched = new Set<string>();
    const result: Vector = [];
    for (const sample of many) {
      const key = keyOf(sample.series);
      const other = ones.get(key);
      if (!other) continue;
      const series = labelsFor(sample.series, other.series);
      const seen = side === 'one-to-one' ? key : `${key}\xfd${series.key}`;
      if (matched.has(seen)) throw badData(`multiple matches for labels: ${tooMany[side]}`);
      matched.add(seen);
      const [a, b] = side === 'right' ? [other, sample] : [sample, other];
      const computed = compute(op, a.value, b.value);
      if (!isFilter) result.push({ series, value: computed });
      else if (computed === 1) result.push({ series, value: a.value });
    }
    return result;
  };
}

const unique = 'grouping labels must ensure unique matches';
const tooMany: Readonly<Record<Matching['side'], string>> = {
  'one-to-one': 'many-to-one matching must be explicit (group_left/group_right)',
  left: unique,
  right: unique,
};

function createResultLabels({ side, isOn, labels, include }: Matching): (many: LabelSet, one: LabelSet) => LabelSet {
  const known = new Map<string, LabelSet>();
  const names = new Set(labels);
  return (many, one) => {
    const key = `${many.key}\xfd${include.length > 0 ? one.key : ''}`;
    let result = known.get(key);
    if (!result) {
      const pairs = new Map(
        side === 'one-to-one' ? many.pairs.filter(([name]) => names.has(name) === isOn) : many.pairs,
      );
      for (const name of include) {
        const value = valueIn(one, name);
        if (value === '') pairs.delete(name);
        else pairs.set(name, value);
      }
      result = labelSet(pairs.entries().filter(([, value]) => value !== ''));
      known.set(key, result);
    }
    return result;
  };
}
