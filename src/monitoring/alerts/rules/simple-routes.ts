// The API of simple alert rules, used by the console, for all pipelines of a contract and region that the caller may
// see. Each is a rule group in its own namespace, returned with the state of its alerts.

import { Fault } from '../../../base/fault.ts';
import { uuid } from '../../../base/ids.ts';
import type { Values } from '../../../base/json.ts';
import { missingResource } from '../../../core/missing-resource.ts';
import type { AlertPipeline } from '../../../surface/alerting/source.ts';
import { applyChange, withEntry } from '../../../surface/change.ts';
import { always, textSchema } from '../../../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../../../surface/http/exchange.ts';
import { regionalBody } from '../../../surface/regional-dialect/body.ts';
import { centralId } from '../../central.ts';
import { allFiles, fileAt, type RuleEntry, type RuleFile, stateAt } from '../alert-rows.ts';
import { channelRows } from '../channels/channel.ts';
import { bodySchema, collection, collectionSchema, hrefOf, shownSchema } from '../envelope.ts';
import type { AlertTools } from '../ports.ts';
import { type RuleReader, shownAlert, worst } from './prometheus-api.ts';
import { targetOf } from './routes.ts';
import {
  checkSimple,
  groupOfSimple,
  readSimple,
  type SimpleRule,
  shownSimple,
  simpleNamespace,
  simpleSchema,
} from './simple-rule.ts';
import { fileWrites } from './store.ts';

const path = '/alerting/rules';
const one = `${path}/{ruleId}`;

interface Found {
  pipeline: AlertPipeline;
  simple: SimpleRule;
}

const named = new WeakMap<Exchange, Found>();
const foundIn = (x: Exchange): Found => named.get(x) as Found;

export function simpleRoutes(tools: AlertTools, reader: RuleReader): Route[] {
  const route = (method: string, at: string, verb: string, summary: string, call: Route['call']): Route => ({
    method,
    path: at,
    operation: `alertrule_${verb}`,
    summary,
    resolve: (x) => resolve(tools, x),
    call,
    ...(method !== 'DELETE' && { replySchema: schema }),
  });
  const body = (isNew: boolean): Partial<Route> => ({
    takesBody: true,
    bodySchema: bodySchema(simpleSchema(isNew ? 'create' : 'replace'), isNew),
  });
  return [
    {
      ...route('GET', path, 'list', 'List simple alert rules', (x) => list(tools, reader, x)),
      replySchema: collectionSchema(schema),
    },
    {
      ...route('POST', path, 'create', 'Create an alert rule from an expression and a threshold', (x) =>
        create(tools, reader, x),
      ),
      ...body(true),
      replyStatus: 201,
    },
    route('GET', one, 'get', 'Read a simple alert rule', async (x) => json(200, await shown(reader, x, foundIn(x)))),
    {
      ...route('PUT', one, 'replace', 'Replace a simple alert rule', (x) => replace(tools, reader, x)),
      ...body(false),
    },
    {
      ...route('DELETE', one, 'remove', 'Delete a simple alert rule', (x) => remove(tools, x)),
      replyStatus: 204,
    },
  ];
}

async function resolve(tools: AlertTools, x: Exchange): Promise<void> {
  tools.sources.demandPrivilege(x);
  const [id] = x.params;
  if (id === undefined) return;
  const found = (await everySimple(tools, x)).find(({ simple }) => simple.id === id.toLowerCase());
  if (!found) throw missingResource({ name: 'alert rule' }, id);
  await tools.sources.see(x, found.pipeline.id, x.method !== 'GET' && x.method !== 'HEAD');
  named.set(x, found);
}

async function everySimple({ store }: AlertTools, x: Exchange): Promise<Found[]> {
  const files = await allFiles(store, x.who.contract);
  return files
    .filter(({ value }) => value.namespace === simpleNamespace)
    .filter(({ value }) => x.region === undefined || value.pipeline.region === x.region)
    .flatMap(({ value }) => simplesIn(value));
}

const simplesIn = ({ pipeline, entries }: RuleFile): Found[] =>
  entries.flatMap(({ simple }) => (simple ? [{ pipeline, simple }] : []));

async function list(tools: AlertTools, reader: RuleReader, x: Exchange): Promise<Reply> {
  const items: object[] = [];
  const visible = new Map<string, boolean>();
  for (const found of await everySimple(tools, x)) {
    const { id } = found.pipeline;
    if (!visible.has(id)) visible.set(id, await maySee(tools, x, id));
    if (visible.get(id)) items.push(await shown(reader, x, found));
  }
  x.rows = [];
  return json(200, collection(x, 'rules', items));
}

async function maySee({ sources }: AlertTools, x: Exchange, id: string): Promise<boolean> {
  try {
    await sources.see(x, id, false);
    return true;
  } catch (error) {
    if (error instanceof Fault && (error.kind === 'missing' || error.kind === 'forbidden')) return false;
    throw error;
  }
}

async function create(tools: AlertTools, reader: RuleReader, x: Exchange): Promise<Reply> {
  const { properties } = regionalBody(x.body, 'create', '');
  const { contract } = x.who;
  const central = { id: centralId({ contract, region: x.region ?? tools.defaultRegion }) };
  const sent = readSimple(properties, uuid(), central);
  const pipeline = await pipelineOf(tools, x, sent.pipeline);
  const simple = await checkSimple(sent, tools.sources.of(pipeline).language, contract);
  await demandChannel(tools, pipeline, simple);
  await change(tools, x, pipeline, 'create', (entries) => [...entries, entryOf(simple)], simple);
  return json(201, await shown(reader, x, { pipeline, simple }));
}

async function replace(tools: AlertTools, reader: RuleReader, x: Exchange): Promise<Reply> {
  const { pipeline, simple: before } = foundIn(x);
  const { properties } = regionalBody(x.body, 'replace', before.id);
  const sent = readSimple(properties, before.id, pipeline, before);
  const simple = await checkSimple(sent, tools.sources.of(pipeline).language, pipeline.contract);
  await demandChannel(tools, pipeline, simple);
  const put = (entries: RuleEntry[]): RuleEntry[] =>
    entries.map((entry) => (entry.simple?.id === before.id ? entryOf(simple) : entry));
  await change(tools, x, pipeline, 'replace', put, simple);
  return json(200, await shown(reader, x, { pipeline, simple }));
}

async function remove(tools: AlertTools, x: Exchange): Promise<Reply> {
  const { pipeline, simple } = foundIn(x);
  const without = (entries: RuleEntry[]): RuleEntry[] => entries.filter((entry) => entry.simple?.id !== simple.id);
  await change(tools, x, pipeline, 'remove', without);
  return { status: 204 };
}

const entryOf = (simple: SimpleRule): RuleEntry => ({ group: groupOfSimple(simple), text: '', simple });

// Group names are unique in a namespace, and so are names of simple rules.
async function change(
  { store, now }: AlertTools,
  x: Exchange,
  pipeline: AlertPipeline,
  verb: string,
  decide: (entries: RuleEntry[]) => RuleEntry[],
  simple?: SimpleRule,
): Promise<void> {
  await applyChange(store, async () => {
    const kept = await fileAt(store, pipeline, simpleNamespace);
    const entries = decide(kept?.value.entries ?? []);
    if (simple && entries.filter(({ group }) => group.name === simple.name).length > 1)
      throw refused('name', `A rule named '${simple.name.slice(0, 80)}' already exists. Choose another name.`);
    if (simple && !entries.some((entry) => entry.simple?.id === simple.id))
      throw missingResource({ name: 'alert rule' }, simple.id);
    const writes = await fileWrites(store, pipeline, simpleNamespace, kept, entries, '', now());
    return withEntry(x, { writes, targets: [targetOf(pipeline, simpleNamespace, verb)] }, now());
  });
}

const refused = (name: string, message: string): Fault =>
  new Fault('refused', `[(root).properties.${name}] ${message}`, { code: '100' });

async function pipelineOf({ sources }: AlertTools, x: Exchange, id: string): Promise<AlertPipeline> {
  try {
    return await sources.see(x, id, true);
  } catch (error) {
    if (error instanceof Fault && error.kind === 'missing')
      throw refused('pipeline', 'The pipeline does not exist in this region');
    throw error;
  }
}

async function demandChannel({ store }: AlertTools, pipeline: AlertPipeline, { channel }: SimpleRule): Promise<void> {
  if (channel === null) return;
  const rows = await channelRows(store, pipeline.contract, pipeline.region);
  const isThere = rows.some(
    ({ id, body }) =>
      id === channel || (JSON.parse(body) as { properties: { name: string } }).properties.name === channel,
  );
  if (!isThere) throw refused('channel', 'The channel does not exist in the region of the pipeline');
}

async function shown({ tools: { store }, memoryOf }: RuleReader, x: Exchange, found: Found): Promise<object> {
  const { pipeline, simple } = found;
  const state = await stateAt(store, pipeline, simpleNamespace, simple.name);
  const alerts = state?.value.rules.flatMap((rule) => rule.alerts) ?? [];
  const about = { pipeline, namespace: simpleNamespace, group: simple.name };
  const lastError = memoryOf(about)?.lastError ?? '';
  return {
    id: simple.id,
    type: 'alert-rule',
    href: hrefOf(x, 'rules', simple.id),
    metadata: {
      status: 'AVAILABLE',
      region: pipeline.region,
      state: worst(alerts),
      alerts: alerts.map(shownAlert),
      ...(lastError !== '' && { lastError }),
    },
    properties: shownSimple(simple),
  };
}

const schema: Values = shownSchema('alert-rule', simpleSchema('read'), {
  state: { enum: ['inactive', 'pending', 'firing'] },
  alerts: { type: 'array', items: always({ labels: { type: 'object' }, state: textSchema }) },
  lastError: { type: 'string', description: 'Why the rule could not be evaluated' },
});
