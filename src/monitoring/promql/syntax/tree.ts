// The syntax tree of an expression. Nothing is resolved here: durations may depend on the query's step, and `@ start()`
// on its range (plan.ts resolves them).
import type { Matcher } from '../../series.ts';

export interface Span {
  from: number; // offsets in the query's text
  to: number;
}

export type ValueType = 'scalar' | 'vector' | 'matrix' | 'string';

export type BinaryOp =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '^'
  | 'atan2'
  | '=='
  | '!='
  | '>'
  | '<'
  | '>='
  | '<='
  | '</'
  | '>/'
  | 'and'
  | 'or'
  | 'unless';

export const aggregations = [
  'avg',
  'bottomk',
  'count',
  'count_values',
  'group',
  'limit_ratio',
  'limitk',
  'max',
  'min',
  'quantile',
  'stddev',
  'stdvar',
  'sum',
  'topk',
] as const;
export type Aggregation = (typeof aggregations)[number];

export type Duration =
  | { kind: 'seconds'; span: Span; seconds: number; hasUnit: boolean }
  | { kind: 'query'; span: Span; name: 'step' | 'range' }
  | { kind: 'sign'; span: Span; op: '+' | '-'; right: Duration }
  | { kind: 'pair'; span: Span; op: DurationOp; left: Duration; right: Duration }
  | { kind: 'paren'; span: Span; inner: Duration };
export type DurationOp = '+' | '-' | '*' | '/' | '%' | '^' | 'min_of' | 'max_of';

// The time modifiers of a selector or subquery.
export interface Moment {
  at?: number | 'start' | 'end'; // ms
  offset?: Duration;
}

export type Extension = 'anchored' | 'smoothed';

export interface NumberNode {
  kind: 'number';
  span: Span;
  value: number;
  hasUnit: boolean; // written as a duration: 5m
}

export interface StringNode {
  kind: 'string';
  span: Span;
  value: string;
}

export interface SelectorNode extends Moment {
  kind: 'selector';
  span: Span;
  name: string; // the name before the braces, or empty
  matchers: Matcher[]; // including the one for the name
  extension?: Extension;
}

export interface RangeNode {
  kind: 'range';
  span: Span;
  selector: SelectorNode;
  range: Duration;
}

export interface SubqueryNode extends Moment {
  kind: 'subquery';
  span: Span;
  body: Node;
  range: Duration;
  step?: Duration;
}

export interface CallNode {
  kind: 'call';
  span: Span;
  name: string;
  args: Node[];
}

export interface AggregateNode {
  kind: 'aggregate';
  span: Span;
  op: Aggregation;
  grouping: string[];
  isWithout: boolean;
  parameter?: Node;
  body: Node;
}

export interface Matching {
  isOn: boolean; // otherwise ignoring
  labels: string[];
  group?: 'left' | 'right'; // the side that may have several series
  include: string[];
  fillLeft?: number;
  fillRight?: number;
}

export interface BinaryNode {
  kind: 'binary';
  span: Span;
  op: BinaryOp;
  left: Node;
  right: Node;
  isBool: boolean;
  matching: Matching;
  hasMatching: boolean; // on or ignoring was written
}

export interface UnaryNode {
  kind: 'unary';
  span: Span;
  op: '+' | '-';
  body: Node;
}

export interface ParenNode {
  kind: 'paren';
  span: Span;
  body: Node;
}

export type Node =
  | NumberNode
  | StringNode
  | SelectorNode
  | RangeNode
  | SubqueryNode
  | CallNode
  | AggregateNode
  | BinaryNode
  | UnaryNode
  | ParenNode;

const comparisons: ReadonlySet<BinaryOp> = new Set(['==', '!=', '>', '<', '>=', '<=']);
const sets: ReadonlySet<BinaryOp> = new Set(['and', 'or', 'unless']);
export const isComparison = (op: BinaryOp): boolean => comparisons.has(op);
export const isSetOperation = (op: BinaryOp): boolean => sets.has(op);

const withParameter: ReadonlySet<Aggregation> = new Set([
  'topk',
  'bottomk',
  'quantile',
  'limitk',
  'limit_ratio',
  'count_values',
]);
export const takesParameter = (op: Aggregation): boolean => withParameter.has(op);

export function withoutParens(node: Node): Node {
  return node.kind === 'paren' ? withoutParens(node.body) : node;
}

// Line and column from one, in bytes of UTF-8.
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.lastIndexOf('\n') + 1;
  return `${before.split('\n').length}:${Buffer.byteLength(before.slice(line)) + 1}`;
}
