// The signatures of functions. The last argument type may repeat: `more` times, or without limit (-1); then it is
// optional too.
import type { ValueType } from './tree.ts';

export interface Signature {
  takes: readonly ValueType[];
  gives: ValueType;
  more: number;
}

const letters: Readonly<Record<string, ValueType>> = { v: 'vector', m: 'matrix', s: 'scalar', t: 'string' };

function named(names: string, takes: string, more = 0, gives: ValueType = 'vector'): [string, Signature][] {
  const types = [...takes].map((letter) => letters[letter] as ValueType);
  return names.split(' ').map((name) => [name, { takes: types, gives, more }]);
}

const ofVector =
  'abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor histogram_avg histogram_count histogram_sum ' +
  'histogram_stddev histogram_stdvar ln log10 log2 rad sgn sin sinh sort sort_desc sqrt start_timestamp tan tanh timestamp';
const ofRange =
  'absent_over_time avg_over_time changes count_over_time delta deriv first_over_time idelta increase irate ' +
  'last_over_time mad_over_time max_over_time min_over_time present_over_time rate resets stddev_over_time ' +
  'stdvar_over_time sum_over_time ts_of_first_over_time ts_of_last_over_time ts_of_max_over_time ts_of_min_over_time';
const ofTime = 'days_in_month day_of_month day_of_week day_of_year hour minute month year';

export const signatures: ReadonlyMap<string, Signature> = new Map([
  ...named(ofVector, 'v'),
  ...named(ofRange, 'm'),
  ...named(ofTime, 'v', 1),
  ...named('clamp', 'vss'),
  ...named('clamp_max clamp_min', 'vs'),
  ...named('double_exponential_smoothing', 'mss'),
  ...named('end pi range start step time', '', 0, 'scalar'),
  ...named('histogram_fraction', 'ssv'),
  ...named('histogram_quantile', 'sv'),
  ...named('histogram_quantiles', 'vtss', 9),
  ...named('info', 'vv', 1),
  ...named('label_join', 'vttt', -1),
  ...named('label_replace', 'vtttt'),
  ...named('max_of min_of', 'ss', 0, 'scalar'),
  ...named('predict_linear', 'ms'),
  ...named('quantile_over_time', 'sm'),
  ...named('round', 'vs', 1),
  ...named('scalar', 'v', 0, 'scalar'),
  ...named('sort_by_label sort_by_label_desc', 'vt', -1),
  ...named('vector', 's'),
]);
