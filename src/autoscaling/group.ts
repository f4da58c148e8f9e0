// Groups of replicas. POST and PUT only store the desired values and queue an action. The scaler starts its operation,
// the act `scale`, whose parts are the servers, volumes, NICs and target groups that it creates, changes or removes.
import { Fault } from '../base/fault.ts';
import { uuid } from '../base/ids.ts';
import { isObject, type Json, type Values } from '../base/json.ts';
import { mayEdit, maySee } from '../core/access.ts';
import { creationOf } from '../core/operation/draft.ts';
import { passedLimits } from '../core/operation/limits.ts';
import { type DecisionContext, type Draft, pathOf, type Report, resource, step } from '../core/resource.ts';
import { integer, shape, text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import type { Reader } from '../core/tree.ts';
import { autoscaling } from './dialect/dialect.ts';
import { type ActionState, type GroupState, groupOf, groupState, groupValues } from './group-row.ts';
import { policyExample, policyProperties, policyRules } from './policy-properties.ts';
import { replicaExample, replicaProperties, secretsOf, takeUnreadable } from './replica-properties.ts';
import { configurationOf, decideRemoval, decideScaling } from './scaling.ts';
import { atGroup, isNotReady, listOf, type ReplicaConfiguration, serverBody } from './server-body.ts';
import { retarget } from './targets.ts';
import type { AutoscalingTools } from './tools.ts';

const mostReplicas = 200;
const recommendedReplicas = 100;

const count = (description: string, example: number, min = 1) =>
  integer({ required: true, min, max: mostReplicas, description, example });

export const group = resource<AutoscalingTools>({
  name: 'autoscalinggroup',
  shown: {
    title: 'Auto scaling group',
    type: 'group',
    phrase: 'an auto scaling group',
    columns: ['name', 'minReplicaCount', 'maxReplicaCount', 'location'],
  },
  plural: 'groups',
  root: 'autoscaling/',
  dialect: autoscaling,
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  rights: { create: 'none' },
  actions: 'autoscaling.group',
  properties: {
    datacenter: shape(
      { id: text({ required: true, max: 64 }), type: text({ omitNull: true }), href: text({ omitNull: true }) },
      { required: true, immutable: true, description: 'Datacenter of the replicas' },
    ),
    location: text({
      max: 64,
      ignored: true,
      omitNull: true,
      description: 'Location of the datacenter; a sent value is ignored',
    }),
    name: text({ required: true, min: 1, max: 255, example: 'example' }),
    minReplicaCount: count('Minimum number of replicas, at least 1. An update may send 0, which sets 1', 1, 0),
    maxReplicaCount: count(`Maximum number of replicas. Values above ${recommendedReplicas} return a warning`, 3),
    policy: shape(policyProperties, { required: true, example: policyExample }),
    replicaConfiguration: shape(replicaProperties, {
      required: true,
      example: replicaExample,
      description: 'Applies to replicas created after the change',
    }),
  },
  sample: {
    needs: { datacenter: 'datacenter' },
    properties: (near) => ({ datacenter: { id: near('datacenter').id } }),
    change: { maxReplicaCount: 4 },
  },
  lifecycle: {
    can: { replace: ['AVAILABLE'], remove: ['AVAILABLE'] },
    remove: [step('release')],
    acts: { scale: { steps: [step('scale')], decide: decideScaling } },
  },
  rules,
  async decide(draft, context) {
    if (draft.way === 'remove') return decideRemoval(draft, context);
    return decideBounds(draft, context);
  },
  conclude: (draft, context) => (draft.act === 'scale' ? retarget(draft, context) : undefined),
  noted: {
    read: noted,
    schema: {
      warnings: {
        type: 'array',
        items: { type: 'string' },
        description: 'Values that are allowed but not recommended',
      },
    },
  },
});

function rules({ values, way }: Draft, report: Report): void {
  // Ansible's example of an update sends 0.
  if (values.minReplicaCount === 0) {
    if (way === 'create') report('minReplicaCount', 'Attribute value 0 is below the minimum of 1');
    values.minReplicaCount = 1;
  }
  const { minReplicaCount: least, maxReplicaCount: most, policy, datacenter } = values;
  if (typeof least === 'number' && typeof most === 'number' && least > most)
    report('minReplicaCount', `Attribute value ${least} is above the maxReplicaCount of ${most}`);
  if (isObject(policy)) policyRules(policy, report);
  if (isObject(datacenter)) values.datacenter = { id: datacenter.id ?? '' };
  const { replicaConfiguration } = values;
  for (const [at, volume] of volumesOf(replicaConfiguration).entries()) {
    const where = `replicaConfiguration.volumes.[${at}]`;
    if (volume.image === undefined && volume.imageAlias === undefined)
      report(`${where}.image`, 'One of image and imageAlias is required');
    else if (volume.image !== undefined && volume.imageAlias !== undefined)
      report(`${where}.imageAlias`, 'Only one of image and imageAlias is allowed');
  }
}

const volumesOf = (configuration: Json | undefined): Values[] =>
  isObject(configuration) ? listOf(configuration.volumes) : [];

// A creation and a replacement: both start an action.
async function decideBounds(draft: Draft, context: DecisionContext<AutoscalingTools>): Promise<void> {
  const { sealed, contract, caller, before } = draft;
  const { tools, store } = context;
  const values = groupOf(draft.values);
  const { id } = values.datacenter;
  const datacenter = await tools.servers().datacenter(contract, id);
  if (!datacenter || !maySee(caller, datacenter))
    throw new Fault('refused', `[(root).properties.datacenter.id] Datacenter ${id.slice(0, 64)} does not exist`);
  if (!mayEdit(caller, datacenter)) throw new Fault('forbidden', 'You can view this datacenter but not change it.');
  values.location = (JSON.parse(datacenter.body) as { location: string }).location;
  const state = draft.hidden as GroupState;
  const known = before && configurationOf(before, tools);
  const sent = isObject(sealed.sent) ? sealed.sent.replicaConfiguration : undefined;
  const names = volumesOf(known?.configuration).map(({ name }) => String(name));
  const secrets = secretsOf(sent, known?.secrets ?? [], names);
  const unreadable = takeUnreadable(values.replicaConfiguration, sent, state.unreadable ?? {});
  const replicas = before ? (await store.children(contract, `${pathOf(draft)}/servers`)).length : 0;
  const replica = { configuration: { ...values.replicaConfiguration, ...unreadable }, secrets };
  await demandReplica(draft, context, datacenter, replica, Math.max(0, values.minReplicaCount - replicas));
  state.unreadable = unreadable;
  state.secrets = tools.seal.close(JSON.stringify(secrets));
  queueBounds(draft, context, replicas);
}

// Refuses at once what can already be checked of the replicas. `count`: how many are created now.
async function demandReplica(
  draft: Draft,
  { tools, store }: DecisionContext<AutoscalingTools>,
  datacenter: Row,
  replica: ReplicaConfiguration,
  count: number,
): Promise<void> {
  const servers = tools.servers();
  for (const [at, { targetGroup }] of listOf(replica.configuration.nics).entries()) {
    const id = isObject(targetGroup) ? String(targetGroup.targetGroupId) : undefined;
    if (id === undefined || (await servers.hasTargetGroup(draft.caller, id))) continue;
    const where = `(root).properties.replicaConfiguration.nics.[${at}].targetGroup.targetGroupId`;
    throw new Fault('refused', `[${where}] Target group ${id} does not exist`);
  }
  try {
    const trial: Draft = { ...draft, children: [], related: [], extraWrites: [] };
    const server = servers.creation(trial, datacenter, uuid(), serverBody('replica', replica));
    await servers.check(server);
    const problems = await passedLimits(store, server, await tools.bounds(draft.contract), count);
    if (problems.length > 0) throw new Fault('refused', problems[0]?.message ?? '', { code: '200', problems });
  } catch (error) {
    if (isNotReady(error)) return; // its action begins when it is
    throw atGroup(error);
  }
}

// The first action of a creation scales to the minimum; that of a replacement returns to the bounds where necessary.
function queueBounds(draft: Draft, { resource: find }: DecisionContext<AutoscalingTools>, replicas: number): void {
  const { minReplicaCount: least, maxReplicaCount: most } = groupOf(draft.values);
  const state = draft.hidden as GroupState;
  const type = replicas > most ? 'SCALE_IN' : 'SCALE_OUT';
  const isWithin = replicas >= least && replicas <= most;
  const values = { actionStatus: isWithin ? 'SUCCESSFUL' : 'IN_PROGRESS', actionType: type };
  const begun = creationOf(find('autoscalingaction'), draft.caller, draft.before ? [draft.before] : [], values);
  begun.id = uuid();
  if (isWithin) Object.assign(begun.hidden, { from: replicas, to: replicas } satisfies ActionState);
  (draft.before ? draft.related : draft.children).push(begun);
  // What failed before is tried again: the change may have helped.
  state.failures = 0;
  state.retryAt = 0;
  if (!isWithin) state.queue = [...(state.queue ?? []), { id: begun.id, type }];
}

async function noted(row: Row, store: Reader): Promise<Values> {
  const { maxReplicaCount: most, datacenter } = groupValues(row);
  const { queue = [] } = groupState(row);
  const isThere = queue.length > 0 || (await store.get(row.contract, 'datacenters', datacenter.id)) !== undefined;
  const state = queue.length > 0 ? 'BUSY' : isThere ? 'AVAILABLE' : 'INACTIVE';
  const warning = `A maxReplicaCount of ${most} is allowed, but more than ${recommendedReplicas} are not recommended.`;
  return { state, ...(most > recommendedReplicas && { warnings: [warning] }) };
}
