// `explain_alert`: an alert rule with its state, its condition against the current values and those of the last hour,
// and whether its notifications were delivered.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import { input, optional, type Tool, type ToolContext, text, textOf } from '../tool.ts';
import { itemsOf, propertiesOf, quote } from './inventory.ts';
import { instant, range } from './metrics.ts';
import { central, type Pipeline, pipelineArgument, pipelineFor, pipelines } from './pipelines.ts';

const hourMs = 3_600_000;
const maxExplained = 5;

export const explainAlert: Tool = {
  name: 'explain_alert',
  group: 'insight',
  description:
    'Explain alerts: the rule, its state and since when, the compared values now and over the last hour, and whether its notifications were delivered. Explains all pending or firing alerts, or those with one name.',
  input: input({
    alert: optional(text('The name of the alert rule; all pending or firing alerts by default')),
    pipeline: pipelineArgument('metric'),
  }),
  read: explain,
};

interface Rule {
  pipeline: Pipeline;
  group: string;
  rule: Values;
}

async function explain(args: Values, context: ToolContext): Promise<Json> {
  const alertName = textOf(args, 'alert');
  const rules = (await rulesOf(context, textOf(args, 'pipeline'))).filter(({ rule }) => rule.type === 'alerting');
  const found = rules.filter(({ rule }) =>
    alertName === undefined ? rule.state !== 'inactive' : rule.name === alertName,
  );
  if (alertName !== undefined && found.length === 0) {
    const names = rules.map(({ rule }) => quote(String(rule.name))).slice(0, 20);
    throw new Failure(
      `Alert rule ${quote(alertName)} does not exist. ${names.length > 0 ? `Existing rules: ${names.join(', ')}.` : ''}`,
    );
  }
  const explained = [];
  for (const one of found.slice(0, maxExplained)) explained.push(await explainOne(context, one));
  return {
    rules: rules.length,
    count: found.length,
    alerts: explained,
    channels: await channelsOf(context),
    ...(found.length === 0 && { note: 'No alert is pending or firing.' }),
    ...(found.length > maxExplained && { note: `Only ${maxExplained} are explained. Pass a name to choose one.` }),
  };
}

async function rulesOf(context: ToolContext, pipelineName: string | undefined): Promise<Rule[]> {
  const own = pipelineName === undefined ? await central(context, 'monitoring') : undefined;
  const searched =
    pipelineName === undefined
      ? [...(await pipelines(context, 'monitoring')), ...(own ? [own] : [])]
      : [await pipelineFor(context, 'monitoring', pipelineName)];
  const lists = await Promise.all(
    searched.map(async (pipeline) => {
      const answer = await context.api.object('monitoring', `${pipeline.path}/api/v1/rules`);
      const groups =
        isObject(answer.data) && Array.isArray(answer.data.groups) ? answer.data.groups.filter(isObject) : [];
      return groups.flatMap(({ name, rules }) =>
        (Array.isArray(rules) ? rules.filter(isObject) : []).map((rule) => ({ pipeline, group: String(name), rule })),
      );
    }),
  );
  return lists.flat();
}

async function explainOne(context: ToolContext, { pipeline, group, rule }: Rule): Promise<Values> {
  const { name, state, query, duration, labels, annotations, health, lastError, alerts } = rule;
  const condition = conditionOf(String(query));
  return {
    name: name ?? '',
    pipeline: { id: pipeline.id, name: pipeline.name },
    group,
    state: state ?? '',
    meaning: meaningOf(rule, condition),
    expression: query ?? '',
    for_seconds: duration ?? 0,
    labels: labels ?? {},
    annotations: annotations ?? {},
    ...(health !== 'ok' && { health: health ?? null, ...(lastError !== undefined && { last_error: lastError }) }),
    active: Array.isArray(alerts) ? alerts : [],
    ...(condition && (await valuesOf(context, pipeline, condition))),
  };
}

export interface Condition {
  left: string;
  comparison: string;
  threshold: number;
}

// The comparison with a number at the end of an expression: what an alert watches, and the limit. Where `and`, `or` or
// `unless` joins it to another condition, it is not the limit of the whole.
export function conditionOf(query: string): Condition | undefined {
  const [, left, comparison, threshold] =
    /^(.*[^<>=!\s])\s*(>=|<=|==|!=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*$/is.exec(query) ?? [];
  if (left === undefined || comparison === undefined || joins.test(outermost(left))) return undefined;
  return { left: left.trim(), comparison, threshold: Number(threshold) };
}

const joins = /(?<![\w:])(?:and|or|unless)(?![\w:])/i;

// Removes what is in quotes and brackets.
function outermost(query: string): string {
  let text = query.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/gs, '');
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replaceAll(/[({[][^(){}[\]]*[)}\]]/g, ' ');
  }
  return text;
}

// If the rule can't be evaluated, the rest is still reported: a broken rule is also worth explaining.
async function valuesOf(
  context: ToolContext,
  pipeline: Pipeline,
  { left, comparison, threshold }: Condition,
): Promise<Values> {
  const now = await context.now();
  try {
    const [current, lastHour] = await Promise.all([
      instant(context, pipeline, left, now),
      range(context, pipeline, left, now - hourMs, now),
    ]);
    return {
      threshold: `${comparison} ${threshold}`,
      now: current.result.slice(0, 20),
      last_hour: lastHour.slice(0, 5),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { threshold: `${comparison} ${threshold}`, not_evaluated: error.message };
  }
}

export function meaningOf({ state, health, duration }: Values, condition: Condition | undefined): string {
  if (health === 'unknown') return 'It is not evaluated yet: whether it would fire is seen with the next evaluation.';
  const forSeconds = Number(duration ?? 0);
  const what = condition ? `${condition.left} ${condition.comparison} ${condition.threshold}` : 'the expression';
  if (state === 'firing')
    return `It fires: ${what} has held${forSeconds > 0 ? ` for at least ${forSeconds} seconds` : ''}.`;
  if (state === 'pending') return `It is pending: ${what} holds, but not yet for ${forSeconds} seconds.`;
  return `It is inactive: ${what} holds for no series, or the metric has no samples.`;
}

async function channelsOf({ api }: ToolContext): Promise<Json> {
  const answer = itemsOf(await api.object('monitoring', '/alerting/channels'));
  return answer.map((item) => {
    const { name, type } = propertiesOf(item);
    const { waiting, lastError, lost } = isObject(item.metadata) ? item.metadata : {};
    return {
      name: name ?? '',
      type: type ?? '',
      waiting: waiting ?? 0,
      lost: lost ?? 0,
      last_error: lastError ?? null,
    };
  });
}
