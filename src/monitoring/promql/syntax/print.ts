// Prints an expression in normal form, for format_query. Long ones are split over lines.

import { plainNumber } from '../api/number-format.ts';
import { durationText, isPlainName, quote } from './literals.ts';
import {
  type AggregateNode,
  type BinaryNode,
  type Duration,
  type Moment,
  type Node,
  type SelectorNode,
  takesParameter,
} from './tree.ts';

const widest = 100;

export function prettyQuery(node: Node, level = 0): string {
  const indent = '  '.repeat(level);
  const flat = queryText(node);
  if (node.kind === 'subquery' && flat.length > widest) return prettyQuery(node.body, level) + subqueryTail(node);
  if (node.kind === 'unary') return `${indent}${node.op}${prettyQuery(node.body, level).trim()}`;
  if (flat.length <= widest) return indent + flat;
  const inner = (child: Node): string => prettyQuery(child, level + 1);
  if (node.kind === 'aggregate') {
    const args = [node.parameter, node.body].filter((child) => child !== undefined);
    return `${indent}${aggregateHead(node)}(\n${args.map(inner).join(',\n')}\n${indent})`;
  }
  if (node.kind === 'binary')
    return `${inner(node.left)}\n${indent}${node.op}${operatorTail(node)}\n${inner(node.right)}`;
  if (node.kind === 'call') return `${indent}${node.name}(\n${node.args.map(inner).join(',\n')}\n${indent})`;
  if (node.kind === 'paren') return `${indent}(\n${inner(node.body)}\n${indent})`;
  return indent + flat;
}

export function queryText(node: Node): string {
  switch (node.kind) {
    case 'number':
      return node.hasUnit ? durationText(node.value * 1000) : plainNumber(node.value);
    case 'string':
      return quote(node.value);
    case 'selector':
      return selectorText(node) + atText(node) + extensionText(node) + offsetText(node);
    case 'range': {
      const { selector } = node;
      const range = durationOf(node.range);
      return `${selectorText(selector)}[${range}]${extensionText(selector)}${atText(selector)}${offsetText(selector)}`;
    }
    case 'subquery':
      return queryText(node.body) + subqueryTail(node);
    case 'call':
      return `${node.name}(${node.args.map(queryText).join(', ')})`;
    case 'aggregate': {
      const parameter = takesParameter(node.op) && node.parameter ? `${queryText(node.parameter)}, ` : '';
      return `${aggregateHead(node)}(${parameter}${queryText(node.body)})`;
    }
    case 'binary':
      return `${queryText(node.left)} ${node.op}${operatorTail(node)} ${queryText(node.right)}`;
    case 'unary':
      return node.op + queryText(node.body);
    case 'paren':
      return `(${queryText(node.body)})`;
  }
}

function selectorText({ name, matchers }: SelectorNode): string {
  const shown = matchers
    .filter((matcher) => !(matcher.name === '__name__' && matcher.op === '=' && matcher.value === name && name !== ''))
    .map((matcher) => `${labelText(matcher.name)}${matcher.op}${quote(matcher.value)}`)
    .sort();
  return shown.length > 0 ? `${name}{${shown.join(',')}}` : name;
}

const labelText = (name: string): string => (isPlainName(name) ? name : quote(name));
const labelsText = (names: readonly string[]): string => names.map(labelText).join(', ');
const extensionText = ({ extension }: SelectorNode): string => (extension ? ` ${extension}` : '');

function atText({ at }: Moment): string {
  if (at === undefined) return '';
  return typeof at === 'number' ? ` @ ${(at / 1000).toFixed(3)}` : ` @ ${at}()`;
}

function offsetText({ offset }: Moment): string {
  return offset ? ` offset ${durationOf(offset)}` : '';
}

function subqueryTail(node: Extract<Node, { kind: 'subquery' }>): string {
  const step = node.step ? durationOf(node.step) : '';
  return `[${durationOf(node.range)}:${step}]${atText(node)}${offsetText(node)}`;
}

// A factor in a calculation is printed as a number; alone, it is a duration.
function durationOf(duration: Duration, isAlone = true): string {
  switch (duration.kind) {
    case 'seconds':
      return isAlone || duration.hasUnit ? durationText(duration.seconds * 1000) : plainNumber(duration.seconds);
    case 'query':
      return `${duration.name}()`;
    case 'sign':
      return `${duration.op === '-' ? '-' : ''}${durationOf(duration.right, isAlone)}`;
    case 'paren':
      return `(${durationOf(duration.inner, false)})`;
    case 'pair': {
      const [left, right] = [durationOf(duration.left, false), durationOf(duration.right, false)];
      return duration.op.endsWith('_of') ? `${duration.op}(${left}, ${right})` : `${left} ${duration.op} ${right}`;
    }
  }
}

function aggregateHead({ op, grouping, isWithout }: AggregateNode): string {
  if (isWithout) return `${op} without (${labelsText(grouping)}) `;
  return grouping.length > 0 ? `${op} by (${labelsText(grouping)}) ` : op;
}

function operatorTail({ isBool, matching, hasMatching }: BinaryNode): string {
  let tail = isBool ? ' bool' : '';
  if (hasMatching && (matching.labels.length > 0 || matching.isOn || matching.group))
    tail += ` ${matching.isOn ? 'on' : 'ignoring'} (${labelsText(matching.labels)})`;
  if (matching.group) tail += ` group_${matching.group} (${labelsText(matching.include)})`;
  const { fillLeft, fillRight } = matching;
  if (fillLeft !== undefined && fillLeft === fillRight) return `${tail} fill (${plainNumber(fillLeft)})`;
  if (fillLeft !== undefined) tail += ` fill_left (${plainNumber(fillLeft)})`;
  if (fillRight !== undefined) tail += ` fill_right (${plainNumber(fillRight)})`;
  return tail;
}
