// The API of a pipeline's rules: that of Mimir's ruler to write and read rules, so that mimirtool works, and that of
// Prometheus for rules with their alerts.

import { Fault } from '../../../base/fault.ts';
import type { Json } from '../../../base/json.ts';
import { textOf } from '../../../base/json.ts';
import type { Alerting, AlertPipeline, AlertSource, RuleFront } from '../../../surface/alerting/source.ts';
import { applyChange, withEntry } from '../../../surface/change.ts';
import { pathParameter } from '../../../surface/docs/openapi.ts';
import { type Exchange, json, type Parameter, type Reply, type Route } from '../../../surface/http/exchange.ts';
import { fileAt, filesOf } from '../alert-rows.ts';
import type { AlertTools } from '../ports.ts';
import { answerAlerts, answerRules, type RuleReader } from './prometheus-api.ts';
import { readRuleText } from './read-text.ts';
import { demandName, entryText, filesYaml, fileText, writesOfRemoval, writesOfRules } from './store.ts';

const yaml = 'application/yaml';
const namespaceParameter = pathParameter('namespace', 'A name for several groups, like a rule file', 'app');
const groupParameter = pathParameter('group', 'The name of a rule group', 'example');

const seen = new WeakMap<Exchange, AlertPipeline>();
const pipelineOf = (x: Exchange): AlertPipeline => seen.get(x) as AlertPipeline;

// In the management API, with a token.
export const ruleRoutes = (
  tools: AlertTools,
  reader: RuleReader,
  source: AlertSource,
  fronts: Parameters<Alerting['routes']>[1],
): Route[] =>
  fronts.flatMap((front) => [
    ...configRoutes(tools, source, { path: front.path + front.rules, name: front.name }),
    ...front.reads.flatMap((below) => {
      const at = { path: front.path + below, name: `${front.name}s${below === '' ? '' : '_below'}` };
      return readRoutes(reader, at, (x) => source.see(x, x.params[0] ?? '', false));
    }),
  ]);

// The read API of Prometheus.
export function readRoutes(
  reader: RuleReader,
  { path, name }: RuleFront,
  find: (x: Exchange) => Promise<AlertPipeline>,
): Route[] {
  const route = (end: string, operation: string, summary: string, call: Route['call']): Route => ({
    method: 'GET',
    path: `${path}/api/v1/${end}`,
    operation: `${name}_${operation}`,
    summary,
    unaudited: true,
    replySchema: answerSchema,
    resolve: async (x) => void seen.set(x, await find(x)),
    call,
  });
  return [
    route('rules', 'rules', 'List rules with their states and alerts, as in Prometheus', async (x) =>
      json(200, await answerRules(reader, pipelineOf(x), x.search)),
    ),
    route('alerts', 'active', 'List pending and firing alerts, as in Prometheus', async (x) =>
      json(200, await answerAlerts(reader, pipelineOf(x))),
    ),
  ];
}

function configRoutes(tools: AlertTools, source: AlertSource, { path: all, name }: RuleFront): Route[] {
  const one = `${all}/{namespace}`;
  const group = `${one}/{group}`;
  const route = (method: string, at: string, operation: string, summary: string, call: Route['call']): Route => ({
    method,
    path: at,
    operation: `${name}${operation}`,
    summary,
    parameters: [...(at === all ? [] : [namespaceParameter]), ...(at === group ? [groupParameter] : [])],
    ...(method === 'GET' ? { replySchema: {}, replyTypes: [yaml] } : { replySchema: doneSchema }),
    resolve: async (x) => void seen.set(x, await source.see(x, x.params[0] ?? '', method !== 'GET')),
    call,
  });
  const written = route('POST', one, 'rules_set', 'Write a rule group, or a whole file of them', (x) =>
    write(tools, x),
  );
  const shown = route('GET', one, 'rules_get', 'Read the rule groups of a namespace', (x) => readNamespace(tools, x));
  return [
    route('GET', all, 'rules_list', 'List all rule groups by namespace, as YAML', (x) => readAll(tools, x)),
    { ...shown, parameters: [namespaceParameter, formParameter] },
    {
      ...written,
      takesBody: true,
      takesBytes: true,
      bodySchema: ruleSchema(source.language.example),
      bodyTypes: { [yaml]: ruleSchema(source.language.example) },
    },
    route('DELETE', one, 'rules_delete', 'Delete all groups of a namespace', (x) => remove(tools, x)),
    route('GET', group, 'group_get', 'One rule group', (x) => readGroup(tools, x)),
    route('DELETE', group, 'group_delete', 'Delete a rule group', (x) => remove(tools, x)),
  ];
}

const formParameter: Parameter = {
  name: 'form',
  in: 'query',
  description: 'file: the unchanged text of the whole file',
  schema: { enum: ['file'] },
};

async function readAll({ store }: AlertTools, x: Exchange): Promise<Reply> {
  const files = await filesOf(store, pipelineOf(x));
  return yamlReply(await filesYaml(files.map(({ value }) => value)));
}

const yamlReply = (body: string): Reply => ({ status: 200, type: yaml, body });

async function readNamespace({ store }: AlertTools, x: Exchange): Promise<Reply> {
  const kept = await fileAt(store, pipelineOf(x), x.params[1] ?? '');
  const form = x.search.get('form');
  if (form !== null && form !== 'file') throw new Fault('refused', "[(query).form] Expected 'file' or no value");
  if (!kept) throw new Fault('missing', 'The namespace does not exist.');
  return yamlReply(await (form === 'file' ? fileText(kept.value) : filesYaml([kept.value])));
}

async function readGroup({ store }: AlertTools, x: Exchange): Promise<Reply> {
  const kept = await fileAt(store, pipelineOf(x), x.params[1] ?? '');
  const entry = kept?.value.entries.find(({ group }) => group.name === x.params[2]);
  if (!entry) throw new Fault('missing', 'The rule group does not exist.');
  return yamlReply(await entryText(entry));
}

async function write({ store, sources, now }: AlertTools, x: Exchange): Promise<Reply> {
  const pipeline = pipelineOf(x);
  const namespace = x.params[1] ?? '';
  demandName(namespace);
  const text = textOf(x.bytes);
  const { contract } = pipeline;
  const { language } = sources.of(pipeline);
  const read = await store.runExclusive(`rules ${contract}`, () => readRuleText(text, language, contract));
  await applyChange(store, async () => {
    const writes = await writesOfRules(store, pipeline, namespace, read, text, now());
    return withEntry(x, { writes, targets: [targetOf(pipeline, namespace, 'set')] }, now());
  });
  return json(200, done);
}

async function remove({ store, now }: AlertTools, x: Exchange): Promise<Reply> {
  const pipeline = pipelineOf(x);
  const [, namespace = '', group] = x.params;
  await applyChange(store, async () => {
    const writes = await writesOfRemoval(store, pipeline, namespace, group, now());
    return withEntry(x, { writes, targets: [targetOf(pipeline, namespace, 'delete')] }, now());
  });
  return json(200, done);
}

export const targetOf = (pipeline: AlertPipeline, namespace: string, verb: string) => ({
  kind: 'alertrules',
  path: `pipelines/${pipeline.id}/rules/${namespace.replaceAll('/', '_')}`,
  action: `${pipeline.source}.rules.${verb}`,
});

// The answer of Mimir.
const done = { status: 'success', data: null, errorType: '', error: '' };
const doneSchema: Json = { type: 'object', required: ['status'], properties: { status: { const: 'success' } } };
const answerSchema: Json = {
  type: 'object',
  required: ['status', 'data'],
  properties: { status: { const: 'success' }, data: { type: 'object' } },
};

const ruleSchema = (expr: string): Json => ({
  type: 'object',
  description:
    'A rule group in the form of a Prometheus rule file, or a whole file with `groups`, which replaces the ' +
    'namespace. YAML or JSON; the text is stored unchanged.',
  examples: [{ name: 'example', interval: '1m', rules: [{ alert: 'Example', expr, for: '5m' }] }],
});
