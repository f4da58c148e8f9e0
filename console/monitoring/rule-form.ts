// The dialog that makes or changes an alert rule: an expression, what it is compared with, for how long, and who is
// told. It can be tried before it is saved.
import { ApiError, sentencesOf } from '../api.ts';
import { button, element } from '../dom.ts';
import { openDialog } from '../parts/dialog.ts';
import type { Property } from '../parts/field.ts';
import { type FormValues, form } from '../parts/form.ts';
import { perform } from '../parts/toast.ts';
import { type Channel, listChannels, type Rule, type RuleProperties, saveRule } from './alert-calls.ts';
import { ask } from './asking.ts';
import { plainProblem } from './expression.ts';
import { numberOf } from './plot.ts';
import type { Sources } from './sources.ts';
import { formatValue, unitOf } from './units.ts';

export interface RuleFormOptions {
  sources: Sources;
  rule?: Rule; // the one that is changed
  values?: { expression?: string; pipeline?: string };
  signal: AbortSignal;
  onDone(): void;
}

const comparisons = {
  '>': 'is above',
  '>=': 'is at or above',
  '<': 'is below',
  '<=': 'is at or below',
  '==': 'is',
  '!=': 'is not',
};

export function openRuleForm(options: RuleFormOptions): void {
  perform(async () => {
    const { region } = options.sources;
    showForm(options, await listChannels(region, options.signal));
  });
}

function showForm({ sources, rule, values = {}, onDone, signal }: RuleFormOptions, channels: readonly Channel[]): void {
  const dialog = openDialog();
  const { region, all } = sources;
  const view = form({
    schema: {
      properties: {
        name: { type: 'string', title: 'Name', maxLength: 200 },
        ...(!rule && { pipeline: pipelineField(sources) }),
        expression: { type: 'string', title: 'Expression', format: 'multiline', maxLength: 8192 },
        comparison: {
          type: 'string',
          title: 'Alert when it',
          oneOf: Object.entries(comparisons).map(([sign, words]) => ({ const: sign, title: `${words} (${sign})` })),
          default: '>',
        },
        threshold: { type: 'number', title: 'Threshold', default: 0 },
        for: {
          type: 'string',
          title: 'For',
          description: 'Such as 30s or 1h30m; 0s is at once.',
          default: '5m',
        },
        labels: {
          type: 'string',
          title: 'Labels',
          format: 'multiline',
          description: 'One in a line, such as severity=page. They go with the alert.',
        },
        summary: {
          type: 'string',
          title: 'Summary',
          description: 'What is told. {{ $labels.job }} and {{ $value }} stand for what they name.',
        },
        channel: {
          type: 'string',
          title: 'Tell',
          oneOf: [
            { const: '', title: 'every channel that takes all' },
            ...channels.map(({ id, properties }) => ({ const: id, title: properties.name })),
          ],
          default: '',
        },
      },
      required: ['name', 'expression', 'comparison', 'threshold', 'for'],
    },
    values: rule ? shownValues(rule.properties, channels) : definedOnly(values),
    submit: rule ? 'Save' : 'Make rule',
    cancel: () => dialog.close(),
    async send(sent) {
      await saveRule(region, rule?.id, propertiesOf(sent, rule?.properties));
      dialog.close();
      onDone();
    },
  });
  view.classList.add('tall');
  for (const name of ['comparison', 'threshold', 'for'])
    view.querySelector(`[name="${name}"]`)?.closest('.field')?.classList.add('short');
  const sourceId = (): string => rule?.properties.pipeline ?? fieldOf(view, 'pipeline');
  const told = element('p', { class: 'told', role: 'status' });
  const attempt = async (): Promise<void> => {
    const source = all.find(({ id }) => id === sourceId());
    if (source) told.textContent = await tried(view, source, signal);
  };
  dialog.show(
    rule ? 'Change the alert rule' : 'New alert rule',
    view,
    element(
      'div',
      { class: 'actions' },
      button('Try it now', () => perform(attempt), { look: 'plain' }),
      told,
    ),
  );
}

const pipelineField = ({ all }: Sources): Property => ({
  type: 'string',
  title: 'Pipeline',
  oneOf: all.map(({ id, name }) => ({ const: id, title: name })),
  default: all[0]?.id ?? '',
});

const definedOnly = (values: Record<string, string | undefined>): FormValues =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined));

// A channel is kept by its name or by its id; here it is chosen by its id.
function shownValues(rule: RuleProperties, channels: readonly Channel[]): FormValues {
  const channel = channels.find(({ id, properties }) => id === rule.channel || properties.name === rule.channel);
  return {
    name: rule.name,
    expression: rule.expression,
    comparison: rule.comparison,
    threshold: rule.threshold,
    for: rule.for,
    labels: Object.entries(rule.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    summary: rule.annotations.summary ?? '',
    channel: channel?.id ?? '',
  };
}

function propertiesOf(sent: FormValues, before: RuleProperties | undefined): Partial<RuleProperties> {
  const { labels, summary, channel, pipeline, ...rest } = sent;
  const { summary: _, ...others } = before?.annotations ?? {};
  return {
    ...(rest as Partial<RuleProperties>),
    pipeline: before?.pipeline ?? String(pipeline),
    labels: labelsIn(String(labels ?? '')),
    annotations: { ...others, ...(summary !== undefined && { summary: String(summary) }) },
    channel: channel === undefined ? null : String(channel),
  };
}

function labelsIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const cut = line.indexOf('=');
      if (cut < 1)
        throw new ApiError(422, [{ errorCode: '100', message: `[labels] ${line.trim()} is not name=value.` }]);
      return [line.slice(0, cut).trim(), line.slice(cut + 1).trim()];
    }),
  );
}

const fieldOf = (view: HTMLFormElement, name: string): string => {
  const control = view.elements.namedItem(name);
  return control instanceof Element && 'value' in control ? String(control.value) : '';
};

type Instant =
  | { resultType: 'vector'; result: { value: [number, string] }[] }
  | { resultType: 'scalar'; result: [number, string] }
  | { resultType: 'matrix' | 'string' };

// How many of the series would alert now, and what they are at.
async function tried(view: HTMLFormElement, source: Sources['all'][number], signal: AbortSignal): Promise<string> {
  const expression = fieldOf(view, 'expression');
  const threshold = Number(fieldOf(view, 'threshold'));
  const comparison = fieldOf(view, 'comparison');
  try {
    const { data } = await ask<Instant>(source, 'query', { query: expression }, signal);
    const values = valuesIn(data);
    if (!values) return 'The expression must give a number for each series, not a range.';
    if (values.length === 0) return 'Nothing is measured now, so there would be no alert.';
    const count = values.filter((value) => holds(value, comparison, threshold)).length;
    const shown = values.slice(0, 3).map((value) => formatValue(value, unitOf(expression)));
    const more = values.length > shown.length ? ' …' : '';
    return `Now ${shown.join(', ')}${more}: ${count} of ${values.length} would alert.`;
  } catch (error) {
    return plainProblem(sentencesOf(error).join(' '));
  }
}

function valuesIn(data: Instant): number[] | undefined {
  if (data.resultType === 'scalar') return [numberOf(data.result[1])];
  return data.resultType === 'vector' ? data.result.map(({ value }) => numberOf(value[1])) : undefined;
}

function holds(value: number, comparison: string, threshold: number): boolean {
  switch (comparison) {
    case '>':
      return value > threshold;
    case '>=':
      return value >= threshold;
    case '<':
      return value < threshold;
    case '<=':
      return value <= threshold;
    case '==':
      return value === threshold;
    default:
      return value !== threshold;
  }
}
