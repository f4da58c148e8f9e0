// Groups of replicas. POST and PUT only write what is wanted, and queue an action; the scaler starts its operation, the
// act `scale`, whose parts are the servers, volumes, NICs and target groups that it makes, changes or removes.
import { Fault } from '../base/fault.ts';
import { uuid } from '../base/ids.ts';
import { isObject, type Values } from '../base/json.ts';
import { mayEdit, maySee } from '../core/access.ts';
import { autoscaling } from '../core/dialect.ts';
import { creationOf } from '../core/operation/draft.ts';
import { type DecisionContext, type Draft, pathOf, type Report, resource, step } from '../core/resource.ts';
import { integer, shape, text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import type { Reader } from '../core/tree.ts';
import { type GroupState, type GroupValues, groupState, groupValues } from './group-row.ts';
import { policyExample, policyProperties, policyRules } from './policy-properties.ts';
import { replicaExample, replicaProperties, secretsOf, type VolumeSecrets } from './replica-properties.ts';
import { configurationOf, decideRemoval, decideScaling, retarget } from './scaling.ts';
import { atGroup, serverBody } from './server-body.ts';
import type { AutoscalingTools } from './tools.ts';

export const mostReplicas = 200;
export const recommendedReplicas = 100;

const count = (description: string, example: number) =>
  integer({ required: true, min: 1, max: mostReplicas, description, example });

export const group = resource<AutoscalingTools>({
  name: 'autoscalinggroup',
  type: 'group',
  title: 'an auto scaling group',
  plural: 'groups',
  root: 'autoscaling/',
  dialect: autoscaling,
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  privilege: 'none',
  actions: 'autoscaling.group',
  properties: {
    datacenter: shape(
      { id: text({ required: true, max: 64 }), type: text({ omitNull: true }), href: text({ omitNull: true }) },
      { required: true, immutable: true, description: 'Where its replicas are' },
    ),
    location: text({ max: 64, omitNull: true, description: 'That of the datacenter, whatever is sent' }),
    name: text({ required: true, min: 1, max: 255, example: 'example' }),
    minReplicaCount: count('It never has fewer replicas', 1),
    maxReplicaCount: count(`It never has more; above ${recommendedReplicas} it is warned of`, 3),
    policy: shape(policyProperties, { required: true, example: policyExample }),
    replicaConfiguration: shape(replicaProperties, {
      required: true,
      example: replicaExample,
      description: 'Of replicas that are made from now on',
    }),
  },
  columns: ['name', 'minReplicaCount', 'maxReplicaCount', 'location'],
  sample: {
    needs: { datacenter: 'datacenter' },
    properties: (near) => ({ datacenter: { id: near('datacenter').id } }),
    change: { maxReplicaCount: 4 },
  },
  can: { replace: ['AVAILABLE'], remove: ['AVAILABLE'] },
  remove: [step('release')],
  acts: { scale: { steps: [step('scale')], decide: decideScaling } },
  rules,
  async decide(draft, context) {
    if (draft.way === 'remove') return decideRemoval(draft, context);
    return decideBounds(draft, context);
  },
  conclude: (draft, context) => (draft.act === 'scale' ? retarget(draft, context) : undefined),
  noted,
  notedSchema: {
    warnings: { type: 'array', items: { type: 'string' }, description: 'What is allowed, and not recommended' },
  },
});

function rules({ values }: Draft, report: Report): void {
  const { minReplicaCount: least, maxReplicaCount: most, policy, datacenter } = values;
  if (typeof least === 'number' && typeof most === 'number' && least > most)
    report('minReplicaCount', `It is ${least}, which is more than the maxReplicaCount of ${most}`);
  if (isObject(policy)) policyRules(policy, report);
  if (isObject(datacenter)) values.datacenter = { id: datacenter.id ?? '' };
  const { replicaConfiguration } = values;
  for (const [at, volume] of volumesOf(replicaConfiguration).entries()) {
    const where = `replicaConfiguration.volumes.[${at}]`;
    if (volume.image === undefined && volume.imageAlias === undefined)
      report(`${where}.image`, 'One of image and imageAlias is needed');
    else if (volume.image !== undefined && volume.imageAlias !== undefined)
      report(`${where}.imageAlias`, 'Only one of image and imageAlias can be given');
  }
}

const volumesOf = (configuration: Values[string] | undefined): Values[] =>
  isObject(configuration) && Array.isArray(configuration.volumes) ? configuration.volumes.filter(isObject) : [];

// A creation and a replacement: both begin an action.
async function decideBounds(draft: Draft, context: DecisionContext<AutoscalingTools>): Promise<void> {
  const { values, sealed, contract, caller } = draft;
  const servers = context.tools.servers();
  const { id } = values.datacenter as { id: string };
  const datacenter = await servers.datacenter(contract, id);
  if (!datacenter || !maySee(caller, datacenter))
    throw new Fault('refused', `[(root).properties.datacenter.id] There is no datacenter ${id.slice(0, 64)}`);
  if (!mayEdit(caller, datacenter)) throw new Fault('forbidden', 'You may see this datacenter but not change it.');
  values.location = (JSON.parse(datacenter.body) as { location: string }).location;
  const configuration = values.replicaConfiguration as Values;
  const before = draft.before && configurationOf(draft.before, context.tools);
  const sent = isObject(sealed.sent) ? sealed.sent.replicaConfiguration : undefined;
  const isKept = sent === undefined && before !== undefined;
  const names = volumesOf(before?.configuration).map(({ name }) => String(name));
  const secrets: VolumeSecrets = isKept ? before.secrets : secretsOf(sent, before?.secrets ?? [], names);
  const zone = isKept ? before.zone : String(configuration.availabilityZone);
  // Clients can read no zone but AUTO: another one is not shown.
  if (zone !== 'AUTO') delete configuration.availabilityZone;
  await demandReplica(draft, context, datacenter, { zone, configuration, secrets });
  const state = draft.hidden as GroupState;
  state.zone = zone;
  state.secrets = context.tools.seal.close(JSON.stringify(secrets));
  await queueBounds(draft, context);
}

// What can be known of replicas at once is refused at once.
async function demandReplica(
  draft: Draft,
  { tools }: DecisionContext<AutoscalingTools>,
  datacenter: Row,
  replica: { zone: string; configuration: Values; secrets: VolumeSecrets },
): Promise<void> {
  const servers = tools.servers();
  const nics = Array.isArray(replica.configuration.nics) ? replica.configuration.nics.filter(isObject) : [];
  for (const [at, { targetGroup }] of nics.entries()) {
    const id = isObject(targetGroup) ? String(targetGroup.targetGroupId) : undefined;
    if (id === undefined || (await servers.hasTargetGroup(draft.contract, id))) continue;
    const where = `(root).properties.replicaConfiguration.nics.[${at}].targetGroup.targetGroupId`;
    throw new Fault('refused', `[${where}] There is no target group ${id}`);
  }
  try {
    const trial: Draft = { ...draft, children: [], related: [], extraWrites: [] };
    await servers.check(servers.creation(trial, datacenter, uuid(), serverBody('replica', replica)));
  } catch (error) {
    throw atGroup(error);
  }
}

// The first action of a creation brings it to its minimum; one of a replacement back within the bounds, if need be.
async function queueBounds(draft: Draft, { store, resource: find }: DecisionContext<AutoscalingTools>): Promise<void> {
  const { minReplicaCount: least, maxReplicaCount: most } = draft.values as unknown as GroupValues;
  const replicas = draft.before ? await store.children(draft.contract, `${pathOf(draft)}/servers`) : [];
  const state = draft.hidden as GroupState;
  const type = replicas.length > most ? 'SCALE_IN' : 'SCALE_OUT';
  const isWithin = replicas.length >= least && replicas.length <= most;
  const values = { actionStatus: isWithin ? 'SUCCESSFUL' : 'IN_PROGRESS', actionType: type };
  const begun = creationOf(find('autoscalingaction'), draft.caller, draft.before ? [draft.before] : [], values);
  begun.id = uuid();
  (draft.before ? draft.related : draft.children).push(begun);
  // What failed before is tried anew: the change may have helped.
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
