// Parses LogQL: converts the nodes of the grammar to the tree of tree.ts.
import type { SyntaxNode } from '@lezer/common';
import { parseError } from '../query-error.ts';
import { type Chain, regroup } from './binary.ts';
import { checkExpr, checkMatchers } from './check.ts';
import { childOf, childrenOf, grammarTree, itemsOf, offsetAfter } from './grammar.ts';
import { type Source, sourceOf } from './source.ts';
import { labelFilterOf, matcherOf, stagesOf } from './stages.ts';
import type {
  AggregateExpr,
  BinaryOp,
  Conversion,
  Expr,
  Grouping,
  LogExpr,
  Matching,
  MetricExpr,
  RangeExpr,
  RangeOp,
  Unwrap,
  VectorOp,
} from './tree.ts';

export function parseQuery(text: string): Expr {
  const expr = parseExpr(text);
  checkExpr(expr);
  return expr;
}

// Parses log queries only: for tailing and for descriptions of streams.
export function parseLogQuery(text: string): LogExpr {
  const expr = parseQuery(text);
  if (expr.kind !== 'logs') throw parseError('only log selector is supported');
  return expr;
}

// Parses the matchers of a selector such as {app="x"}; {} and an empty text select everything.
export function parseSelector(text: string): LogExpr['matchers'] {
  if (/^\s*(?:\{\s*\}\s*)?$/.test(text)) return [];
  const expr = parseExpr(text);
  if (expr.kind !== 'logs' || expr.stages.length > 0) throw parseError('only label matchers are supported');
  checkMatchers(expr.matchers);
  return expr.matchers;
}

function parseExpr(text: string): Expr {
  return exprOf(grammarTree(text), sourceOf(text));
}

function exprOf(node: SyntaxNode, source: Source): Expr {
  if (node.name === 'LogExpr') return logsOf(node, source);
  if (node.name === 'MetricExpr') return metricOf(node, source);
  const [inner] = childrenOf(node);
  if (!inner) throw parseError('syntax error: unexpected $end', source.text, node.to);
  return exprOf(inner, source);
}

function logsOf(node: SyntaxNode, source: Source): LogExpr {
  const inner = childOf(node, 'LogExpr', 'Expr');
  if (inner) return exprOf(inner, source) as LogExpr;
  const pipeline = childOf(node, 'PipelineExpr');
  return {
    kind: 'logs',
    matchers: matchersOf(childOf(node, 'Selector') as SyntaxNode, source),
    stages: pipeline ? stagesOf(pipeline, source) : [],
  };
}

function matchersOf(selector: SyntaxNode, source: Source): LogExpr['matchers'] {
  const list = childOf(selector, 'Matchers');
  return list ? itemsOf(list, 'Matcher').map((matcher) => matcherOf(matcher, source)) : [];
}

function metricOf(node: SyntaxNode, source: Source): MetricExpr {
  const [inner] = childrenOf(node) as [SyntaxNode];
  switch (inner.name) {
    case 'MetricExpr':
      return metricOf(inner, source);
    case 'RangeAggregationExpr':
      return rangeOf(inner, source);
    case 'VectorAggregationExpr':
      return aggregateOf(inner, source);
    case 'BinOpExpr':
      return regroup(chainOf(inner, source));
    case 'LiteralExpr':
      return { kind: 'literal', value: source.number(inner) };
    case 'VectorExpr':
      return { kind: 'vector', value: source.number(childOf(inner, 'Number') as SyntaxNode) };
    case 'LabelReplaceExpr': {
      const [destination, replacement, from, pattern] = childrenOf(inner)
        .filter(({ name }) => name === 'String')
        .map((string) => source.string(string)) as [string, string, string, string];
      const body = metricOf(childOf(inner, 'MetricExpr') as SyntaxNode, source);
      return { kind: 'labelReplace', body, destination, replacement, source: from, pattern };
    }
    default:
      throw parseError(`unexpected ${inner.name}`, source.text, inner.from);
  }
}

// The operands and operators of an expression without parentheses; the grammar does not group them by precedence.
function chainOf(node: SyntaxNode, source: Source): Chain {
  const [left, sign, modifier, right] = childrenOf(node) as [SyntaxNode, SyntaxNode, SyntaxNode, SyntaxNode];
  const first = operandsOf(left, source);
  const second = operandsOf(right, source);
  const operator = { op: source.of(sign).toLowerCase() as BinaryOp, ...modifierOf(modifier, source) };
  return {
    operands: [...first.operands, ...second.operands],
    operators: [...first.operators, operator, ...second.operators],
  };
}

function operandsOf(node: SyntaxNode, source: Source): Chain {
  const [metric] = childrenOf(node);
  const [inner] = metric?.name === 'MetricExpr' ? childrenOf(metric) : [];
  if (inner?.name === 'BinOpExpr') return chainOf(inner, source);
  const expr = exprOf(node, source);
  if (expr.kind === 'logs') throw parseError('unexpected type for a leg of a binary operation: a log query');
  return { operands: [expr], operators: [] };
}

function modifierOf(node: SyntaxNode, source: Source): { isBool: boolean; matching: Matching } {
  const children = childrenOf(node);
  const on = childOf(node, 'OnOrIgnoringModifier');
  const isBool = Boolean(childOf(node, 'Bool') ?? (on && childOf(on, 'Bool')));
  const group = childOf(node, 'GroupLeft', 'GroupRight');
  const include = group
    ? children.slice(children.indexOf(group) + 1).find(({ name }) => name === 'GroupingLabels')
    : undefined;
  const labels = on && childOf(on, 'GroupingLabels');
  return {
    isBool,
    matching: {
      isOn: Boolean(on && childOf(on, 'On')),
      labels: labels ? groupingLabels(labels, source) : [],
      side: group === undefined ? 'one-to-one' : group.name === 'GroupLeft' ? 'left' : 'right',
      include: include ? groupingLabels(include, source) : [],
    },
  };
}

function groupingLabels(node: SyntaxNode, source: Source): string[] {
  const list = childOf(node, 'GroupingLabelList');
  return list ? itemsOf(list, 'GroupingLabel').map((label) => source.of(label)) : [];
}

function groupingOf(node: SyntaxNode, source: Source): Grouping {
  const labels = childOf(node, 'Labels');
  return {
    isWithout: childOf(node, 'Without') !== undefined,
    labels: labels ? itemsOf(labels, 'Identifier').map((label) => source.of(label)) : [],
  };
}

function rangeOf(node: SyntaxNode, source: Source): RangeExpr {
  const number = childOf(node, 'Number');
  const grouping = childOf(node, 'Grouping');
  return {
    kind: 'range',
    op: source.of(childOf(node, 'RangeOp') as SyntaxNode).toLowerCase() as RangeOp,
    ...(number && { parameter: source.number(number) }),
    ...logRangeOf(childOf(node, 'LogRangeExpr') as SyntaxNode, source),
    ...(grouping && { grouping: groupingOf(grouping, source) }),
  };
}

function logRangeOf(node: SyntaxNode, source: Source): Pick<RangeExpr, 'logs' | 'rangeNs' | 'offsetNs' | 'unwrap'> {
  const inner = childOf(node, 'LogRangeExpr');
  if (inner) return logRangeOf(inner, source);
  const unwrap = childOf(node, 'UnwrapExpr');
  const range = childOf(node, 'Range') as SyntaxNode;
  const offset = offsetAfter(source.text, range.to);
  return {
    logs: logsOf(node, source),
    rangeNs: source.duration(source.of(range).slice(1, -1), range.from),
    offsetNs: offset === undefined ? 0 : source.duration(offset, range.to),
    ...(unwrap && { unwrap: unwrapOf(unwrap, source) }),
  };
}

function unwrapOf(node: SyntaxNode, source: Source): Unwrap {
  const inner = childOf(node, 'UnwrapExpr');
  if (inner) {
    const unwrap = unwrapOf(inner, source);
    const filter = childOf(node, 'LabelFilter');
    return filter ? { ...unwrap, filters: [...unwrap.filters, labelFilterOf(filter, source)] } : unwrap;
  }
  const conversion = childOf(node, 'ConvOp');
  return {
    label: source.of(childOf(node, 'Identifier') as SyntaxNode),
    ...(conversion && { conversion: source.of(conversion).toLowerCase() as Conversion }),
    filters: [],
  };
}

function aggregateOf(node: SyntaxNode, source: Source): AggregateExpr {
  const number = childOf(node, 'Number');
  const grouping = childOf(node, 'Grouping');
  return {
    kind: 'aggregate',
    op: source.of(childOf(node, 'VectorOp') as SyntaxNode).toLowerCase() as VectorOp,
    ...(number && { parameter: source.number(number) }),
    ...(grouping && { grouping: groupingOf(grouping, source) }),
    body: metricOf(childOf(node, 'MetricExpr') as SyntaxNode, source),
  };
}
