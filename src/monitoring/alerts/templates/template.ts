// Templates of labels and annotations: the part of Go's text/template that alert rules use. Supported: $labels, $value,
// $externalLabels, $externalURL (also as .Labels …), pipelines, if/else, comments, trimming and the functions of
// functions.ts. Not supported: queries, range, with, variables and regular expressions.
import { functions, isTrue, shown, TemplateError, type Value } from './functions.ts';
import { type Part, type Pipe, partsOf, type Term } from './syntax.ts';

export interface TemplateData {
  labels: ReadonlyMap<string, string>;
  value: number;
  externalURL: string;
}

export interface Template {
  problem: string | undefined; // why it is none
  expand(data: TemplateData): string; // never throws: what goes wrong is told in the text, as Prometheus does
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
    else if ('pipe' in part) text += shown(run(part.pipe, data));
    else text += written(part.when.find(({ test }) => isTrue(run(test, data)))?.parts ?? part.otherwise, data);
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
      result = called(first.call, args);
    } else {
      if (rest.length > 0 || result !== undefined) throw new TemplateError("can't give argument to non-function");
      result = termValue(first, data);
    }
  }
  return result ?? '';
}

function called(name: string, args: Value[]): Value {
  const found = functions.get(name);
  if (!found) throw new TemplateError(`function "${name}" not defined`);
  if (args.length < found.least || args.length > found.most)
    throw new TemplateError(`wrong number of args for ${name}: want ${found.least} got ${args.length}`);
  return found.call(args);
}

function termValue(term: Term, data: TemplateData): Value {
  if ('value' in term) return term.value;
  if ('pipe' in term) return run(term.pipe, data);
  if ('call' in term) return called(term.call, []);
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
