// A simple alert rule, as shown in the console: an expression, a comparison with a threshold, and a duration. It is
// stored as an ordinary rule group in its own namespace.
import { Fault, type Problem } from '../../../base/fault.ts';
import { isObject, type Json, type Values } from '../../../base/json.ts';
import { check, decimal, type Properties, report, text, type Way } from '../../../core/schema.ts';
import type { RuleLanguage } from '../../../surface/alerting/source.ts';
import { propertiesSchema } from '../../../surface/docs/openapi.ts';
import type { Labels } from '../../series.ts';
import { parseTemplate } from '../templates/template.ts';
import { formatDuration, parseDuration } from './durations.ts';
import { checkExpressions } from './read-text.ts';
import { merged, mostName, type RuleGroup, sorted, wordsOf } from './rule-group.ts';

export interface SimpleRule {
  id: string;
  name: string;
  pipeline: string;
  expression: string;
  comparison: string;
  threshold: number;
  forMs: number;
  labels: Labels;
  annotations: Labels;
  channel: string | null; // name or id; null: all channels with takesAll
}

export const simpleNamespace = 'console';
// The label that selects channels by name or id, separated by commas.
export const channelLabel = 'channel';

export const simpleProperties: Properties = {
  name: text({ required: true, min: 1, max: mostName, example: 'Disk almost full' }),
  pipeline: text({
    immutable: true,
    description: 'The id of the metric or log pipeline to query; absent: central monitoring',
  }),
  expression: text({
    required: true,
    min: 1,
    max: 8192,
    description: 'A PromQL expression, or LogQL for a log pipeline',
    example: 'up',
  }),
  comparison: text({ required: true, oneOf: ['>', '>=', '<', '<=', '==', '!='], example: '<' }),
  threshold: decimal({ required: true, example: 1 }),
  for: text({
    default: '0s',
    description: 'How long the condition must hold before the alert fires, such as 5m',
    example: '5m',
  }),
  channel: text({ description: 'Name or id of a channel; absent: all with takesAll', example: null }),
};

const wordsSchema: Values = { type: ['object', 'null'], additionalProperties: { type: 'string' } };

export function simpleSchema(way: Way | 'read'): Values {
  const schema = propertiesSchema(simpleProperties, way);
  const words = { labels: wordsSchema, annotations: wordsSchema };
  return { ...schema, properties: { ...(schema.properties as Values), ...words } };
}

// `sent` are the properties; `central` is the default pipeline; `before` is the current rule of a PUT, which must have
// the same pipeline.
export function readSimple(
  sent: Json | undefined,
  id: string,
  central: { id: string },
  before?: SimpleRule,
): SimpleRule {
  const { labels, annotations, ...rest } = isObject(sent) ? sent : {};
  const stood = before && { ...(shownSimple(before) as Values) };
  const given = isObject(sent) ? rest : sent;
  const { values, problems } = check(simpleProperties, given, before ? 'replace' : 'create', root, stood);
  const rule: SimpleRule = {
    id,
    name: values.name as string,
    pipeline: (values.pipeline as string | null) ?? central.id,
    expression: values.expression as string,
    comparison: values.comparison as string,
    threshold: values.threshold as number,
    forMs: parseDuration(String(values.for)) ?? -1,
    channel: values.channel as string | null,
    labels: words(labels, 'labels', problems),
    annotations: words(annotations, 'annotations', problems),
  };
  if (problems.length === 0) examine(rule, problems);
  if (problems.length > 0) throw refusal(problems);
  return rule;
}

// Checks its expression in the language of its pipeline.
export async function checkSimple(rule: SimpleRule, language: RuleLanguage, contract: number): Promise<SimpleRule> {
  const problems: Problem[] = [];
  const wrong = await checkExpressions([rule.expression, exprOf(rule)], language, contract);
  if (wrong !== undefined) report(problems, `${root}.expression`, `could not parse expression: ${wrong}`, '100');
  if (problems.length > 0) throw refusal(problems);
  return rule;
}

const refusal = (problems: Problem[]): Fault => new Fault('refused', 'The rule is not valid.', { problems });

const root = '(root).properties';

function examine(rule: SimpleRule, problems: Problem[]): void {
  if (rule.forMs < 0) report(problems, `${root}.for`, 'Expected a duration such as 5m or 1h30m', '100');
  if (!Number.isFinite(rule.threshold)) report(problems, `${root}.threshold`, 'Expected a finite number', '100');
}

function words(value: Json | undefined, name: 'labels' | 'annotations', problems: Problem[]): Labels {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) {
    report(problems, `${root}.${name}`, 'Expected an object of texts', '100');
    return [];
  }
  const pairs = Object.entries(value).map(([key, one]): readonly [string, string] => {
    const at = `${root}.${name}.${key}`;
    const isName = key !== '' && key.length <= mostName && key.isWellFormed() && !key.includes('\0');
    if (!isName || (name === 'labels' && key === '__name__'))
      report(problems, at, 'Expected the name of a label', '100');
    if (typeof one !== 'string' || !one.isWellFormed() || one.includes('\0') || one.length > 4096) {
      report(problems, at, 'Expected a text', '100');
      return [key, ''];
    }
    const { problem } = parseTemplate(one);
    if (problem !== undefined) report(problems, at, `error parsing template: ${problem}`, '100');
    return [key, one];
  });
  return sorted(pairs);
}

// On a separate line, because a comment at the end of the expression would swallow the bracket.
const exprOf = ({ expression, comparison, threshold }: SimpleRule): string =>
  `(${expression}${expression.includes('#') ? '\n' : ''}) ${comparison} ${threshold}`;

export function groupOfSimple(rule: SimpleRule): RuleGroup {
  const { name, forMs, annotations, channel } = rule;
  const labels = merged(rule.labels, channel === null ? [] : [[channelLabel, channel]]);
  const alert = { kind: 'alert', name, expr: exprOf(rule), forMs, keepMs: 0, labels, annotations } as const;
  return { name, intervalMs: 0, offsetMs: 0, limit: 0, labels: [], rules: [alert] };
}

export const shownSimple = ({ id: _, forMs, labels, annotations, ...rest }: SimpleRule): object => ({
  ...rest,
  for: formatDuration(forMs),
  labels: wordsOf(labels),
  annotations: wordsOf(annotations),
});
