// The syntax tree of LogQL, with parsed literals and applied precedence.
import type { Matcher } from '../../engine/engine.ts';

export type LineFilterOp = '|=' | '!=' | '|~' | '!~' | '|>' | '!>';

export interface LinePattern {
  text: string;
  isIp: boolean;
}

// One filter with its `or` alternatives. For a negative filter, none may match.
export interface LineFilter {
  op: LineFilterOp;
  patterns: LinePattern[];
}

export type Comparison = '==' | '!=' | '>' | '>=' | '<' | '<=';

export type LabelFilter =
  | { kind: 'and' | 'or'; left: LabelFilter; right: LabelFilter }
  | { kind: 'text'; matcher: Matcher }
  | { kind: 'ip'; name: string; isNot: boolean; pattern: string }
  | { kind: 'number' | 'duration' | 'bytes'; name: string; op: Comparison; value: number; text: string };

export interface Extraction {
  name: string;
  expression: string;
}

export type LabelFormat = { name: string; from: string } | { name: string; template: string };

export type NamedLabel = { name: string } | { matcher: Matcher };

export type Stage =
  | { kind: 'lineFilter'; filter: LineFilter }
  | { kind: 'json'; expressions: Extraction[] } // none: all fields
  | { kind: 'logfmt'; isStrict: boolean; keepsEmpty: boolean; expressions: Extraction[] }
  | { kind: 'regexp' | 'pattern'; pattern: string }
  | { kind: 'unpack' | 'decolorize' }
  | { kind: 'labelFilter'; filter: LabelFilter }
  | { kind: 'lineFormat'; template: string }
  | { kind: 'labelFormat'; formats: LabelFormat[] }
  | { kind: 'drop' | 'keep'; labels: NamedLabel[] };

export interface LogExpr {
  kind: 'logs';
  matchers: Matcher[];
  stages: Stage[];
}

export interface Grouping {
  isWithout: boolean;
  labels: string[];
}

export const rangeOps = [
  'count_over_time',
  'rate',
  'rate_counter',
  'bytes_over_time',
  'bytes_rate',
  'avg_over_time',
  'sum_over_time',
  'min_over_time',
  'max_over_time',
  'stddev_over_time',
  'stdvar_over_time',
  'quantile_over_time',
  'first_over_time',
  'last_over_time',
  'absent_over_time',
] as const;
export type RangeOp = (typeof rangeOps)[number];

export const vectorOps = [
  'sum',
  'avg',
  'count',
  'max',
  'min',
  'stddev',
  'stdvar',
  'bottomk',
  'topk',
  'approx_topk',
  'sort',
  'sort_desc',
] as const;
export type VectorOp = (typeof vectorOps)[number];

export type Conversion = 'bytes' | 'duration' | 'duration_seconds';

export interface Unwrap {
  label: string;
  conversion?: Conversion;
  filters: LabelFilter[];
}

export interface RangeExpr {
  kind: 'range';
  op: RangeOp;
  parameter?: number;
  logs: LogExpr;
  rangeNs: number;
  offsetNs: number;
  unwrap?: Unwrap;
  grouping?: Grouping;
}

export interface AggregateExpr {
  kind: 'aggregate';
  op: VectorOp;
  parameter?: number;
  grouping?: Grouping;
  body: MetricExpr;
}

export type BinaryOp = '+' | '-' | '*' | '/' | '%' | '^' | Comparison | 'and' | 'or' | 'unless';

export interface Matching {
  isOn: boolean;
  labels: string[];
  side: 'one-to-one' | 'left' | 'right'; // the side with many series for one of the other
  include: string[];
}

export interface BinaryExpr {
  kind: 'binary';
  op: BinaryOp;
  left: MetricExpr;
  right: MetricExpr;
  isBool: boolean;
  matching: Matching;
}

export interface LabelReplaceExpr {
  kind: 'labelReplace';
  body: MetricExpr;
  destination: string;
  replacement: string;
  source: string;
  pattern: string;
}

export type MetricExpr =
  | RangeExpr
  | AggregateExpr
  | BinaryExpr
  | LabelReplaceExpr
  | { kind: 'literal'; value: number }
  | { kind: 'vector'; value: number };

export type Expr = LogExpr | MetricExpr;

export const comparisons: ReadonlySet<string> = new Set(['==', '!=', '>', '>=', '<', '<=']);
export const setOps: ReadonlySet<string> = new Set(['and', 'or', 'unless']);
