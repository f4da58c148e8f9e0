// Creates a region in which every free-text property has a hostile value: markup, script URLs, prototype names. The
// properties are derived from the console's models.
import assert from 'node:assert/strict';
import { CreateBucketCommand, PutBucketTaggingCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { FieldSchema, ResourceModel } from '../../../console/resources/model.ts';
import { kafkajsOf, producerOf } from '../../../src/testing/kafkajs.ts';
import { addLogPipeline, post as postLog, stream } from '../../harness/logs.ts';
import { makeStorageKey, s3Client } from '../../harness/objects.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region, waitRequest } from '../../harness/region.ts';
import { requestOf } from '../../harness/samples.ts';
import { addCluster, addTopic, reach } from '../../streaming/clusters.ts';
import { type World, worldOf } from '../../sweep/world.ts';
import { ownPage, post } from '../harness/calls.ts';
import { shownPipeline } from '../monitoring/monitoring.ts';
import { type Addresses, addressesOf } from './every-resource.ts';

// No page has this element, so finding it means that a text became markup.
export const probe = 'xss-probe';
export const markup = `"><script>hostile(1)</script><${probe} onclick=hostile(2)></${probe}><img src=x onerror=hostile(3)>'`;
const short = `"><${probe}>`;
const script = 'javascript:hostile(4)';
const pollutingText =
  '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"__proto__.polluted":"1"}';

export interface Hostile {
  world: World;
  addresses: Addresses[];
  kinds: string[]; // resource types that accepted a hostile text
  bucket: string;
  keys: string[]; // object keys
  pipeline: string; // id of the pipeline with hostile samples
  topic: string; // page of the topic with hostile messages
  request: string; // a failed request
}

export async function hostileWorld(region: Region): Promise<Hostile> {
  const world = await worldOf(region);
  const addresses = await addressesOf(region);
  const kinds = new Set<string>();
  for (const { model, item } of addresses)
    if (item !== undefined && model.change && (await spoil(region, model, item.slice(consoleRoot(model).length))))
      kinds.add(model.name);
  const [pipeline, topic, storage] = await Promise.all([
    telemetry(region),
    messages(region),
    objects(region),
    labels(region, world),
    people(region),
    names(region, world),
  ]);
  const request = await failures(region); // the newest
  return { world, addresses, kinds: [...kinds].sort(), ...storage, pipeline, topic, request };
}

const consoleRoot = ({ service }: ResourceModel): string => `/console/resources/${service}`;

// Sets hostile texts in one resource: all form properties at once or, if the API refuses that, one by one.
async function spoil(region: Region, model: ResourceModel, path: string): Promise<boolean> {
  const { change } = model;
  const place = model.prefix + path;
  const { body } = await region.call<{ properties?: Record<string, unknown> }>('GET', place);
  const [schema, isWrapped] = propertiesOf(change?.body);
  const before = Object.fromEntries(
    Object.entries(body.properties ?? {}).filter(([name]) => schema[name] && schema[name].readOnly !== true),
  );
  const free = Object.entries(schema).filter(([name, one]) => !kept.has(name) && !one.enum && !one.readOnly);
  const spoiled = free
    .map(([name, one]): [string, unknown] => [name, hostileValue(name, one, before[name])])
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  const send = async (values: Record<string, unknown>): Promise<boolean> => {
    const properties = change?.method === 'PATCH' ? values : { ...before, ...values };
    const answer = await region.call(change?.method ?? 'PUT', place, isWrapped ? { properties } : properties);
    if (answer.status >= 300) return false;
    if (answer.status === 202) await waitRequest(region, requestOf(answer));
    Object.assign(before, values);
    return true;
  };
  if (spoiled.length === 0) return false;
  if (await send(Object.fromEntries(spoiled))) return true;
  let isSpoiled = false;
  for (const [name, value] of spoiled)
    for (const one of typeof value === 'string' ? [value, short, script, `http://x.example/${short}`] : [value])
      if (await send({ [name]: one })) {
        isSpoiled = true;
        break;
      }
  return isSpoiled;
}

// Properties that must stay, because the owner signs in with them or other resources depend on them.
const kept = new Set(['email', 'password', 'location', 'secAuthActive', 'forceSecAuth', 'active', 'administrator']);

// A PATCH of the core API takes bare properties; other APIs wrap them.
function propertiesOf(body: FieldSchema | undefined): [Record<string, FieldSchema>, isWrapped: boolean] {
  const fields = (body?.properties ?? {}) as Record<string, FieldSchema>;
  const wrapped = fields.properties?.properties as Record<string, FieldSchema> | undefined;
  return wrapped ? [wrapped, true] : [fields, false];
}

function hostileValue(name: string, schema: FieldSchema, before: unknown): unknown {
  if (Array.isArray(before)) return before.map((one) => hostileValue(name, (schema.items ?? {}) as FieldSchema, one));
  if (typeof before === 'object' && before !== null) {
    const fields = (schema.properties ?? {}) as Record<string, FieldSchema>;
    return Object.fromEntries(
      Object.entries(before).map(([key, one]) => [key, fields[key] ? hostileValue(key, fields[key], one) : one]),
    );
  }
  const isText = [schema.type].flat().includes('string');
  if (!isText || schema.enum || /id$/i.test(name)) return before;
  const text = /url|uri|endpoint|server$/i.test(name) ? script : markup;
  const longest = Number(schema.maxLength ?? text.length);
  return longest >= text.length ? text : longest >= short.length ? short : before;
}

const accepted = (what: string, { status, body }: { status: number; body: unknown }): void =>
  assert.ok(status < 300, `${what}: ${status} ${JSON.stringify(body)}`);

async function labels(region: Region, { ids }: World): Promise<void> {
  const server = `${core}/datacenters/${ids.datacenterId}/servers/${ids.serverId}`;
  for (const [key, value] of [
    ['markup', markup],
    ['toString', script],
    ['constructor', 'w'.repeat(255)],
  ])
    accepted('a label', await region.call('POST', `${server}/labels`, { properties: { key, value } }));
}

// Creates a user whose e-mail address is markup, and a session whose User-Agent is markup.
async function people(region: Region): Promise<void> {
  const email = `"><${probe}/onclick=hostile(5)>@example.com`;
  const properties = { firstname: markup, lastname: markup, email, password: 'Person-Password-1' };
  await createDone(region, `${core}/um/users`, { properties });
  accepted('a session', await post(region, region.owner, { ...ownPage, 'user-agent': markup }));
}

async function names(region: Region, { ids }: World): Promise<void> {
  const records = `/dns/zones/${ids.zoneId}/records`;
  for (const content of [markup.slice(1), script]) {
    const properties = { name: `h${content.length}`, type: 'TXT', content };
    accepted('a record', await region.call('POST', records, { properties }));
  }
}

// Sends hostile log lines and samples, and adds a dashboard and alerts. Returns the id of the metric pipeline.
async function telemetry(region: Region): Promise<string> {
  const name = short;
  const logs = await addLogPipeline(region, [stream('web')], { at: '/de-fra/logging/pipelines', name });
  for (const line of [
    { level: markup, message: markup, [script]: script },
    pollutingText,
    { message: `${markup} \u202E\u001B[31m` },
  ])
    accepted('a line', await postLog(region, logs, '/web', line));
  const metrics = await shownPipeline(region, 'de-fra');
  const now = Date.now();
  const label = JSON.stringify(markup);
  const samples = `# HELP hostile_total ${markup}\n# TYPE hostile_total counter\nhostile_total{host=${label},job="__proto__"} 1 ${now}\n`;
  assert.equal(await metrics.push(samples), 204);
  const queries = [{ expression: 'hostile_total', legend: markup }];
  const at = '/de-fra/monitoring';
  const panels = [{ title: markup, source: metrics.id, queries, unit: markup.slice(0, 50) }];
  accepted('a dashboard', await region.call('POST', `${at}/dashboards`, { properties: { name: short, panels } }));
  const group = {
    name: 'hostile',
    rules: [
      {
        alert: 'Hostile',
        expr: 'hostile_total > 0',
        labels: { severity: markup },
        annotations: { summary: markup, runbook_url: script },
      },
    ],
  };
  const rules = `${at}/pipelines/${metrics.id}/prometheus/config/v1/rules/hostile`;
  accepted('rules', await region.call('POST', rules, group));
  const rule = { name: markup, pipeline: metrics.id, expression: 'hostile_total', comparison: '>', threshold: 0 };
  accepted('an alert rule', await region.call('POST', `${at}/alerting/rules`, { properties: rule }));
  return metrics.id;
}

async function messages(region: Region): Promise<string> {
  const cluster = await addCluster(region, { name: 'hostile' });
  const topic = await addTopic(region, cluster.id, { name: 'hostile', numberOfPartitions: 1, replicationFactor: 3 });
  const producer = await producerOf(kafkajsOf(await reach(region, cluster)));
  const one = { key: markup, value: markup, headers: { [short]: markup } };
  await producer.send({ topic: 'hostile', acks: -1, messages: [one, { key: null, value: pollutingText }] });
  await producer.disconnect();
  return `/console/resources/streaming/clusters/${cluster.id}/topics/${topic.id}`;
}

async function objects(region: Region): Promise<{ bucket: string; keys: string[] }> {
  const bucket = 'hostile-objects';
  const keys = [`${markup}/inside`, `${script}//.html`, '__proto__', `x.svg`, 'page.html'];
  const client = s3Client(region, await makeStorageKey(region));
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const Tagging = { TagSet: [{ Key: '__proto__', Value: 'javascript:hostile' }] };
  await client.send(new PutBucketTaggingCommand({ Bucket: bucket, Tagging }));
  for (const Key of keys)
    await client.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key,
        Body: `<svg xmlns="http://www.w3.org/2000/svg" onload="hostile(6)"><script>hostile(7)</script></svg>${markup}`,
        ContentType: Key.endsWith('.svg') ? 'image/svg+xml' : 'text/html',
        Metadata: { note: markup },
      }),
    );
  client.destroy();
  return { bucket, keys };
}

// Causes a failed request, and refusals in the activity log, with hostile texts.
async function failures(region: Region): Promise<string> {
  await region.call('POST', `${core}/datacenters`, { properties: { name: markup, location: markup } });
  await region.call('POST', `${core}/ipblocks`, { properties: { name: markup, location: script, size: 1 } });
  const { body } = await region.call('GET', `${core}/requests?limit=1`);
  return body.items[0]?.id ?? '';
}
