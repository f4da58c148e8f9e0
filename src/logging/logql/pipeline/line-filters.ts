// Filters of whole lines, and the words by which an engine can skip lines.
import { inStage, parseError } from '../query-error.ts';
import { stageText } from '../syntax/print.ts';
import type { LineFilter, LinePattern, Stage } from '../syntax/tree.ts';
import { ipTest } from './ip-filter.ts';
import type { Process } from './process.ts';
import { lineTest, requiredWords } from './re2.ts';
import { parsePattern } from './regexp.ts';

export function lineFilterStage(filter: LineFilter): Process {
  const test = filterTest(filter);
  return (line) => (test(line) ? line : undefined);
}

// Splits off the filters at the beginning of a pipeline, which need neither labels nor an order of lines.
export function splitFilters(stages: readonly Stage[]): { test: (line: string) => boolean; rest: Stage[] } {
  const first = stages.findIndex(({ kind }) => kind !== 'lineFilter');
  const filters = first < 0 ? stages : stages.slice(0, first);
  const compile = () => filters.flatMap((stage) => (stage.kind === 'lineFilter' ? [filterTest(stage.filter)] : []));
  const tests = inStage(() => filters.map(stageText).join(' '), compile);
  const [only] = tests;
  const test = tests.length === 1 && only ? only : (line: string) => tests.every((one) => one(line));
  return { test: tests.length === 0 ? () => true : test, rest: stages.slice(filters.length) };
}

function filterTest({ op, patterns }: LineFilter): (line: string) => boolean {
  const isNegative = op.startsWith('!');
  const tests = patterns.map((pattern) => testOf(op, pattern));
  const [only] = tests;
  if (tests.length === 1 && only) return isNegative ? (line) => !only(line) : only;
  return (line) => tests.some((test) => test(line)) !== isNegative;
}

function testOf(op: LineFilter['op'], { text, isIp }: LinePattern): (line: string) => boolean {
  if (isIp) {
    if (op !== '|=' && op !== '!=') throw parseError('ip: invalid operation');
    return ipTest(text);
  }
  if (op === '|=' || op === '!=') return (line) => line.includes(text);
  return op === '|~' || op === '!~' ? lineTest(text) : patternTest(text);
}

// Whether a whole line matches a pattern such as <_> took <_> ms; no capture may be empty.
function patternTest(pattern: string): (line: string) => boolean {
  const parts = parsePattern(pattern);
  const named = parts.find((part) => 'capture' in part && part.capture !== '_');
  if (named && 'capture' in named) throw parseError(`named captures are not allowed: found '<${named.capture}>'`);
  const last = parts.at(-1);
  return (line) => {
    if (line === '' || !last) return line === '' && !last;
    let at = 0;
    for (const [index, part] of parts.entries()) {
      if ('capture' in part) continue;
      const found = line.indexOf(part.literal, at);
      if (found < 0 || (index !== 0 && found === at)) return false;
      at = found + part.literal.length;
    }
    return 'capture' in last === at < line.length;
  };
}

// Texts that every returned line contains: from the filters before the first stage that changes lines.
export function containedWords(stages: readonly Stage[]): string[] {
  const words = new Set<string>();
  for (const stage of stages) {
    if (stage.kind === 'lineFormat' || stage.kind === 'unpack' || stage.kind === 'decolorize') break;
    if (stage.kind !== 'lineFilter') continue;
    const { op, patterns } = stage.filter;
    const [only] = patterns;
    if (patterns.length !== 1 || !only || only.isIp) continue;
    if (op === '|=' && only.text !== '') words.add(only.text);
    if (op === '|~') for (const word of requiredWords(only.text)) words.add(word);
    if (op === '|>')
      for (const part of parsePattern(only.text)) if ('literal' in part && part.literal !== '') words.add(part.literal);
  }
  return [...words];
}
