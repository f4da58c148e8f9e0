// Parses the stages of a pipeline.
import type { SyntaxNode } from '@lezer/common';
import type { Matcher } from '../../engine/engine.ts';
import { parseError } from '../query-error.ts';
import { childOf, childrenOf, itemsOf } from './grammar.ts';
import type { Source } from './source.ts';
import type {
  Comparison,
  Extraction,
  LabelFilter,
  LabelFormat,
  LineFilter,
  LineFilterOp,
  LinePattern,
  NamedLabel,
  Stage,
} from './tree.ts';
import { parseBytes } from './units.ts';

export function stagesOf(pipeline: SyntaxNode, source: Source): Stage[] {
  return itemsOf(pipeline, 'PipelineStage').flatMap((node) => {
    const filters = childOf(node, 'LineFilters');
    if (filters) return itemsOf(filters, 'LineFilter').map((filter) => lineFilterOf(filter, source));
    const stage = childrenOf(node).find(({ name }) => name !== 'Pipe') as SyntaxNode;
    return [stageOf(stage, source)];
  });
}

function stageOf(node: SyntaxNode, source: Source): Stage {
  switch (node.name) {
    case 'LabelParser':
      return parserOf(node, source);
    case 'JsonExpressionParser':
      return { kind: 'json', expressions: extractionsOf(node, source) };
    case 'LogfmtParser':
    case 'LogfmtExpressionParser': {
      const flags = childOf(node, 'LogfmtParserFlags');
      const given = flags ? itemsOf(flags, 'ParserFlag').map((flag) => source.of(flag)) : [];
      return {
        kind: 'logfmt',
        isStrict: given.includes('--strict'),
        keepsEmpty: given.includes('--keep-empty'),
        expressions: extractionsOf(node, source),
      };
    }
    case 'LabelFilter':
      return { kind: 'labelFilter', filter: labelFilterOf(node, source) };
    case 'LineFormatExpr':
      return { kind: 'lineFormat', template: stringIn(node, source) };
    case 'LabelFormatExpr':
      return { kind: 'labelFormat', formats: formatsOf(node, source) };
    case 'DecolorizeExpr':
      return { kind: 'decolorize' };
    case 'DropLabelsExpr':
      return { kind: 'drop', labels: namedLabels(node, 'DropLabels', 'DropLabel', source) };
    case 'KeepLabelsExpr':
      return { kind: 'keep', labels: namedLabels(node, 'KeepLabels', 'KeepLabel', source) };
    default:
      throw parseError(`unexpected ${node.name}`, source.text, node.from);
  }
}

const stringIn = (node: SyntaxNode, source: Source): string => source.string(childOf(node, 'String') as SyntaxNode);
const nameIn = (node: SyntaxNode, source: Source): string => source.of(childOf(node, 'Identifier') as SyntaxNode);

function parserOf(node: SyntaxNode, source: Source): Stage {
  const [first] = childrenOf(node) as [SyntaxNode];
  switch (first.name) {
    case 'Json':
      return { kind: 'json', expressions: [] };
    case 'Logfmt':
      return { kind: 'logfmt', isStrict: false, keepsEmpty: false, expressions: [] };
    case 'Unpack':
      return { kind: 'unpack' };
    case 'Regexp':
      return { kind: 'regexp', pattern: stringIn(node, source) };
    default:
      return { kind: 'pattern', pattern: stringIn(node, source) };
  }
}

function extractionsOf(node: SyntaxNode, source: Source): Extraction[] {
  const list = childOf(node, 'LabelExtractionExpressionList');
  if (!list) return [];
  return itemsOf(list, 'LabelExtractionExpression').map((item) => {
    const name = nameIn(item, source);
    const expression = childOf(item, 'String');
    return { name, expression: expression ? source.string(expression) : name };
  });
}

function lineFilterOf(node: SyntaxNode, source: Source): Stage {
  const op = source.of(childOf(node, 'Filter') as SyntaxNode) as LineFilterOp;
  const patterns: LinePattern[] = patternsOf(node, source);
  const filter: LineFilter = { op, patterns };
  return { kind: 'lineFilter', filter };
}

// The pattern of a filter, and those of its `or` alternatives, which the grammar nests.
function patternsOf(node: SyntaxNode, source: Source): LinePattern[] {
  const isIp = childOf(node, 'FilterOp') !== undefined;
  return childrenOf(node).flatMap((child) => {
    if (child.name === 'String') return [{ text: source.string(child), isIp }];
    return child.name === 'OrFilter' || child.name === 'LineFilter' ? patternsOf(child, source) : [];
  });
}

const matcherOps: Readonly<Record<string, Matcher['operator']>> = { Eq: '=', Neq: '!=', Re: '=~', Nre: '!~' };
const comparisonOps: Readonly<Record<string, Comparison>> = {
  Eq: '==',
  Eql: '==',
  Neq: '!=',
  Gtr: '>',
  Gte: '>=',
  Lss: '<',
  Lte: '<=',
};

export function matcherOf(node: SyntaxNode, source: Source): Matcher {
  const [name, sign, value] = childrenOf(node) as [SyntaxNode, SyntaxNode, SyntaxNode];
  return {
    name: source.of(name),
    operator: matcherOps[sign.name] as Matcher['operator'],
    value: source.string(value),
  };
}

export function labelFilterOf(node: SyntaxNode, source: Source): LabelFilter {
  const { filters, joins } = filterChain(node, source);
  const stack: LabelFilter[] = [];
  const waiting: Join[] = [];
  const reduce = (): void => {
    const [right, left] = [stack.pop(), stack.pop()] as [LabelFilter, LabelFilter];
    stack.push({ kind: waiting.pop() === 'or' ? 'or' : 'and', left, right });
  };
  for (const [index, filter] of filters.entries()) {
    stack.push(filter);
    const next = joins[index];
    while (waiting.length > 0 && (next === undefined || binds(waiting.at(-1) as Join, next))) reduce();
    if (next) waiting.push(next);
  }
  return stack[0] as LabelFilter;
}

type Join = 'and' | 'or' | ',';

// In Loki's grammar `and` binds stronger than `or`, and `,` has no precedence: the part after a comma is parsed first.
const binds = (before: Join, next: Join): boolean =>
  before !== ',' && next !== ',' && (before === 'and' || next === 'or');

// Filters without parentheses around them, in order, and the operator between each two.
function filterChain(node: SyntaxNode, source: Source): { filters: LabelFilter[]; joins: Join[] } {
  const [left, right] = childrenOf(node).filter(({ name }) => name === 'LabelFilter');
  if (left && right) {
    const [first, second] = [filterChain(left, source), filterChain(right, source)];
    const join: Join = childOf(node, 'Or') ? 'or' : childOf(node, 'And') ? 'and' : ',';
    return { filters: [...first.filters, ...second.filters], joins: [...first.joins, join, ...second.joins] };
  }
  return { filters: [left ? labelFilterOf(left, source) : singleFilter(node, source)], joins: [] };
}

function singleFilter(node: SyntaxNode, source: Source): LabelFilter {
  const [inner] = childrenOf(node) as [SyntaxNode];
  switch (inner.name) {
    case 'Matcher':
      return { kind: 'text', matcher: matcherOf(inner, source) };
    case 'IpLabelFilter': {
      const isNot = childOf(inner, 'Neq') !== undefined;
      return { kind: 'ip', name: nameIn(inner, source), isNot, pattern: stringIn(inner, source) };
    }
    case 'UnitFilter':
      return unitFilterOf(childrenOf(inner)[0] as SyntaxNode, source);
    default:
      return unitFilterOf(inner, source);
  }
}

function unitFilterOf(node: SyntaxNode, source: Source): LabelFilter {
  const [name, sign, value] = childrenOf(node) as [SyntaxNode, SyntaxNode, SyntaxNode];
  const op = comparisonOps[sign.name] as Comparison;
  const text = source.of(value);
  const base = { name: source.of(name), op, text };
  if (node.name === 'DurationFilter') return { kind: 'duration', value: source.duration(text, value.from), ...base };
  if (node.name === 'BytesFilter') return { kind: 'bytes', value: parseBytes(text), ...base };
  return { kind: 'number', value: source.number(value), ...base };
}

function formatsOf(node: SyntaxNode, source: Source): LabelFormat[] {
  const list = childOf(node, 'LabelsFormat') as SyntaxNode;
  return itemsOf(list, 'LabelFormatMatcher').map((item) => {
    const [name, , value] = childrenOf(item) as [SyntaxNode, SyntaxNode, SyntaxNode];
    if (value.name === 'String') return { name: source.of(name), template: source.string(value) };
    return { name: source.of(name), from: source.of(value) };
  });
}

function namedLabels(node: SyntaxNode, list: string, item: string, source: Source): NamedLabel[] {
  return itemsOf(childOf(node, list) as SyntaxNode, item).map((label) => {
    const matcher = childOf(label, 'Matcher');
    return matcher ? { matcher: matcherOf(matcher, source) } : { name: nameIn(label, source) };
  });
}
