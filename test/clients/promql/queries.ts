// Random PromQL queries that are meaningful for the data of data.ts. Discontinuous functions (floor, %, ==, topk) are
// only applied to exactly computed values, so that a rounding difference in the last bit can't change the answer.
import type { Chance } from '../../../src/testing/seed.ts';
import { type Family, families } from './data.ts';
import { dates, instantFunctions, joins, matchersOf, overTime, trigonometry } from './query-parts.ts';

export interface Queries {
  next(): Generated;
}

export interface Generated {
  text: string;
  ordered: boolean; // sort(): the order of the values counts
  loose: boolean; // topk of equal values: which of them are chosen is undefined
}

export interface Span {
  fromMs: number; // the time of the first samples
  toMs: number;
}

const comparisons = ['==', '!=', '>', '<', '>=', '<='];
const groupings = ['job', 'instance', 'code', 'kind', 'zone', 'job, instance', 'job, code', 'missing', ''];
const ranges = ['1m', '2m', '5m', '7m30s', '20m'];
const offsets = ['1m', '5m', '40s', '-2m', '30m'];

const familyOf = (name: string): Family => families.find((family) => family.name === name) as Family;

export function queriesBy(chance: Chance, span: Span, newest: boolean): Queries {
  const { one, often, below } = chance;
  // Version 2 forgot to take the metric's name away with atan2, and had 0 for what an infinite value deviates by.
  const arithmetic = ['+', '-', '*', '/', '^', ...(newest ? ['atan2'] : [])];
  const aggregations = ['sum', 'avg', 'min', 'max', 'count', 'group', ...(newest ? ['stddev', 'stdvar'] : [])];
  const momentIn = (): string => String(span.fromMs / 1000 + 10 * below((span.toMs - span.fromMs) / 10_000) + 7);
  const shift = (pinned = true): string => {
    const offset = often(15) ? ` offset ${one(offsets)}` : '';
    const at = pinned && often(8) ? ` @ ${one([momentIn(), momentIn(), 'start()', 'end()'])}` : '';
    return often(50) ? offset + at : at + offset;
  };
  const named = (family: Family): string => {
    const matchers = matchersOf(family, chance);
    if (often(4)) return `{__name__=~"${family.name.slice(0, 4)}.*",${matchers || 'job!=""'}}`;
    return matchers ? `${family.name}{${matchers}}` : family.name;
  };
  const ofKind = (...kinds: Family['kind'][]): Family =>
    one(families.filter(({ kind, name }) => kinds.includes(kind) && name !== 'odd'));
  const selector = (family = one(families)): string => named(family) + shift();
  const ranged = (family = one(families), pinned = true): string => `${named(family)}[${one(ranges)}]${shift(pinned)}`;
  const scalar = (): string =>
    one(['2', '0.5', '-3', '1e3', '0.3137', 'Inf', 'time()', `scalar(sum(${selector(ofKind('gauge'))}))`, 'pi()']);
  const by = (): string => (often(80) ? `${one(['by', 'by', 'without'])} (${one(groupings)}) ` : '');

  const exact = (depth: number): string => {
    if (depth <= 0 || often(30)) return selector();
    return one<() => string>([
      () => `abs(${exact(depth - 1)})`,
      () => `${one(['sum', 'min', 'max', 'count', 'group'])} ${by()}(${exact(depth - 1)})`,
      () => `(${exact(depth - 1)} ${one(['+', '-', '*'])} ${one(['2', '0.25', '16'])})`,
      () => `-${selector()}`,
      () => `clamp(${exact(depth - 1)}, ${one(['0', '-5', '100.125'])}, ${one(['200', '1e6', '150'])})`,
      () => `${one(['min', 'max', 'last', 'count', 'present'])}_over_time(${ranged()})`,
      () => `${one(['changes', 'resets'])}(${ranged()})`,
    ])();
  };

  const window = (): string => {
    const { call, kinds, floating } = one(overTime.filter((each) => newest || !each.newest));
    const family = kinds ? ofKind(...kinds) : one(families);
    return call.replace('@', ranged(family, newest || !floating)).replace('#', one(['0', '0.1', '0.5', '0.99', '1']));
  };
  const subquery = (depth: number): string => {
    const step = often(10) ? '' : one(['10s', '30s', '1m', '2m']);
    // Functions that count changes would count those of the last bit too, where averages of the two versions differ.
    const isSteady = ({ call }: { call: string }): boolean => !/^(?:changes|resets)\b/.test(call);
    const { call } = one(overTime.filter((each) => !each.kinds && !each.newest && isSteady(each)));
    // A nested subquery would put the borders of the inner one on its steps.
    const inner = newest && often(20) ? vector(depth - 1) : one([window(), selector(), exact(1)]);
    return call.replace('@', `(${inner})[${one(['3m', '10m', '20m'])}:${step}]${shift()}`).replace('#', '0.9');
  };
  const binary = (depth: number): string => {
    const { left, right, matching } = one(joins.filter((each) => newest || !each.newest));
    if (often(10)) return `${vector(depth - 1)} ${one(arithmetic)} ${vector(depth - 1)}`;
    if (often(25)) {
      const compared = `${one(comparisons)} ${one(['', 'bool '])}${matching}`;
      return `${selector(familyOf(left))} ${compared} ${selector(familyOf(right))}`;
    }
    const side = (family: Family): string =>
      often(50) || family.kind !== 'counter' ? selector(family) : `rate(${named(family)}[${one(ranges)}])`;
    return `${side(familyOf(left))} ${one(arithmetic)} ${matching} ${side(familyOf(right))}`;
  };
  const sets = (depth: number): string => {
    const on = one(['', 'on (job)', 'on (job, instance)', 'ignoring (code)', 'ignoring (kind, code)', 'on ()']);
    return `${vector(depth - 1)} ${one(['and', 'or', 'unless'])} ${on} ${vector(depth - 1)}`;
  };
  const withScalar = (depth: number): string => {
    if (often(25)) return `${exact(depth - 1)} ${one(comparisons)} ${one(['', 'bool '])}${one(['100', '0', '150.5'])}`;
    if (often(15)) return `${exact(depth - 1)} % ${one(['7', '0.25', '-3'])}`;
    const parts = [`(${vector(depth - 1)})`, scalar()];
    return `${often(70) ? parts.join(` ${one(arithmetic)} `) : parts.reverse().join(` ${one(arithmetic)} `)}`;
  };
  const labels = (depth: number): string =>
    one([
      () => `label_replace(${vector(depth - 1)}, "${one(['short', 'job'])}", "$1-x", "job", "(.).*")`,
      () => `label_replace(${vector(depth - 1)}, "host", "\${h}", "instance", "(?P<h>[^:]+):.*")`,
      () => `label_join(${vector(depth - 1)}, "joined", "/", "job", "instance", "none")`,
    ])();
  const histogram = (): string => {
    const rate = `rate(took_seconds_bucket[${one(ranges)}]${shift()})`;
    const inner = one([rate, `sum by (le) (${rate})`, `sum by (job, le) (${rate})`, 'took_seconds_bucket']);
    return `histogram_quantile(${one(['0.5', '0.9', '0.99', '0', '1', '-1', '2'])}, ${inner})`;
  };

  // The deviation of seconds since 1970 is smaller than the rounding error of the sums of their squares.
  const aggregated = (op: string, grouping: string, inner: string): string =>
    `${op.startsWith('std') && inner.includes('time()') ? 'max' : op} ${grouping}(${inner})`;
  const vector = (depth: number): string => {
    if (depth <= 0) return one([selector(), window()]);
    return one<() => string>([
      window,
      window,
      () => aggregated(one(aggregations), by(), vector(depth - 1)),
      () => `${one(aggregations)} ${by()}(${window()})`,
      () => `${one(['stddev', 'stdvar'])} ${by()}(${selector(ofKind('gauge', 'counter'))})`,
      () => `quantile ${by()}(${one(['0.1', '0.5', '0.95', '1.5'])}, ${vector(depth - 1)})`,
      () => `count_values ${by()}("value", ${exact(depth - 1)})`,
      () => `sum(topk(${1 + below(4)}, ${selector(ofKind('gauge', 'counter'))}))`,
      () => `(${binary(depth)})`,
      () => `(${sets(depth)})`,
      () => `(${withScalar(depth)})`,
      () => subquery(depth),
      () => `${one(instantFunctions)}(${exact(depth - 1)})`,
      () => `${one(trigonometry)}(${selector(ofKind('gauge'))} / 512)`,
      () => `round(${exact(depth - 1)}, ${one(['0.5', '5', '10'])})`,
      () => labels(depth),
      histogram,
      () => `absent(${often(50) ? selector() : `nothing{job="api",${matchersOf(one(families), chance)}}`})`,
      () => `${one(dates)}(${selector(ofKind('gauge', 'counter'))})`, // a date of infinity is the processor's choice
      // With @ it is empty in Prometheus, by mistake. Small, so that what is computed with it stays exact enough.
      () => `(timestamp(${named(one(families))}${shift(false)}) - ${span.fromMs / 1000})`,
      () => `vector(${scalar()})`,
      () => `-(${vector(depth - 1)})`,
    ])();
  };

  const top = (depth: number): Generated => {
    const plain = { ordered: false, loose: false };
    const ranked = selector(ofKind('gauge', 'counter'));
    if (often(4)) {
      const text = `${one(['topk', 'bottomk'])} ${by()}(${1 + below(4)}, ${ranked})`;
      return { ...plain, text, loose: true };
    }
    if (often(2)) return { text: `${one(['sort', 'sort_desc'])}(${ranked})`, loose: true, ordered: true };
    if (often(2)) return { ...plain, text: `${scalar()} ${one(arithmetic)} ${scalar()}` };
    if (often(3)) return { ...plain, text: ranged() };
    return { ...plain, text: vector(depth) };
  };
  return { next: () => top(1 + below(3)) };
}
