// A variable of a dashboard: its values, which a query finds or a list has, and its selection.
import type { Selected } from './interpolation.ts';

export interface Variable {
  name: string;
  label?: string;
  kind: string; // query, custom, constant, interval or text
  query: string; // the query, or the values, separated by commas
  pattern?: string;
  isMulti?: boolean;
  hasAll?: boolean;
  allValue?: string;
  isHidden?: boolean;
  current: readonly string[];
}

export const all = '$__all';
const automatic = 'auto';

export const titleOf = ({ name, label }: Variable): string => label || name;

export interface Option {
  value: string;
  text: string;
}

// `text : value` or `value`, separated by commas. A backslash escapes a comma.
export function listed(query: string): Option[] {
  return query
    .split(/(?<!\\),/)
    .map((part) => part.trim().replaceAll('\\,', ','))
    .filter((part) => part !== '')
    .map((part) => {
      const [, text = part, value = part] = /^(.+?)\s+:\s+(.+)$/.exec(part) ?? [];
      return { value, text };
    });
}

export type VariableQuery =
  | { kind: 'labelValues'; label: string; selector: string }
  | { kind: 'labelNames'; selector: string }
  | { kind: 'metrics'; pattern: string }
  | { kind: 'result'; expression: string };

// The query functions of Grafana's Prometheus data source.
export function queryOf(text: string): VariableQuery {
  const query = text.trim();
  const [, inside] = /^label_values\((.*)\)$/s.exec(query) ?? [];
  if (inside !== undefined) {
    const [, selector = '', label = ''] = /^(?:(.*),)?\s*([^,{}()]+?)\s*$/s.exec(inside) ?? [];
    return { kind: 'labelValues', label, selector: selector.trim() };
  }
  const [, names] = /^label_names\((.*)\)$/s.exec(query) ?? [];
  if (names !== undefined) return { kind: 'labelNames', selector: names.trim() };
  const [, pattern] = /^metrics\((.*)\)$/s.exec(query) ?? [];
  if (pattern !== undefined) return { kind: 'metrics', pattern: pattern.trim() };
  const [, expression = query] = /^query_result\((.*)\)$/s.exec(query) ?? [];
  return { kind: 'result', expression };
}

// The values that match the pattern: `/name="([^"]*)/` selects the text of its first group.
export function selectedBy(pattern: string, values: readonly string[]): Option[] {
  const found = pattern === '' ? values.map((value) => ({ value, text: value })) : matches(pattern, values);
  const seen = new Set<string>();
  return found.filter(({ value }) => !seen.has(value) && seen.add(value));
}

function matches(pattern: string, values: readonly string[]): Option[] {
  const [, source = pattern, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(pattern) ?? [];
  const expression = compiled(source, flags.replace('g', ''));
  if (!expression) return [];
  return values.flatMap((one) => {
    const match = expression.exec(one);
    if (!match) return [];
    const value = match.groups?.value ?? match[1] ?? match[0];
    return value === '' ? [] : [{ value, text: match.groups?.text ?? value }];
  });
}

function compiled(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

// The wanted values that exist, or else the first value.
export function kept(variable: Variable, options: readonly Option[], wanted: readonly string[]): string[] {
  const { kind, hasAll, isMulti } = variable;
  if (kind === 'text') return [wanted[0] ?? variable.query];
  if (hasAll && wanted.includes(all)) return [all];
  const known = wanted.filter((value) => options.some((one) => one.value === value));
  if (known.length > 0) return isMulti ? known : known.slice(0, 1);
  const [first] = options;
  if (hasAll) return [all];
  return first ? [first.value] : [];
}

export function selectedOf(variable: Variable, options: readonly Option[], values: readonly string[]): Selected {
  const isPattern = variable.isMulti === true || variable.hasAll === true;
  if (variable.kind === 'interval' && values[0]?.startsWith(automatic))
    return { values, isPattern, raw: '$__interval' };
  if (!values.includes(all)) return { values, isPattern };
  if (variable.allValue) return { values, isPattern, raw: variable.allValue };
  return { values: options.map(({ value }) => value), isPattern };
}

// The values of its form.
export const valuesOf = ({ name, kind, query, label, pattern, isMulti, hasAll }: Variable) => ({
  name,
  kind,
  query,
  ...(label !== undefined && { label }),
  ...(pattern !== undefined && { pattern }),
  isMulti: isMulti === true,
  hasAll: hasAll === true,
});

export function variableOf(values: Readonly<Record<string, unknown>>, edited?: Variable): Variable {
  const text = (name: string): string => String(values[name] ?? '').trim();
  const { label, pattern, isMulti, hasAll, ...kept } = edited ?? { current: values.hasAll === true ? [all] : [] };
  return {
    ...kept,
    name: text('name'),
    kind: text('kind'),
    query: text('query'),
    ...(text('label') !== '' && { label: text('label') }),
    ...(text('pattern') !== '' && { pattern: text('pattern') }),
    ...(values.isMulti === true && { isMulti: true }),
    ...(values.hasAll === true && { hasAll: true }),
  };
}
