// Templates of labels and annotations: the part of Go's text/template that alert rules use. Supported: $labels, $value,
// $externalLabels, $externalURL (also as .Labels …), pipelines, if/else, comments, trimming and the functions of
// functions.ts. Not supported: queries, range, with, variables and regular expressions.
import { HeavyRule } from '../../../surface/alerting/source.ts';
import { functions, isTrue, shown, TemplateError, type Value } from './functions.ts';
import { type Part, type Pipe, partsOf, type Term } from './syntax.ts';

export interface TemplateData {
  labels: ReadonlyMap<string, string>;
  value: number;
  externalURL: string;
  work?: { left: number }; // characters that may be worked on, by all templates that share it
}

export interface Template {
  problem: string | undefined; // why it is none
  // What goes wrong is told in the text, as Prometheus does. It throws only where the work is used up.
  expand(data: TemplateData): string;
}

const mostText = 65_536;

export function parseTemplate(text: string): Template {
  if (!text.includes('{{')) return { problem: undefined, expand: () => text };
  try {
    const parts = partsOf(text);
    return { problem: undefined, expand: (data) => expanded(parts, data) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { message } = error;
    return { problem: message, expand: () => `<error parsing template: ${message}>` };
  }
}

function expanded(parts: Part[], data: TemplateData): string {
  try {
    const text = written(parts, data);
    return text.length > mostText ? text.slice(0, mostText) : text;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `<error expanding template: ${error.message}>`;
  }
}

function written(parts: Part[], data: TemplateData): string {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else if ('pipe' in part) text += shownValue(run(part.pipe, data), data);
    else text += written(part.when.find(({ test }) => isTrue(run(test, data)))?.parts ?? part.otherwise, data);
    if (text.length > mostText) break;
  }
  return text;
}

function run(pipe: Pipe, data: TemplateData): Value {
  let result: Value | undefined;
  for (const [first, ...rest] of pipe.commands) {
    if (!first) throw new TemplateError('missing value for command');
    if ('call' in first) {
      const args = rest.map((term) => termValue(term, data));
      if (result !== undefined) args.push(result);
      result = called(first.call, args, data);
    } else {
      if (rest.length > 0 || result !== undefined) throw new TemplateError("can't give argument to non-function");
      result = termValue(first, data);
    }
  }
  return result ?? '';
}

function shownValue(value: Value, data: TemplateData): string {
  spend(data, [value]);
  return shown(value);
}

function called(name: string, args: Value[], data: TemplateData): Value {
  const found = functions.get(name);
  if (!found) throw new TemplateError(`function "${name}" not defined`);
  if (args.length < found.least || args.length > found.most)
    throw new TemplateError(`wrong number of args for ${name}: want ${found.least} got ${args.length}`);
  spend(data, args);
  return found.call(args);
}

const ofCall = 16;

// Templates are expanded on the event loop, for each of many alerts.
function spend({ work }: TemplateData, values: readonly Value[]): void {
  if (!work) return;
  work.left -= values.reduce((sum: number, value) => sum + sizeOf(value), ofCall);
  if (work.left < 0) throw new HeavyRule('the templates of labels and annotations take too long to be expanded');
}

function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object') return 1;
  let size = 0;
  for (const [name, text] of value) size += name.length + text.length + 2;
  return size;
}

function termValue(term: Term, data: TemplateData): Value {
  if ('value' in term) return term.value;
  if ('pipe' in term) return run(term.pipe, data);
  if ('call' in term) return called(term.call, [], data);
  const { field } = term;
  switch (field.of) {
    case 'value':
      return data.value;
    case 'externalURL':
      return data.externalURL;
    case 'labels':
      return field.name === undefined ? data.labels : (data.labels.get(field.name) ?? '');
    case 'externalLabels':
      return field.name === undefined ? noLabels : '';
  }
}

const noLabels: ReadonlyMap<string, string> = new Map();
