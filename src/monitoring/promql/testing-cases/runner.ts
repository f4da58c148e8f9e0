// Runs one eval of Prometheus' cases like its own runner: as written, in the middle of a range, and with its selectors
// pinned to the time by @ while the query is evaluated at others.
import assert from 'node:assert/strict';
import { byLabels } from '../../label-order.ts';
import { type Labels, stale } from '../../series.ts';
import { type Evaluated, type EvaluationOptions, evaluate } from '../evaluate.ts';
import { labelsText } from '../labels.ts';
import { QueryError } from '../query-error.ts';
import { parseQuery } from '../syntax/parse.ts';
import type { Node } from '../syntax/tree.ts';
import type { MemoryReader } from '../testing.ts';
import type { Eval, Expectation, Line, Load } from './script.ts';

const mostSamples = 10_000_000;
const tolerance = 1e-6;
const minuteMs = 60_000;
const queryContext = /(?:start|end|range|step)\(\)/;
const timeFunctions =
  /\b(?:days_in_month|day_of_month|day_of_week|day_of_year|end|hour|minute|month|year|predict_linear|range|start|step|time|timestamp)\s*\(/;

export function fill(reader: MemoryReader, { series, stepMs, withNative }: Load): void {
  for (const { labels, points, hasStarts } of series) {
    if (withNative) reader.addForeign(nativeTwin(labels), 'native histograms');
    if (points.includes('native')) reader.addForeign(labels, 'native histograms');
    else if (hasStarts) reader.addForeign(labels, 'start timestamps');
    else {
      const samples = points.map((point, at) => [at * stepMs, point === 'stale' ? stale : point] as const);
      reader.add(
        labels,
        samples.filter((sample): sample is readonly [number, number] => typeof sample[1] === 'number'),
      );
    }
  }
}

function nativeTwin(labels: Labels): Labels {
  return labels
    .filter(([name]) => name !== 'le')
    .map(([name, value]) =>
      name === '__name__' ? ([name, value.replace(/_(?:bucket|sum|count)$/, '')] as const) : ([name, value] as const),
    );
}

export async function runEval(reader: MemoryReader, given: Eval, lateNames: boolean): Promise<void> {
  const { query, startMs, endMs, stepMs } = given;
  const run = { reader, given, lateNames };
  await runOnce(run, parseOrFail(query, given), { startMs, endMs, stepMs });
  const isPlain = !given.rangeVector && given.text === undefined && stepMs === 0;
  if (!isPlain) return;
  if (!queryContext.test(query)) await runInRange(run);
  if (timeFunctions.test(query) || expects(given, 'fail')) return;
  const node = pinned(parseQuery(query), startMs);
  const others = startMs === 0 ? [-1000, 1000] : [-10 * startMs, 0, Math.floor(startMs / 5), 10 * startMs];
  for (const otherMs of others)
    await runOnce({ ...run, given: withoutPlaces(given) }, node, { startMs: otherMs, endMs: otherMs, stepMs: 0 });
}

const expects = ({ expectations }: Eval, level: Expectation['level']): boolean =>
  expectations.some((one) => one.level === level);

// The position of an annotation is checked only once: adding @ changes the text.
function withoutPlaces(given: Eval): Eval {
  return { ...given, expectations: given.expectations.filter(({ level }) => level === 'ordered') };
}

function parseOrFail(query: string, given: Eval): Node | QueryError {
  try {
    return parseQuery(query);
  } catch (error) {
    if (error instanceof QueryError && expects(given, 'fail')) return error;
    throw error;
  }
}

interface Run {
  reader: MemoryReader;
  given: Eval;
  lateNames: boolean;
}

type Times = Pick<EvaluationOptions, 'startMs' | 'endMs' | 'stepMs'>;

async function runOnce({ reader, given, lateNames }: Run, node: Node | QueryError, times: Times): Promise<void> {
  if (node instanceof QueryError) {
    checkFailure(given, node);
    return;
  }
  let evaluated: Evaluated;
  try {
    evaluated = await evaluate(reader, 'tenant', node, { ...times, mostSamples, lateNames });
  } catch (error) {
    if (!(error instanceof QueryError) || !expects(given, 'fail')) throw error;
    checkFailure(given, error);
    return;
  }
  assert.ok(!expects(given, 'fail'), 'an error was expected');
  checkNotes(given, evaluated);
  checkResult(given, evaluated);
}

async function runInRange({ reader, given, lateNames }: Run): Promise<void> {
  if (expects(given, 'fail') || expects(given, 'ordered')) return;
  const times = { startMs: given.startMs - minuteMs, endMs: given.startMs + minuteMs, stepMs: minuteMs };
  const { result } = await evaluate(reader, 'tenant', parseQuery(given.query), { ...times, mostSamples, lateNames });
  assert.equal(result.type, 'rows');
  if (result.type !== 'rows') return;
  const shown = result.rows
    .filter(({ present }) => present[1])
    .map(({ labels, values }) => ({ labels, value: values[1] as number }));
  if (given.scalar === undefined) compareVector(given, shown, 'in a range');
  else
    assert.ok(
      isClose(shown[0]?.value as number, given.scalar),
      `in a range: expected ${given.scalar}, got ${shown[0]?.value}`,
    );
}

function checkFailure(given: Eval, { message }: QueryError): void {
  for (const { level, matches } of given.expectations)
    if (level === 'fail') assert.ok(matches(message), `another error was expected: ${message}`);
}

function checkNotes(given: Eval, { notes }: Evaluated): void {
  const said = {
    warn: notes.texts('warning', given.query, Number.POSITIVE_INFINITY),
    info: notes.texts('info', given.query, Number.POSITIVE_INFINITY),
  };
  for (const level of ['warn', 'info'] as const) {
    const wanted = given.expectations.filter((one) => one.level === level);
    const list = JSON.stringify(said[level]);
    for (const { matches } of wanted) assert.ok(said[level].some(matches), `an expected ${level} is missing: ${list}`);
    if (wanted.length > 0)
      assert.ok(
        said[level].every((text) => wanted.some(({ matches }) => matches(text))),
        `unexpected ${level}: ${list}`,
      );
    if (expects(given, `no_${level}`)) assert.deepEqual(said[level], []);
  }
}

function checkResult(given: Eval, { result, grid }: Evaluated): void {
  if (result.type === 'string') assert.equal(result.value, given.text);
  else if (result.type === 'scalar') {
    assert.notEqual(given.scalar, undefined, 'no scalar was expected');
    assert.ok(isClose(result.value, given.scalar as number), `expected ${given.scalar}, got ${result.value}`);
  } else if (result.type === 'vector') {
    const shown = result.rows.map(({ labels, values }) => ({ labels, value: values[0] as number }));
    compareVector(given, shown, 'at once');
  } else if (result.type === 'rows') {
    assert.deepEqual(result.rows, result.rows.toSorted(byLabels));
    const shown = result.rows.map(({ labels, values, present }) => ({
      labels,
      points: [...values].flatMap((value, at) =>
        present[at] ? [[grid.startMs + at * grid.stepMs, value] as const] : [],
      ),
    }));
    compareMatrix(given, shown, given);
  } else if (given.rangeVector) {
    const shown = result.series.map(({ labels, times, values }) => ({
      labels,
      points: [...times].map((timeMs, at) => [timeMs, values[at] as number] as const),
    }));
    compareMatrix(given, shown, given.rangeVector);
  } else assert.fail('a range was not expected');
}

function compareVector(given: Eval, shown: { labels: Labels; value: number }[], when: string): void {
  const wanted = new Map(given.series.map((line) => [labelsText(line.labels), line]));
  for (const { labels, value } of shown) {
    const expected = wanted.get(labelsText(labels))?.points[0];
    assert.notEqual(expected, undefined, `${when}: unexpected ${labelsText(labels)} ${value}`);
    assert.ok(isClose(value, expected as number), `${when}: ${labelsText(labels)}: expected ${expected}, got ${value}`);
  }
  const names = shown.map(({ labels }) => labelsText(labels));
  for (const name of wanted.keys()) assert.ok(names.includes(name), `${when}: ${name} is missing`);
  if (expects(given, 'ordered')) assert.deepEqual(names, [...wanted.keys()]);
}

function compareMatrix(
  given: Eval,
  shown: { labels: Labels; points: (readonly [number, number])[] }[],
  { startMs, stepMs }: { startMs: number; stepMs: number },
): void {
  const wanted = new Map(given.series.map((line) => [labelsText(line.labels), pointsOf(line, startMs, stepMs)]));
  for (const { labels, points } of shown) {
    const name = labelsText(labels);
    const expected = wanted.get(name);
    assert.ok(expected, `unexpected ${name} ${points.join(' ')}`);
    const isSame =
      expected.length === points.length &&
      expected.every(([timeMs, value], at) => points[at]?.[0] === timeMs && isClose(points[at][1], value));
    assert.ok(isSame, `${name}: expected ${expected.join(' ')}, got ${points.join(' ')}`);
  }
  const names = shown.map(({ labels }) => labelsText(labels));
  for (const name of wanted.keys()) assert.ok(names.includes(name), `${name} is missing`);
}

function pointsOf({ points }: Line, startMs: number, stepMs: number): [number, number][] {
  return points.flatMap((value, at) =>
    typeof value === 'number' ? [[startMs + at * stepMs, value] as [number, number]] : [],
  );
}

function isClose(a: number, b: number): boolean {
  if (Number.isNaN(a) && Number.isNaN(b)) return true;
  if (a === b) return true;
  const sum = Math.abs(a) + Math.abs(b);
  if (a === 0 || b === 0 || sum < 2.3e-308) return Math.abs(a - b) < tolerance * 2.3e-308;
  return Math.abs(a - b) / Math.min(sum, Number.MAX_VALUE) < tolerance;
}

// The expression with its selectors and subqueries pinned to a time, if they have none.
function pinned(node: Node, at: number): Node {
  switch (node.kind) {
    case 'selector':
      return node.at === undefined ? { ...node, at } : node;
    case 'range':
      return { ...node, selector: pinned(node.selector, at) as typeof node.selector };
    case 'subquery':
      return node.at === undefined ? { ...node, at } : node;
    case 'call':
      return { ...node, args: node.args.map((arg) => pinned(arg, at)) };
    case 'aggregate':
      return { ...node, body: pinned(node.body, at), ...(node.parameter && { parameter: pinned(node.parameter, at) }) };
    case 'binary':
      return { ...node, left: pinned(node.left, at), right: pinned(node.right, at) };
    case 'unary':
    case 'paren':
      return { ...node, body: pinned(node.body, at) };
    default:
      return node;
  }
}
