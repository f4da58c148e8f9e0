// Aggregations over the series of one step.
import { type LabelSet, labelSet } from '../label-set.ts';
import type { AggregateExpr, Grouping } from '../syntax/tree.ts';
import type { Sample, Vector } from './rows.ts';

export type Aggregate = (vector: Vector) => Vector;

export function createAggregate({ op, parameter = 0, grouping }: AggregateExpr): Aggregate {
  const groupOf = createGroups(grouping);
  const finish = finishes[op];
  return (vector) => {
    const groups = new Map<string, { set: LabelSet; samples: Sample[] }>();
    for (const sample of vector) {
      const set = groupOf(sample.series);
      const group = groups.get(set.key);
      if (group) group.samples.push(sample);
      else groups.set(set.key, { set, samples: [sample] });
    }
    return [...groups.values()].flatMap(({ set, samples }) => finish(set, samples, parameter));
  };
}

// Computes the labels of each series' group once. As in Loki, `without` removes empty labels and `by` keeps them.
function createGroups(grouping: Grouping | undefined): (series: LabelSet) => LabelSet {
  const known = new Map<string, LabelSet>();
  const names = new Set(grouping?.labels);
  const isWithout = grouping?.isWithout ?? false;
  return (series) => {
    let group = known.get(series.key);
    if (!group) {
      group = labelSet(
        series.pairs.filter(([name, value]) => names.has(name) !== isWithout && !(isWithout && value === '')),
      );
      known.set(series.key, group);
    }
    return group;
  };
}

type Finish = (set: LabelSet, samples: Sample[], parameter: number) => Vector;

const reducing =
  (reduce: (values: number[]) => number): Finish =>
  (series, samples) => [{ series, value: reduce(samples.map(({ value }) => value)) }];

function variance(values: number[]): number {
  let [mean, squares] = [values[0] as number, 0];
  for (let index = 1; index < values.length; index++) {
    const value = values[index] as number;
    const delta = value - mean;
    mean += delta / (index + 1);
    squares += delta * (value - mean);
  }
  return squares / values.length;
}

const isOver = (a: number, b: number): boolean => a > b || Number.isNaN(b);
const isUnder = (a: number, b: number): boolean => a < b || Number.isNaN(b);

// The largest or smallest first; NaN comes last.
function ordered(samples: Sample[], isDescending: boolean): Sample[] {
  const rank = ({ value }: Sample): number => (Number.isNaN(value) ? Infinity : isDescending ? -value : value);
  return [...samples].sort((a, b) => {
    const [rankA, rankB] = [rank(a), rank(b)];
    return rankA === rankB ? Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value)) : rankA - rankB;
  });
}

const picking =
  (isDescending: boolean): Finish =>
  (_, samples, count) =>
    ordered(samples, isDescending).slice(0, count);

const sorting =
  (isDescending: boolean): Finish =>
  (_, samples) =>
    ordered(samples, isDescending);

const finishes: Readonly<Record<AggregateExpr['op'], Finish>> = {
  sum: reducing((values) => values.reduce((sum, value) => sum + value)),
  avg: reducing((values) => values.reduce((mean, value, index) => mean + (value - mean) / (index + 1))),
  count: reducing((values) => values.length),
  max: reducing((values) => values.reduce((most, value) => (isOver(value, most) ? value : most))),
  min: reducing((values) => values.reduce((least, value) => (isUnder(value, least) ? value : least))),
  stdvar: reducing(variance),
  stddev: reducing((values) => Math.sqrt(variance(values))),
  topk: picking(true),
  approx_topk: picking(true),
  bottomk: picking(false),
  sort: sorting(false),
  sort_desc: sorting(true),
};
