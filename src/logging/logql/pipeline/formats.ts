// The stages that rewrite lines and labels: line_format, label_format and decolorize; and drop and keep.
import { StringMap, TemplateError } from '../../../core/go-template/values.ts';
import { parseError } from '../query-error.ts';
import type { LabelFormat, NamedLabel } from '../syntax/tree.ts';
import { type LineTemplate, parseTemplate } from '../template/template.ts';
import { matcherTest } from './label-filters.ts';
import { errorDetailsLabel, errorLabel, isSpecial, type LineLabels } from './line-labels.ts';
import type { CompiledStage, Process } from './process.ts';

const templateError = 'TemplateFormatErr';

function fail(labels: LineLabels, error: unknown): void {
  if (!(error instanceof TemplateError)) throw error;
  labels.error = templateError;
  labels.errorDetails = error.message;
}

export function lineFormatStage(text: string): CompiledStage {
  const template = compiled('line', text, (message) => `invalid line template: ${message}`);
  const { only } = template;
  if (only !== undefined) return { required: template.fields, process: (_, labels) => labels.get(only) ?? '' };
  const process: Process = (line, labels, timeNs) => {
    try {
      return template.expand({ labels: new StringMap(labels.entries()), line, timeNs });
    } catch (error) {
      fail(labels, error);
      return line;
    }
  };
  return { process, required: template.fields };
}

function compiled(name: string, text: string, message: (cause: string) => string): LineTemplate {
  try {
    return parseTemplate(name, text);
  } catch (error) {
    throw error instanceof TemplateError ? parseError(message(error.message)) : error;
  }
}

export function labelFormatStage(given: readonly LabelFormat[]): CompiledStage {
  const names = new Set<string>();
  for (const { name } of given) {
    if (name === errorLabel) throw parseError(`${name} cannot be formatted`);
    if (names.has(name)) throw parseError(`multiple label name '${name}' not allowed in a single format operation`);
    names.add(name);
  }
  const formats = given.map((format) => {
    if ('from' in format) return format;
    const { name, template } = format;
    const message = (cause: string): string => `invalid template for label '${name}': ${cause}`;
    return { name, template: compiled('label', template, message) };
  });
  const process: Process = (line, labels, timeNs) => {
    let known: StringMap | undefined;
    for (const format of formats) {
      if ('from' in format) {
        const value = labels.get(format.from);
        if (value === undefined) continue;
        labels.set(format.name, value);
        labels.delete(format.from);
        continue;
      }
      // All templates of a stage see the labels before the stage.
      known ??= new StringMap(labels.entries());
      try {
        labels.set(format.name, format.template.expand({ labels: known, line, timeNs }));
      } catch (error) {
        fail(labels, error);
      }
    }
    return line;
  };
  return {
    process,
    required: formats.flatMap((format) => ('from' in format ? [format.from] : format.template.fields)),
  };
}

// Terminal escape sequences: up to a bell, or up to the letter or sign that ends them.
const ansi = new RegExp(
  [
    // Prevents backtracking within the run of signs: the rest could match its semicolons in very many ways.
    '[\\u001B\\u009B][[\\]()#;?]*(?![[\\]()#;?])',
    '(?:(?:(?:[a-zA-Z\\d]*(?:;[a-zA-Z\\d]*)*)?\\u0007)',
    '|(?:(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PRZcf-ntqry=><~]))',
  ].join(''),
  'g',
);

export const decolorizeStage = (): Process => (line) => line.replace(ansi, '');

export function dropStage(given: readonly NamedLabel[]): Process {
  const drops = given.map((label) =>
    'matcher' in label
      ? { name: label.matcher.name, test: matcherTest(label.matcher) }
      : { name: label.name, test: undefined },
  );
  return (line, labels) => {
    for (const { name, test } of drops) {
      if (name === errorLabel) {
        if (!test || test(labels.error)) labels.error = '';
      } else if (name === errorDetailsLabel) {
        if (!test || test(labels.errorDetails)) labels.errorDetails = '';
      } else if (test ? test(labels.get(name) ?? '') : labels.get(name) !== undefined) labels.delete(name);
    }
    return line;
  };
}

export function keepStage(given: readonly NamedLabel[]): Process {
  const keeps = given.map((label) =>
    'matcher' in label
      ? { name: label.matcher.name, test: matcherTest(label.matcher) }
      : { name: label.name, test: () => true },
  );
  return (line, labels) => {
    for (const [name, value] of labels.entries())
      if (!isSpecial(name) && !keeps.some((keep) => keep.name === name && keep.test(value))) labels.delete(name);
    return line;
  };
}
