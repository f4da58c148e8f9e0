// The labels of one line on its way through a pipeline: those of its stream, its own ones (structured metadata), and
// those that stages parse. Parsed labels hide metadata, and both hide labels of the stream.
import type { Labels } from '../../engine/engine.ts';

export const errorLabel = '__error__';
export const errorDetailsLabel = '__error_details__';
export const preserveErrorLabel = '__preserve_error__';
const duplicateSuffix = '_extracted';

export const isSpecial = (name: string): boolean =>
  name === errorLabel || name === errorDetailsLabel || name === preserveErrorLabel;

// Labels that parsers need not extract (hints.ts).
export interface Hints {
  takesNothing(labels: LineLabels): boolean; // parsers have nothing left to extract
  takes(name: string): boolean;
  takesPrefix(prefix: string): boolean;
  isComplete(labels: LineLabels): boolean; // all required labels are extracted
  // False: a later filter would drop the line because of this label.
  passes(name: string, labels: LineLabels): boolean;
  preservesErrors: boolean;
}

export const noHints: Hints = {
  takesNothing: () => false,
  takes: () => true,
  takesPrefix: () => true,
  isComplete: () => false,
  passes: () => true,
  preservesErrors: false,
};

export class LineLabels {
  base: Labels = {};
  readonly metadata = new Map<string, string>();
  readonly parsed = new Map<string, string>();
  readonly deleted = new Set<string>();
  readonly extracted = new Set<string>(); // parsed labels, even if they were dropped later
  error = '';
  errorDetails = '';
  readonly hints: Hints;

  constructor(hints: Hints = noHints) {
    this.hints = hints;
  }

  reset(base: Labels, metadata: Labels | undefined): void {
    this.base = base;
    if (this.metadata.size > 0) this.metadata.clear();
    if (this.parsed.size > 0) this.parsed.clear();
    if (this.deleted.size > 0) this.deleted.clear();
    if (this.extracted.size > 0) this.extracted.clear();
    this.error = '';
    this.errorDetails = '';
    if (!metadata) return;
    for (const given in metadata) {
      const value = metadata[given] as string;
      const name = this.#baseHas(given) ? given + duplicateSuffix : given;
      if (name === errorLabel) this.error = value;
      else if (name === errorDetailsLabel) this.errorDetails = value;
      else this.metadata.set(name, value);
    }
  }

  // Whether no stage changed anything, so that the labels are those of the stream.
  get isPlain(): boolean {
    return this.parsed.size === 0 && this.metadata.size === 0 && this.deleted.size === 0 && this.error === '';
  }

  get(name: string): string | undefined {
    const own = this.metadata.get(name) ?? this.parsed.get(name);
    if (own !== undefined) return own;
    return this.deleted.has(name) ? undefined : this.#baseValue(name);
  }

  // The value for string filters: an error is a label, and a missing label is empty.
  textOf(name: string): string {
    return name === errorLabel ? this.error : (this.get(name) ?? '');
  }

  set(name: string, value: string): void {
    this.metadata.delete(name);
    this.parsed.set(name, value);
    this.extracted.add(name);
  }

  // The name under which a parser stores a field: a name of the stream or the metadata gets a suffix.
  freeName(name: string): string {
    return this.isTaken(name) ? name + duplicateSuffix : name;
  }

  isTaken(name: string): boolean {
    return this.#baseHas(name) || this.metadata.has(name);
  }

  delete(name: string): void {
    this.metadata.delete(name);
    this.parsed.delete(name);
    this.deleted.add(name);
  }

  fail(kind: string, details?: string): void {
    this.error = kind;
    if (details !== undefined) this.errorDetails = details;
    if (this.hints.preservesErrors) this.set(preserveErrorLabel, 'true');
  }

  // For conversions: an earlier error is more useful and stays.
  failOnce(kind: string, details: string): void {
    if (this.error !== '') return;
    this.error = kind;
    this.errorDetails = details;
  }

  // All names and values, in no particular order.
  entries(): [string, string][] {
    const all = this.streamEntries();
    for (const entry of this.metadata) if (!this.parsed.has(entry[0])) all.push(entry);
    for (const entry of this.parsed) all.push(entry);
    this.#pushErrors(all);
    return all;
  }

  streamEntries(): [string, string][] {
    const found: [string, string][] = [];
    for (const name in this.base)
      if (!this.deleted.has(name) && !this.metadata.has(name) && !this.parsed.has(name))
        found.push([name, this.base[name] as string]);
    return found;
  }

  metadataEntries(): [string, string][] {
    return [...this.metadata].filter(([name]) => !this.parsed.has(name));
  }

  parsedEntries(): [string, string][] {
    const found = [...this.parsed];
    this.#pushErrors(found);
    return found;
  }

  #pushErrors(list: [string, string][]): void {
    if (this.error !== '') list.push([errorLabel, this.error]);
    if (this.errorDetails !== '') list.push([errorDetailsLabel, this.errorDetails]);
  }

  #baseHas(name: string): boolean {
    return Object.hasOwn(this.base, name);
  }

  #baseValue(name: string): string | undefined {
    return this.#baseHas(name) ? this.base[name] || undefined : undefined;
  }
}
