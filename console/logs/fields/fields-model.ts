// The fields of the found lines: labels of their streams, and fields that json and logfmt find in a sample. The values
// of a field are counted over all lines of the search when the user opens the field.
import { signal } from '@preact/signals';
import { Resource } from '../../components/fetched.ts';
import { ask, askInstant, nsOf } from '../loki.ts';
import { type Origin, parserStage } from '../query/filter.ts';
import type { SubmittedSearch } from '../submitted-search.ts';

export interface FieldName {
  name: string;
  origin: Origin;
  cardinality?: number; // in a sample
}

export interface FieldValue {
  value: string;
  count: number;
}

const sampledLines = 500;
const mostFields = 100;
export const mostValues = 30;

interface Detected {
  fields: { label: string; cardinality: number; parsers: string[] | null }[] | null;
}

export async function fieldNames({ source, query, span }: SubmittedSearch, signal: AbortSignal): Promise<FieldName[]> {
  const times = { start: nsOf(span.fromS), end: nsOf(span.toS) };
  const sampling = { line_limit: String(sampledLines), limit: String(mostFields) };
  const [labels, detected] = await Promise.all([
    ask<{ data?: string[] }>(source, 'labels', times, signal),
    ask<Detected>(source, 'detected_fields', { query, ...times, ...sampling }, signal),
  ]);
  const names = (labels.data ?? []).filter((name) => name !== 'pipeline'); // the same for all lines
  const isNew = ({ label }: { label: string }): boolean => !names.includes(label.replace(/_extracted$/, ''));
  const fields = (detected.fields ?? []).filter(isNew).map(({ label, cardinality, parsers }) => ({
    name: label,
    origin: originOf(parsers),
    cardinality,
  }));
  return [...names.map((name): FieldName => ({ name, origin: 'label' })), ...fields];
}

const originOf = (parsers: readonly string[] | null): Origin => {
  const [parser] = parsers ?? [];
  return parser === 'json' || parser === 'logfmt' ? parser : 'metadata';
};

export function valuesQuery(query: string, { name, origin }: FieldName, rangeS: number): string {
  const parsed =
    origin === 'json' || origin === 'logfmt' ? `${parserStage(origin)} | drop __error__, __error_details__` : '';
  return `topk(${mostValues}, sum by (${name}) (count_over_time(${query}${parsed} [${rangeS}s])))`;
}

async function fieldValues(submitted: SubmittedSearch, field: FieldName, signal: AbortSignal): Promise<FieldValue[]> {
  const { source, query, span } = submitted;
  const rangeS = Math.max(1, Math.round(span.toS - span.fromS));
  const found = await askInstant(source, valuesQuery(query, field, rangeS), span.toS, signal);
  return found
    .map(({ metric, value }) => ({ value: metric[field.name] ?? '', count: Number(value[1]) }))
    .filter(({ value }) => value !== '')
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

export interface OpenedField {
  field: FieldName;
  values: Resource<FieldValue[]>;
}

const keyOf = ({ name, origin }: FieldName): string => `${origin} ${name}`;

export class FieldsModel {
  readonly names: Resource<FieldName[]>;
  readonly opened = signal<ReadonlyMap<string, OpenedField>>(new Map());
  readonly #signal: AbortSignal;
  #submitted: SubmittedSearch | undefined;

  constructor(ending: AbortSignal) {
    this.#signal = ending;
    this.names = new Resource(
      (given) => (this.#submitted ? fieldNames(this.#submitted, given) : Promise.resolve([])),
      ending,
    );
  }

  // Opened fields stay open.
  async load(submitted: SubmittedSearch): Promise<void> {
    this.#submitted = submitted;
    await Promise.all([this.names.reload(), ...[...this.opened.value.values()].map(({ values }) => values.reload())]);
  }

  openedOf(field: FieldName): OpenedField | undefined {
    return this.opened.value.get(keyOf(field));
  }

  toggle(field: FieldName): void {
    const opened = new Map(this.opened.value);
    if (!opened.delete(keyOf(field))) {
      const fetch = (given: AbortSignal): Promise<FieldValue[]> =>
        this.#submitted ? fieldValues(this.#submitted, field, given) : Promise.resolve([]);
      const values = new Resource(fetch, this.#signal);
      opened.set(keyOf(field), { field, values });
      void values.reload();
    }
    this.opened.value = opened;
  }
}
