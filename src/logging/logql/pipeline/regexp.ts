// The stages `regexp` and `pattern`: parts of a line become labels.
import { parseError } from '../query-error.ts';
import { labelNameOf } from './label-name.ts';
import type { LineLabels } from './line-labels.ts';
import type { Process } from './process.ts';
import { compileRe2 } from './re2.ts';

export function regexpStage(pattern: string): Process {
  const re2 = compileRe2(pattern, 'invalid regexp parser: ');
  const groups = Object.entries(re2.namedGroups()).sort(([, a], [, b]) => a - b);
  if (groups.length === 0) throw parseError('invalid regexp parser: at least one named capture must be supplied');
  return (line, labels) => {
    const match = re2.matcher(line);
    if (!match.find()) return line;
    for (const [group, index] of groups)
      if (!take(labels, labelNameOf(group), match.group(index) ?? '')) return undefined;
    return line;
  };
}

function take(labels: LineLabels, field: string, value: string): boolean {
  const name = labels.freeName(field);
  if (!labels.hints.takes(name) || labels.extracted.has(name)) return true;
  labels.set(name, value);
  return labels.hints.passes(name, labels);
}

export type PatternPart = { literal: string } | { capture: string };

// Parses a pattern such as <ip> - <_> "<method> <path>".
export function parsePattern(pattern: string, what = ''): PatternPart[] {
  const parts: PatternPart[] = [];
  const form = /<([A-Za-z_]\w*)>/g;
  let from = 0;
  for (const { 0: text, 1: capture = '', index } of pattern.matchAll(form)) {
    if (index > from) parts.push({ literal: pattern.slice(from, index) });
    const before = parts.at(-1);
    if (before && 'capture' in before)
      throw parseError(`${what}found consecutive capture '<${before.capture}>${text}': invalid expression`);
    parts.push({ capture });
    from = index + text.length;
  }
  if (from < pattern.length) parts.push({ literal: pattern.slice(from) });
  return parts;
}

export function patternStage(pattern: string): Process {
  const what = 'invalid pattern parser: ';
  const parts = parsePattern(pattern, what);
  const names = parts.flatMap((part) => ('capture' in part && part.capture !== '_' ? [part.capture] : []));
  if (names.length === 0) throw parseError(`${what}at least one capture is required`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw parseError(`${what}duplicate capture name (${twice}): invalid expression`);
  return (line, labels) => {
    if (labels.hints.takesNothing(labels)) return line;
    const values = captured(line, parts);
    for (let index = 0; index < values.length; index++)
      if (!take(labels, names[index] as string, values[index] as string)) return undefined;
    return line;
  };
}

// The values of the captures in order: those before a missing literal, and the rest of the line for that one.
function captured(line: string, parts: readonly PatternPart[]): string[] {
  const values: string[] = [];
  let at = 0;
  let capture: string | undefined;
  if (line === '') return values;
  for (const [index, part] of parts.entries()) {
    if ('capture' in part) {
      capture = part.capture;
      continue;
    }
    const found = line.indexOf(part.literal, at);
    if (index === 0 ? found !== 0 : found < 0) {
      if (index > 0 && capture !== '_') values.push(line.slice(at));
      return values;
    }
    if (capture !== undefined && capture !== '_') values.push(line.slice(at, found));
    capture = undefined;
    at = found + part.literal.length;
  }
  if (capture !== undefined && capture !== '_') values.push(line.slice(at));
  return values;
}
