// Describes streams: names and values of labels, series, statistics and volumes.
import type { LogReader, LogSelection, Matcher } from '../engine/engine.ts';
import { type LabelSet, labelSet } from '../logql/label-set.ts';
import { evaluateRange } from '../logql/metric/evaluate.ts';
import type { Vector } from '../logql/metric/rows.ts';
import { badData } from '../logql/query-error.ts';
import { parseSelector } from '../logql/syntax/parse.ts';
import { limitOf, mostPoints, rangeOf, selectorsOf, stepOf, withinWindow } from './parameters.ts';
import { json, matrixResult, success, vectorResult } from './render.ts';

export interface Described {
  reader: LogReader;
  tenant: string;
  parameters: URLSearchParams;
  nowNs: bigint;
  signal: AbortSignal;
}

type Body = AsyncIterable<Uint8Array>;

const nothing = { lines: 0, bytes: 0, entries: 0, seconds: 0 };

export function selectionOf(
  { tenant, parameters, nowNs }: Described,
  selector = parameters.get('query') ?? '',
): LogSelection {
  const { startNs, endNs } = withinWindow(rangeOf(parameters, nowNs));
  return { tenant, matchers: parseSelector(selector), fromNs: startNs, toNs: endNs };
}

export async function labelNames(request: Described): Promise<Body> {
  return success(await request.reader.names(selectionOf(request)));
}

export async function labelValues(request: Described, name: string): Promise<Body> {
  return success(await request.reader.values(name, selectionOf(request)));
}

export async function seriesList(request: Described): Promise<Body> {
  const selectors = selectorsOf(request.parameters);
  const selections = (selectors.length > 0 ? selectors : ['{}']).map((selector) => selectionOf(request, selector));
  return success(await request.reader.series(selections));
}

export async function stats(request: Described): Promise<Body> {
  const { streams, chunks, entries, bytes } = await request.reader.stats(selectionOf(request));
  return json({ streams, chunks, entries, bytes });
}

const mostStreams = 2000;

interface VolumeQuestion {
  selection: LogSelection;
  groupOf(labels: Readonly<Record<string, string>>): [string, string][];
  names: string[];
  isByName: boolean;
}

// The labels of the volumes: the requested ones, or those of the selector.
function volumeQuestion(request: Described): VolumeQuestion {
  const { parameters } = request;
  const selection = selectionOf(request);
  if (selection.matchers.length === 0 && !/\{/.test(parameters.get('query') ?? ''))
    throw badData('missing query parameter');
  const target = (parameters.get('targetLabels') ?? '').split(',').filter((name) => name !== '');
  const names = target.length > 0 ? target : selection.matchers.map(({ name }) => name);
  const kind = parameters.get('aggregateBy') || 'series';
  if (kind !== 'series' && kind !== 'labels') throw badData('invalid aggregation option');
  return {
    selection,
    names,
    isByName: kind === 'labels',
    groupOf: (labels) => Object.entries(labels).filter(([name]) => names.length === 0 || names.includes(name)),
  };
}

export async function volume(request: Described): Promise<Body> {
  const limit = limitOf(request.parameters);
  const question = volumeQuestion(request);
  const { selection, groupOf, isByName } = question;
  const found = await request.reader.series([selection]);
  if (found.length > mostStreams) throw badData(`the query selects more than ${mostStreams} streams`);
  const volumes = new Map<string, { series: LabelSet; value: number }>();
  for (const labels of found) {
    if (request.signal.aborted) break;
    const { bytes } = await request.reader.stats({ ...selection, matchers: exactly(labels) });
    const group = groupOf(labels);
    const sets = isByName ? group.map(([name]) => labelSet([[name, '']])) : [labelSet(group)];
    for (const series of sets) {
      const known = volumes.get(series.key);
      if (known) known.value += bytes;
      else volumes.set(series.key, { series, value: bytes });
    }
  }
  const vector: Vector = [...volumes.values()].sort(
    (a, b) => b.value - a.value || (a.series.key < b.series.key ? -1 : 1),
  );
  return vectorResult(vector.slice(0, limit), selection.toNs, nothing);
}

const exactly = (labels: Readonly<Record<string, string>>): Matcher[] =>
  Object.entries(labels).map(([name, value]) => ({ name, operator: '=', value }));

export async function volumeRange(request: Described): Promise<Body> {
  const { reader, tenant, parameters, nowNs, signal } = request;
  const { selection, names } = volumeQuestion(request);
  const range = withinWindow(rangeOf(parameters, nowNs));
  const stepNs = stepOf(parameters, range);
  const count = Math.min(mostPoints, Math.ceil(Number(range.endNs - range.startNs) / stepNs));
  const grid = { startNs: range.startNs + BigInt(stepNs), stepNs, count: Math.max(1, count) };
  const body = {
    kind: 'range' as const,
    op: 'bytes_over_time' as const,
    logs: { kind: 'logs' as const, matchers: [...selection.matchers], stages: [] },
    rangeNs: stepNs,
    offsetNs: 0,
  };
  const grouping = names.length > 0 ? { isWithout: false, labels: names } : { isWithout: true, labels: [] };
  const expr = { kind: 'aggregate' as const, op: 'sum' as const, grouping, body };
  const rows = await evaluateRange(expr, { reader, tenant, grid, signal });
  return matrixResult(rows, grid, nothing);
}
