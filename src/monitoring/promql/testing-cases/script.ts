// Reads the language of Prometheus' test cases: load, clear and eval, with the expected results below each eval. This
// file only parses; runner.ts executes.
import assert from 'node:assert/strict';
import type { Labels } from '../../series.ts';
import { parseDuration, parseFloat64, unquote } from '../syntax/literals.ts';
import { parseSelector } from '../syntax/parse.ts';
import { labelsOf } from '../testing.ts';

// One item of a sequence: a number, none, a stale marker, or an unsupported value.
export type Point = number | 'none' | 'native' | 'stale';

export interface Line {
  labels: Labels;
  points: Point[];
}

export interface Expectation {
  level: 'fail' | 'warn' | 'info' | 'no_warn' | 'no_info' | 'ordered';
  matches(text: string): boolean;
}

export interface Eval {
  kind: 'eval';
  line: number;
  query: string;
  startMs: number;
  endMs: number;
  stepMs: number; // 0: at one time
  expectations: Expectation[];
  series: Line[];
  scalar?: number;
  text?: string;
  rangeVector?: { startMs: number; endMs: number; stepMs: number };
}

export interface Load {
  kind: 'load';
  stepMs: number;
  withNative: boolean; // classic histograms are also stored as native ones
  series: (Line & { hasStarts: boolean })[];
}

export type Command = Eval | Load | { kind: 'clear' };

const evalForm =
  /^eval(?:_(fail|warn|ordered|info))?\s+(?:instant\s+(?:at\s+(.+?))?|range\s+from\s+(.+)\s+to\s+(.+)\s+step\s+(.+?))\s+(.+)$/;
const expectForm = /^expect\s+(ordered|fail|warn|no_warn|info|no_info)(?:\s+(regex|msg):(.+))?$/;
const rangeForm = /^expect range vector\s+from\s+(.+)\s+to\s+(.+)\s+step\s+(.+)$/;

export function parseScript(text: string): Command[] {
  const lines = text.split('\n').map((line) => line.trim().replace(/^#.*/, ''));
  const commands: Command[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line === '') continue;
    const body: string[] = [];
    if (/^clear\b/i.test(line)) commands.push({ kind: 'clear' });
    else {
      while (lines[at + 1]) body.push(lines[++at] as string);
      if (line.startsWith('load')) commands.push(parseLoad(line, body));
      else commands.push(parseEval(line, body, at - body.length + 1));
    }
  }
  return commands;
}

function durationOf(text: string): number {
  const ms = parseDuration(text);
  assert.notEqual(ms, undefined, `no duration: ${text}`);
  return ms as number;
}

function parseLoad(line: string, body: string[]): Load {
  const [, native, step] = /^load(_with_nhcb)?\s+(.+)$/.exec(line) ?? [];
  const started = new Set<string>();
  const series: Load['series'] = [];
  for (const each of body) {
    const [, metric] = /^(\S+)@st\s/.exec(each) ?? [];
    if (metric) started.add(JSON.stringify(seriesLabels(metric)));
    else series.push({ ...parseLine(each), hasStarts: false });
  }
  for (const one of series) one.hasStarts = started.has(JSON.stringify(one.labels));
  return { kind: 'load', stepMs: durationOf(step as string), withNative: native !== undefined, series };
}

function parseEval(line: string, body: string[], number: number): Eval {
  const [, modifier, at, from, to, step, query] = evalForm.exec(line) ?? [];
  assert.ok(query, `line ${number} is not an eval: ${line}`);
  const startMs = durationOf(at ?? from ?? '0');
  const found: Eval = {
    kind: 'eval',
    line: number,
    query,
    startMs,
    endMs: to ? durationOf(to) : startMs,
    stepMs: step ? durationOf(step) : 0,
    expectations: modifier ? [{ level: modifier as Expectation['level'], matches: () => true }] : [],
    series: [],
  };
  for (const each of body) parseExpected(each, found);
  return found;
}

function parseExpected(line: string, into: Eval): void {
  const range = rangeForm.exec(line);
  const [, level, form, wanted] = expectForm.exec(line) ?? [];
  const number = goNumber(line);
  if (range) {
    const [startMs, endMs, stepMs] = range.slice(1).map(durationOf) as [number, number, number];
    into.rangeVector = { startMs, endMs, stepMs };
    into.startMs = endMs;
    into.endMs = endMs;
  } else if (line.startsWith('expect string')) {
    into.text = unquote(line.slice('expect string '.length)) ?? '';
  } else if (level) {
    into.expectations.push({ level: level as Expectation['level'], matches: matcherOf(form, wanted?.trim() ?? '') });
  } else if (number !== undefined) into.scalar = number;
  else into.series.push(parseLine(line));
}

function matcherOf(form: string | undefined, wanted: string): (text: string) => boolean {
  if (form === 'msg') return (text) => text === wanted;
  const pattern = new RegExp(form === 'regex' ? wanted : '');
  return (text) => pattern.test(text);
}

// metric{label="value"} 1 2+3x4 _ stale
function parseLine(line: string): Line {
  const end = seriesEnd(line);
  return { labels: seriesLabels(line.slice(0, end)), points: parsePoints(line.slice(end).trim()) };
}

function seriesEnd(line: string): number {
  const open = /^[^\s{]*\s*\{(?!\{)/.exec(line);
  if (!open) return /^\S+/.exec(line)?.[0].length ?? 0;
  const inner = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[^}"'`])*\}/.exec(line.slice(open[0].length));
  return open[0].length + (inner?.[0].length ?? 0);
}

// A selector that only requires equality has the syntax of a series.
function seriesLabels(text: string): Labels {
  const labels: Record<string, string> = {};
  if (!/^\{\s*\}$/.test(text.trim())) {
    const matchers = parseSelector(text.includes('=') || !text.includes('{}') ? text : text.replace('{}', ''));
    for (const { name, value } of matchers) labels[name] = value;
  }
  return labelsOf(labels);
}

function parsePoints(text: string): Point[] {
  const items = text.match(/(?:\{\{.*?\}\}[+-]?)+(?:x\d+)?|\S+/g) ?? [];
  return items.flatMap((item) => (item.startsWith('{{') ? nativePoints(item) : plainPoints(item)));
}

function nativePoints(item: string): Point[] {
  const times = /\}\}x(\d+)$/.exec(item)?.[1];
  return new Array<Point>(times === undefined ? 1 : Number(times) + 1).fill('native');
}

function plainPoints(item: string): Point[] {
  const gap = /^_(?:x(\d+))?$/.exec(item);
  if (gap) return new Array<Point>(Number(gap[1] ?? 1)).fill('none');
  const constant = /^stale(?:x(\d+))?$/.exec(item);
  if (constant) return new Array<Point>(Number(constant[1] ?? 0) + 1).fill('stale');
  const number = '[+-]?(?:[\\d.]+(?:e[+-]?\\d+)?|inf|nan)';
  const sequence = new RegExp(`^(${number})(?:([+-]${number})?x(\\d+))?$`, 'i').exec(item);
  assert.ok(sequence, `no value: ${item}`);
  const [, first, change, times] = sequence;
  const start = goNumber(first as string) as number;
  const step = change ? (goNumber(change) as number) : 0;
  const points: number[] = [];
  for (let at = 0, value = start; at <= Number(times ?? 0); at++, value += step) points.push(value);
  return points;
}

function goNumber(text: string): number | undefined {
  return /^[+-]?0x/i.test(text) ? Number(text) : parseFloat64(text);
}
