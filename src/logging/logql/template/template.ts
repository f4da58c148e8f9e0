// Go templates for line_format and label_format: parsed once per query, executed for every line.
import type { Pipe } from '../../../core/go-template/pipeline.ts';
import type { Node } from '../../../core/go-template/syntax.ts';
import { Template } from '../../../core/go-template/template.ts';
import { type StringMap, TemplateError } from '../../../core/go-template/values.ts';
import { functions } from './functions.ts';
import type { LineScope } from './line-scope.ts';

export interface LineData extends LineScope {
  labels: StringMap;
}

export interface LineTemplate {
  expand(data: LineData): string;
  fields: readonly string[]; // labels that it reads
  only?: string; // the label, if the template consists of only that label
}

export function parseTemplate(name: string, text: string): LineTemplate {
  const template = named(name, () => new Template(text, { functions }));
  const only = onlyField(template.nodes);
  return {
    fields: [...new Set(template.nodes.flatMap(fieldsOf))],
    ...(only !== undefined && { only }),
    expand: (data) => named(name, () => template.expand({ dot: data.labels, scope: data })),
  };
}

function named<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof TemplateError ? new TemplateError(`template: ${name}:1: ${error.message}`) : error;
  }
}

function onlyField([node, ...more]: readonly Node[]): string | undefined {
  if (node?.kind !== 'action' || more.length > 0 || node.pipe.variables.length > 0) return undefined;
  const [[term, ...args] = [], ...commands] = node.pipe.commands;
  if (commands.length > 0 || args.length > 0 || term?.kind !== 'dot' || term.names.length !== 1) return undefined;
  return term.names[0];
}

function fieldsOf(node: Node): string[] {
  if (node.kind === 'action') return pipeFields(node.pipe);
  if (!('body' in node)) return [];
  return [...pipeFields(node.pipe), ...node.body.flatMap(fieldsOf), ...node.otherwise.flatMap(fieldsOf)];
}

function pipeFields({ commands }: Pipe): string[] {
  return commands
    .flat()
    .flatMap((term) => (term.kind === 'dot' ? term.names : term.kind === 'pipe' ? pipeFields(term.pipe) : []));
}
