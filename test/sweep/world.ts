// A small world of real resources for the paths of all operations, and a body that each of them would take. It
// creates declared resources by their samples. An unknown path parameter fails the sweeps until it is added here.
import assert from 'node:assert/strict';
import { addGroup as addScalingGroup } from '../harness/autoscaling.ts';
import { addBlock, addServer, addVolume, disk, done, imageId, publicLan, read, small } from '../harness/landscape.ts';
import { addLogPipeline, logging } from '../harness/logs.ts';
import { provideBuckets } from '../harness/objects.ts';
import { addContract, addGroup, addPerson, core, type OwnerOfTest, type PersonOfTest } from '../harness/people.ts';
import { addPipeline, monitoring } from '../harness/pipelines.ts';
import { createDone, type Region, type ResourceBody } from '../harness/region.ts';
import { all, makeSample } from '../harness/samples.ts';
import type { Json } from './values.ts';

export interface World {
  ids: Record<string, string>; // by parameter; `natgatewayId/flowlogId` for those that follow another
  bodies: Record<string, Json>; // of creations, by the samples of their resources
  user: PersonOfTest; // of the same contract, without any privilege
  reader: PersonOfTest; // may see the datacenter, and no more
  other: OwnerOfTest; // the owner of another contract
}

// Real resources for every parameter. The user whose id is used differs from the user of the token.
export async function worldOf(region: Region): Promise<World> {
  await provideBuckets(region, flowlog.bucket);
  const properties = { name: 'swept', location: 'de/txl' };
  const datacenter = await createDone(region, `${core}/datacenters`, { properties });
  const path = `${core}/datacenters/${datacenter.id}`;
  const ipblock = await createDone(region, `${core}/ipblocks`, { properties: { ...properties, size: 1 } });
  const ids = {
    datacenterId: datacenter.id,
    ipblockId: ipblock.id,
    ...(await machinesIn(region, path)),
    ...(await networkIn(region, path)),
    ...(await contractOf(region, datacenter.id)),
    ...(await shared(region)),
    ...(await monitoredBy(region)),
    ...(await loggedBy(region)),
    ...(await storedBy(region)),
    ...(await streamedBy(region)),
    ...billedTo(region),
    port: '80', // of a server, for connections to it
  };
  Object.assign(ids, await scaledIn(region, path));
  Object.assign(ids, await othersIn(region, path, ids));
  Object.assign(ids, await inferredBy(region, ids));
  const labelled = [`servers/${ids.serverId}`, `volumes/${ids.volumeId}`].map(
    (one) => `datacenters/${datacenter.id}/${one}`,
  );
  const tops = [`datacenters/${datacenter.id}`, `ipblocks/${ipblock.id}`, `snapshots/${ids.snapshotId}`];
  for (const place of [...tops, ...labelled])
    await createDone(region, `${core}/${place}/labels`, { properties: { key: 'swept', value: 'x' } });
  const labels = { labelId: 'swept', labelUrn: `urn:label:datacenter:${datacenter.id}:swept` };
  const reader = await readerOf(region, datacenter.id);
  const other = await secondContract(region);
  return { ids: { ...ids, ...labels }, bodies: {}, user: await addPerson(region), reader, other };
}

const rule = { protocol: 'TCP', name: 'swept' };
const flowlog = { name: 'swept', action: 'ALL', direction: 'INGRESS', bucket: 'flow-logs' };

const adder = (region: Region) => async (place: string, properties: object) =>
  (await createDone(region, place, { properties })).id;

// A running server with a NIC that has an address, and another one behind a balancer.
async function machinesIn(region: Region, path: string) {
  const add = adder(region);
  const lanId = String(await publicLan(region, path));
  const server = await addServer(region, path, {}, { volumes: { items: [{ properties: disk }] } });
  const nicId = await add(`${server}/nics`, { lan: Number(lanId), name: 'swept' });
  const balanced = await add(`${server}/nics`, { lan: 2, name: 'balanced' });
  const [volume] = (await read(region, `${server}/volumes`)).items as [ResourceBody];
  const cdroms = 'filter.imageType=CDROM&filter.location=de/txl';
  const [cdromId = '', otherCdrom = ''] = (await read(region, `${core}/images?${cdroms}`)).items.map(({ id }) => id);
  await done(region, 'POST', `${server}/cdroms`, { id: cdromId });
  const { body: snapshot } = await done(region, 'POST', `${path}/volumes/${volume.id}/create-snapshot`);
  const loadbalancerId = await add(`${path}/loadbalancers`, { name: 'swept' });
  await done(region, 'POST', `${path}/loadbalancers/${loadbalancerId}/balancednics`, { id: balanced });
  const group = await add(`${path}/securitygroups`, { name: 'swept' });
  for (const one of [server, `${server}/nics/${nicId}`])
    await done(region, 'PUT', `${one}/securitygroups`, { ids: [group] });
  return {
    lanId,
    serverId: server.split('/').at(-1) as string,
    nicId,
    'loadbalancerId/nicId': balanced,
    volumeId: volume.id,
    free: await addVolume(region, path),
    cdromId,
    otherCdrom,
    snapshotId: snapshot.id,
    loadbalancerId,
    gpuId: nicId, // there are none
    ticket: String((await read(region, `${server}/token`)).token),
    firewallruleId: await add(`${server}/nics/${nicId}/firewallrules`, rule),
    'nicId/flowlogId': await add(`${server}/nics/${nicId}/flowlogs`, flowlog),
    securitygroupId: group,
    securitygroupruleId: (await securityRule(region, `${path}/securitygroups/${group}/rules`)).id,
  };
}

async function securityRule(region: Region, place: string): Promise<ResourceBody> {
  return (await done(region, 'POST', place, { properties: rule })).body;
}

// Balancers and gateways, each between separate LANs.
async function networkIn(region: Region, path: string) {
  const add = adder(region);
  const made = new Map([['datacenter', path]]);
  const [otherIp] = await addBlock(region, 1);
  const ids: Record<string, string> = { otherIp: String(otherIp) };
  for (const [kind, rule] of [
    ['natgateway', 'natgatewayrule'],
    ['networkloadbalancer', 'networkforwardingrule'],
    ['applicationloadbalancer', 'applicationforwardingrule'],
  ] as const) {
    ids[`${rule}Id`] = idIn(await makeSample(region, rule, made));
    const above = made.get(kind) ?? '';
    ids[`${kind}Id`] = idIn(above);
    ids[`${kind}Id/flowlogId`] = await add(`${above}/flowlogs`, flowlog);
  }
  const { properties } = await read(region, made.get('networkloadbalancer') ?? '');
  const [publicIp] = (await read(region, made.get('natgateway') ?? '')).properties.publicIps as string[];
  const lans = { listenerLan: String(properties.listenerLan), targetLan: String(properties.targetLan) };
  return { ...ids, ...lans, publicIp: String(publicIp) };
}

async function storedBy(region: Region): Promise<Record<string, string>> {
  const path = '/objectstorage-management/accesskeys';
  const { body } = await region.call('POST', path, { properties: { description: 'swept' } });
  return { accesskeyId: body.id };
}

function billedTo(region: Region): Record<string, string> {
  const date = new Date().toISOString().slice(0, 10);
  const period = date.slice(0, 7);
  const invoiceId = `CU${region.contract}-${period.replace('-', '')}`;
  return { date, period, invoiceId };
}

async function streamedBy(region: Region): Promise<Record<string, string>> {
  const made = new Map<string, string>();
  const topicId = idIn(await makeSample(region, 'topic', made));
  const cluster = made.get('cluster') ?? '';
  const [user] = (await read(region, `${cluster}/users`)).items as [ResourceBody];
  return { clusterId: idIn(cluster), topicId, clusteruserId: user.id, brokerId: '1' };
}

const idIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

// One of each declared resource that the world has not yet.
async function othersIn(region: Region, datacenter: string, known: object): Promise<Record<string, string>> {
  const made = new Map([['datacenter', datacenter]]);
  const ids: Record<string, string> = {};
  for (const { name, verbs } of all.filter((one) => one.name !== 'label'))
    if (verbs.includes('create') && !Object.keys(known).some((key) => key.endsWith(`${name}Id`)))
      ids[`${name}Id`] = idIn(await makeSample(region, name, made));
  return ids;
}

const forwarding = (protocol: string, listenerIp: string) => ({
  ...{ name: 'swept', protocol, listenerIp, listenerPort: 81 },
  ...(protocol === 'TCP' && { algorithm: 'RANDOM', targets: [] }),
});

// Users, and resources outside datacenters.
async function contractOf(region: Region, datacenterId: string) {
  const add = adder(region);
  const person = await addPerson(region);
  const group = await addGroup(region, ['createDataCenter', 's3Privilege'], [person.user]);
  await done(region, 'POST', `${core}/um/groups/${group.id}/shares/${datacenterId}`, { properties: {} });
  const tokens = await region.call<{ tokens: { id: string }[] }>('GET', '/auth/v1/tokens');
  const [request] = (await read(region, `${core}/requests?limit=1`)).items as [ResourceBody];
  return {
    userId: person.user.id,
    groupId: group.id,
    s3keyId: await add(`${core}/um/users/${person.user.id}/s3keys`, {}),
    resourceType: 'datacenter',
    resourceId: datacenterId,
    requestId: request.id,
    tokenId: tokens.body.tokens[0]?.id ?? '',
    contractNumber: String(region.contract),
  };
}

// A document of the collection, and a model that all contracts have.
async function inferredBy(region: Region, { collectionId }: Record<string, string>): Promise<Record<string, string>> {
  const documents = `/inference/collections/${collectionId}/documents`;
  const sent = { items: [wrapped({ name: 'swept', content: 'c3dlcHQ=' })] };
  const { body } = await region.call('PUT', documents, sent);
  const { items } = await read(region, '/inference/models');
  const named = { encodedModel: 'openai%2Fgpt-oss-120b', publisher: 'openai', modelName: 'gpt-oss-120b' };
  return { documentId: body.items[0]?.id ?? '', modelId: items[0]?.id ?? '', ...named };
}

// A group with one replica.
async function scaledIn(region: Region, path: string): Promise<Record<string, string>> {
  const group = await addScalingGroup(region, {}, path);
  const [action] = (await read(region, `${group.path}/actions`)).items as [ResourceBody];
  const [server] = (await read(region, `${group.path}/servers`)).items as [ResourceBody];
  return { autoscalinggroupId: group.id, autoscalingactionId: action.id, autoscalingserverId: server.id };
}

async function monitoredBy(region: Region) {
  const [central] = (await read(region, `${monitoring}/central`)).items as [ResourceBody];
  const { id: metricpipelineId } = await addPipeline(region);
  const dashboard = await region.call('POST', `${monitoring}/dashboards`, wrapped({ name: 'swept' }));
  assert.equal(dashboard.status, 202, JSON.stringify(dashboard.body));
  const ids = { metricpipelineId, centralmonitoringId: central.id, dashboardId: dashboard.body.id };
  return { ...ids, ...(await alertsOf(region, metricpipelineId)) };
}

async function loggedBy(region: Region) {
  const [central] = (await read(region, `${logging}/central`)).items as [ResourceBody];
  const { id: logpipelineId } = await addLogPipeline(region);
  return { logpipelineId, centralloggingId: central.id, tag: 'app', field: 'status' };
}

async function alertsOf(region: Region, pipeline: string) {
  const add = async (path: string, body: Json): Promise<ResourceBody> => {
    const made = await region.call('POST', `${monitoring}/${path}`, body);
    assert.ok(made.status < 300, JSON.stringify(made.body));
    return made.body;
  };
  const group = { name: 'swept', rules: [{ alert: 'Swept', expr: 'up == 0' }] };
  await add(`pipelines/${pipeline}/prometheus/config/v1/rules/swept`, group);
  const channel = await add(
    'alerting/channels',
    wrapped({ name: 'swept', type: 'webhook', url: 'http://127.0.0.1:1/' }),
  );
  const rule = { name: 'swept', pipeline, expression: 'up', comparison: '<', threshold: 1 };
  const { id: ruleId } = await add('alerting/rules', wrapped(rule));
  return { namespace: 'swept', group: 'swept', channelId: channel.id, ruleId, label: 'job', number: '1' };
}

async function readerOf(region: Region, datacenterId: string): Promise<PersonOfTest> {
  const reader = await addPerson(region);
  const group = await addGroup(region, [], [reader.user]);
  await done(region, 'POST', `${core}/um/groups/${group.id}/shares/${datacenterId}`, { properties: {} });
  return reader;
}

// Resources that all contracts share.
async function shared(region: Region) {
  const [template] = (await read(region, `${core}/templates`)).items as [ResourceBody];
  return {
    imageId: await imageId(region, 'HDD'),
    templateId: template.id,
    regionId: 'de',
    locationId: 'fra',
    siteId: '2',
    document: 'cloudapi.json',
    asset: 'page.css',
    savepointName: 'none', // to make one stops the region
  };
}

export const sharedNames = new Set(
  (
    'regionId locationId siteId imageId templateId document asset savepointName resourceType contractNumber ticket period date ' +
    'modelId modelName publisher encodedModel'
  ).split(' '),
);

// `more`: options of `contract add`, such as a limit.
export const secondContract = (region: Region, ...more: string[]): Promise<OwnerOfTest> =>
  addContract(region, 31_000_002, ...more);

const wrapped = (properties: object): { properties: Json } => ({ properties: properties as Json });
const list = (...all: object[]): Json => ({ items: all.map(wrapped) });
const parts: Json = {
  volumes: list(disk, disk),
  nics: { items: [{ ...wrapped({ lan: 8 }), entities: { firewallrules: list(rule) } }] },
};
const landscape: Json = {
  lans: list({ name: 'fresh' }),
  volumes: list(disk),
  servers: { items: [{ ...wrapped(small), entities: parts }] },
};

// Bodies of operations whose schema alone is not enough, by operation id.
export function bodiesOf({ ids }: World): Record<string, Json> {
  const wrap = (properties: object): Json => ({ properties }) as unknown as Json;
  const reference = (id: string | undefined): Json => ({ id: id ?? '' });
  const between = { name: 'fresh', listenerLan: Number(ids.listenerLan), targetLan: Number(ids.targetLan) };
  return {
    group_users_add: reference(ids.userId),
    centralmonitoring_replace: wrap({ enabled: false }),
    centrallogging_replace: wrap({ enabled: false }),
    alertrule_create: wrap({
      name: 'fresh',
      pipeline: ids.metricpipelineId,
      expression: 'up',
      comparison: '<',
      threshold: 1,
    }),
    document_put_all: { items: [wrapped({ name: 'fresh', content: 'ZnJlc2g=' })] },
    lab_clock_advance: { advanceMs: 0 },
    lab_faults_plant: { faults: [] },
    lab_broker_set: { serving: true },
    lab_demo_start: { evenIfNotEmpty: false },
    datacenter_create: { ...wrapped({ name: 'fresh', location: 'de/txl' }), entities: landscape },
    server_create: { ...wrapped(small), entities: parts },
    nic_create: { ...wrapped({ lan: 8 }), entities: { firewallrules: list(rule), flowlogs: list(flowlog) } },
    securitygroup_create: { ...wrapped({ name: 'fresh' }), entities: { rules: list(rule, rule) } },
    volume_create: wrap(disk),
    server_volumes_attach: reference(ids.free),
    server_cdroms_attach: reference(ids.otherCdrom),
    lan_nics_attach: reference(ids.nicId),
    loadbalancer_balancednics_add: reference(ids['loadbalancerId/nicId']),
    volume_restoreSnapshot: wrap({ snapshotId: ids.snapshotId }),
    server_securitygroups_assign: { ids: [ids.securitygroupId ?? ''] },
    nic_securitygroups_assign: { ids: [] },
    networkloadbalancer_create: wrap(between),
    applicationloadbalancer_create: wrap(between),
    networkforwardingrule_create: wrap(forwarding('TCP', '10.200.0.5')),
    applicationforwardingrule_create: wrap(forwarding('HTTP', '10.200.0.6')),
    natgateway_create: wrap({ name: 'fresh', publicIps: [ids.otherIp] }),
    natgatewayrule_create: wrap({ name: 'fresh', publicIp: ids.publicIp, sourceSubnet: '10.1.3.0/24' }),
  };
}
