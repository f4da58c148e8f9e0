// Labels and fields that Grafana offers as filters: labels of streams, and fields that json and logfmt find in a sample
// of lines.
import { evaluateLogs } from '../logql/logs.ts';
import { badData } from '../logql/query-error.ts';
import { parseQuery } from '../logql/syntax/parse.ts';
import type { LogExpr, Stage } from '../logql/syntax/tree.ts';
import { parseBytes, parseFloat64, parseGoDuration } from '../logql/syntax/units.ts';
import { type Described, selectionOf } from './describe.ts';
import { limitOf, mostLines, rangeOf, withinWindow } from './parameters.ts';
import { json } from './render.ts';

type Body = AsyncIterable<Uint8Array>;

export async function detectedLabels(request: Described): Promise<Body> {
  const selection = selectionOf(request);
  const names = await request.reader.names(selection);
  const detectedLabelList: { label: string; cardinality: number }[] = [];
  for (const label of names) {
    const values = await request.reader.values(label, selection);
    detectedLabelList.push({ label, cardinality: values.length });
  }
  return json({ detectedLabels: detectedLabelList });
}

interface Field {
  values: Set<string>;
  parsers: Set<string>;
}

const defaultFields = 1000;
const parsers: Readonly<Record<string, Stage>> = {
  json: { kind: 'json', expressions: [] },
  logfmt: { kind: 'logfmt', isStrict: false, keepsEmpty: false, expressions: [] },
};

async function sampled(request: Described): Promise<Map<string, Field>> {
  const { reader, tenant, parameters, nowNs, signal } = request;
  const expr = parseQuery(parameters.get('query') ?? '');
  if (expr.kind !== 'logs') throw badData('only log selector is supported');
  const { startNs, endNs } = withinWindow(rangeOf(parameters, nowNs));
  const limit = Math.min(mostLines, limitOf(parameters, 'line_limit'));
  const fields = new Map<string, Field>();
  for (const [parser, stage] of Object.entries(parsers)) {
    const query: LogExpr = { ...expr, stages: [...expr.stages, stage] };
    const options = { tenant, fromNs: startNs, toNs: endNs, direction: 'backward' as const, limit, signal };
    const streams = await evaluateLogs(reader, query, { ...options, isCategorized: true });
    for (const { lines } of streams)
      for (const { line, parsed, metadata } of lines) {
        // In a JSON line the fields of logfmt are noise, and words without a value are not fields.
        const isJson = /^\s*\{/.test(line);
        if (parsed && isJson === (parser === 'json')) for (const pair of parsed.pairs) take(fields, pair, parser);
        for (const pair of metadata?.pairs ?? []) take(fields, pair, '');
      }
  }
  return fields;
}

function take(fields: Map<string, Field>, [name, value]: readonly [string, string], parser: string): void {
  if (name.startsWith('__') || value === '') return;
  let field = fields.get(name);
  if (!field) {
    field = { values: new Set(), parsers: new Set() };
    fields.set(name, field);
  }
  field.values.add(value);
  if (parser !== '') field.parsers.add(parser);
}

export async function detectedFields(request: Described): Promise<Body> {
  const limit = limitOf(request.parameters, 'limit', defaultFields);
  const fields = [...(await sampled(request))].slice(0, limit).map(([label, { values, parsers: found }]) => ({
    label,
    type: typeOf([...values]),
    cardinality: values.size,
    parsers: found.size > 0 ? [...found] : null,
  }));
  return json({ fields: fields.sort((a, b) => (a.label < b.label ? -1 : 1)), limit });
}

export async function detectedFieldValues(request: Described, name: string): Promise<Body> {
  const limit = limitOf(request.parameters, 'limit', defaultFields);
  const values = [...((await sampled(request)).get(name)?.values ?? [])].sort().slice(0, limit);
  return json({ values, limit });
}

const reads = (read: (text: string) => unknown, values: readonly string[]): boolean =>
  values.every((value) => {
    try {
      read(value);
      return true;
    } catch {
      return false;
    }
  });

function typeOf(values: readonly string[]): string {
  if (values.every((value) => value === 'true' || value === 'false')) return 'boolean';
  if (values.every((value) => /^[-+]?\d+$/.test(value))) return 'int';
  if (reads(parseFloat64, values)) return 'float';
  if (reads(parseGoDuration, values)) return 'duration';
  return reads(parseBytes, values) ? 'bytes' : 'string';
}
