// Templates of labels and annotations, with the variables and functions that Prometheus documents for alert rules:
// $labels, $value, $externalLabels, $externalURL (also as .Labels …). Queries and regular expressions are not
// supported.
import type { Budget } from '../../../core/go-template/execution.ts';
import type { Term } from '../../../core/go-template/pipeline.ts';
import type { Node } from '../../../core/go-template/syntax.ts';
import { Template } from '../../../core/go-template/template.ts';
import { fail, OverBudget, StringMap, TemplateError, type Value } from '../../../core/go-template/values.ts';
import { HeavyRule } from '../../../surface/alerting/source.ts';
import { functions } from './functions.ts';

export interface AlertData {
  labels: StringMap;
  value: number;
  externalURL: string;
  budget?: Budget; // of all templates that share it
}

export interface AlertTemplate {
  problem: string | undefined; // the syntax error
  // Errors become part of the text, as in Prometheus. Throws HeavyRule if the budget is exhausted.
  expand(data: AlertData): string;
}

const fields: Readonly<Record<string, string>> = {
  $labels: 'Labels',
  $externalLabels: 'ExternalLabels',
  $value: 'Value',
  $externalURL: 'ExternalURL',
};
const language = { functions, variables: Object.keys(fields), mostText: 65_536 };

export function parseTemplate(text: string): AlertTemplate {
  if (!text.includes('{{')) return { problem: undefined, expand: () => text };
  try {
    const template = new Template(text, language);
    checkFields(template.nodes);
    return { problem: undefined, expand: (data) => expanded(template, data) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { message } = error;
    return { problem: message, expand: () => `<error parsing template: ${message}>` };
  }
}

function expanded(template: Template<unknown>, { labels, value, externalURL, budget }: AlertData): string {
  const dot = new Map<string, Value>([
    ['Labels', labels],
    ['ExternalLabels', noLabels],
    ['Value', value],
    ['ExternalURL', externalURL],
  ]);
  const variables = new Map(Object.entries(fields).map(([name, field]) => [name, dot.get(field)]));
  try {
    return template.expand({ dot, variables, scope: undefined, ...(budget && { budget }) });
  } catch (error) {
    if (error instanceof OverBudget)
      throw new HeavyRule('the templates of labels and annotations take too long to expand');
    if (!(error instanceof TemplateError)) throw error;
    return `<error expanding template: ${error.message}>`;
  }
}

const noLabels = new StringMap();

// Misspelt fields are reported when a rule is written; Go reports them only when it fires. In a `with` or `range` the
// dot has another value.
function checkFields(nodes: readonly Node[]): void {
  for (const node of nodes) {
    if (!('pipe' in node)) continue;
    for (const term of node.pipe.commands.flat()) checkTerm(term);
    if (!('body' in node)) continue;
    if (node.kind === 'if') checkFields(node.body);
    checkFields(node.otherwise);
  }
}

function checkTerm(term: Term): void {
  if (term.kind === 'pipe') for (const inner of term.pipe.commands.flat()) checkTerm(inner);
  if (term.kind !== 'dot' && term.kind !== 'variable') return;
  const [field, name] = term.kind === 'dot' ? term.names : [fields[term.name], term.names[0]];
  if (field === undefined) return;
  if (!Object.values(fields).includes(field)) fail(`can't evaluate field ${field}`);
  if (name !== undefined && !field.endsWith('Labels')) fail(`can't evaluate field ${name} in ${field}`);
}
