// Formats a query like Loki: the answer of format_query.

import { quote } from '../../../base/go-strings.ts';
import type { Matcher } from '../../engine/engine.ts';
import type {
  BinaryExpr,
  Expr,
  Extraction,
  Grouping,
  LabelFilter,
  LabelFormat,
  LogExpr,
  NamedLabel,
  Stage,
  Unwrap,
} from './tree.ts';

export function printQuery(expr: Expr): string {
  switch (expr.kind) {
    case 'logs':
      return logs(expr);
    case 'literal':
      return String(expr.value);
    case 'vector':
      return `vector(${expr.value})`;
    case 'range': {
      const { op, parameter, rangeNs, offsetNs, unwrap, grouping } = expr;
      const offset = offsetNs === 0 ? '' : ` offset ${duration(offsetNs)}`;
      const body = `${logs(expr.logs)}${unwrap ? ` ${unwrapText(unwrap)}` : ''}[${duration(rangeNs)}]${offset}`;
      const group = grouping ? ` ${groupText(grouping)}` : '';
      return `${op}(${parameter === undefined ? '' : `${parameter},`}${body})${group}`;
    }
    case 'aggregate': {
      const { op, parameter, grouping, body } = expr;
      const group = grouping ? ` ${groupText(grouping)} ` : '';
      return `${op}${group}(${parameter === undefined ? '' : `${parameter},`}${printQuery(body)})`;
    }
    case 'labelReplace': {
      const { body, destination, replacement, source, pattern } = expr;
      return `label_replace(${[printQuery(body), ...[destination, replacement, source, pattern].map(quote)].join(',')})`;
    }
    default:
      return `(${printQuery(expr.left)} ${operator(expr)} ${printQuery(expr.right)})`;
  }
}

function operator({ op, isBool, matching }: BinaryExpr): string {
  const { isOn, labels, side, include } = matching;
  const parts = [op, ...(isBool ? ['bool'] : [])];
  if (isOn || labels.length > 0 || side !== 'one-to-one')
    parts.push(`${isOn ? 'on' : 'ignoring'} (${labels.join(',')})`);
  if (side !== 'one-to-one') parts.push(`group_${side} (${include.join(',')})`);
  return parts.join(' ');
}

const groupText = ({ isWithout, labels }: Grouping): string => `${isWithout ? 'without' : 'by'} (${labels.join(',')})`;
const matcherText = ({ name, operator: sign, value }: Matcher): string => `${name}${sign}${quote(value)}`;

function logs({ matchers, stages }: LogExpr): string {
  return [`{${matchers.map(matcherText).join(', ')}}`, ...stages.map(stageText)].join(' ');
}

function unwrapText({ label, conversion, filters }: Unwrap): string {
  const value = conversion ? `${conversion}(${label})` : label;
  return [`| unwrap ${value}`, ...filters.map((filter) => `| ${filterText(filter)}`)].join(' ');
}

const extractions = (list: Extraction[]): string =>
  list.map(({ name, expression }) => ` ${name}=${quote(expression)}`).join(',');

const named = (list: NamedLabel[]): string =>
  list.map((label) => ('matcher' in label ? matcherText(label.matcher) : label.name)).join(',');

export function stageText(stage: Stage): string {
  switch (stage.kind) {
    case 'lineFilter': {
      const { op, patterns } = stage.filter;
      return `${op} ${patterns.map(({ text, isIp }) => (isIp ? `ip(${quote(text)})` : quote(text))).join(' or ')}`;
    }
    case 'json':
      return `| json${extractions(stage.expressions)}`;
    case 'logfmt':
      return ['| logfmt', ...flags(stage)].join(' ') + extractions(stage.expressions);
    case 'regexp':
    case 'pattern':
      return `| ${stage.kind} ${quote(stage.pattern)}`;
    case 'labelFilter':
      return `| ${filterText(stage.filter)}`;
    case 'lineFormat':
      return `| line_format ${quote(stage.template)}`;
    case 'labelFormat':
      return `| label_format ${stage.formats.map(formatText).join(',')}`;
    case 'drop':
    case 'keep':
      return `| ${stage.kind} ${named(stage.labels)}`;
    default:
      return `| ${stage.kind}`;
  }
}

const flags = ({ isStrict, keepsEmpty }: { isStrict: boolean; keepsEmpty: boolean }): string[] => [
  ...(isStrict ? ['--strict'] : []),
  ...(keepsEmpty ? ['--keep-empty'] : []),
];

const formatText = (format: LabelFormat): string =>
  `${format.name}=${'from' in format ? format.from : quote(format.template)}`;

function filterText(filter: LabelFilter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `( ${filterText(filter.left)} ${filter.kind === 'or' ? 'or' : ','} ${filterText(filter.right)} )`;
    case 'text':
      return matcherText(filter.matcher);
    case 'ip':
      return `${filter.name}${filter.isNot ? '!=' : '='}ip(${quote(filter.pattern)})`;
    default:
      return `${filter.name}${filter.op}${filter.text}`;
  }
}

const units: [string, number][] = [
  ['w', 604_800e9],
  ['d', 86_400e9],
  ['h', 3600e9],
  ['m', 60e9],
  ['s', 1e9],
  ['ms', 1e6],
  ['us', 1e3],
  ['ns', 1],
];

function duration(ns: number): string {
  let rest = Math.abs(ns);
  let text = ns < 0 ? '-' : '';
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === '' || text === '-' ? '0s' : text;
}
