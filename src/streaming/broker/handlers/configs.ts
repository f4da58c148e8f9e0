// Configurations of topics, brokers, groups and subscriptions of client metrics: describe and change.
import { TimeSlice } from '../../../core/threads/time-slice.ts';
import { isListSetting, standardValue } from '../settings/broker-settings.ts';
import {
  changeGroupSettings,
  changeMetricsSettings,
  describeGroupSettings,
  describeMetricsSettings,
} from '../settings/group-settings.ts';
import { type Described, type Synonym, sources } from '../settings/setting.ts';
import { topicDefaults } from '../settings/topic-defaults.ts';
import { configTypes, topicConfigs } from '../topic/config-definitions.ts';
import type { Configs } from '../topic/topic-config.ts';
import type { Topic } from '../topic/topics.ts';
import { ProtocolError } from '../wire/errors.ts';
import type {
  alterConfigs,
  describeConfigs,
  incrementalAlterConfigs,
  listClientMetricsResources,
} from '../wire/messages/config.ts';
import { type Call, distinct, type Handler, outcome } from './handler.ts';

// The numbers are those of the protocol.
const topicResource = 2;
const brokerResource = 4;
const clientMetricsResource = 16;
const groupResource = 32;

// How one kind of resource is read and changed.
interface Resource {
  describe(name: string, call: Call): Described[];
  set(name: string, call: Call): Configs; // what clients have set
  change(name: string, next: Configs, isDryRun: boolean, call: Call): Promise<void>;
  isList(key: string): boolean;
  standard(key: string): string;
}

const resources: Record<number, Resource> = {
  [topicResource]: {
    describe: (name, call) => describeTopic(topicNamed(name, call), call),
    set: (name, call) => topicNamed(name, call).configs,
    change: (name, next, isDryRun, call) => call.cluster.topics.setConfigs(topicNamed(name, call), next, isDryRun),
    isList: (key) => topicConfigs[key]?.type === 'list',
    standard: (key) => topicConfigs[key]?.default ?? '',
  },
  [brokerResource]: {
    describe(name, call) {
      const { settings } = call.cluster;
      return checkedBroker(name, call) === '' ? settings.describeCluster() : settings.describe(Number(name));
    },
    set: (name, call) => call.cluster.settingStore.get('broker', checkedBroker(name, call)),
    change: (name, next, isDryRun, call) => call.cluster.settings.change(name, next, isDryRun),
    isList: isListSetting,
    standard: standardValue,
  },
  [groupResource]: {
    describe: (name, call) => describeGroupSettings(call.cluster.settingStore, name),
    set: (name, call) => call.cluster.settingStore.get('group', name),
    change: (name, next, isDryRun, call) => changeGroupSettings(call.cluster.settingStore, name, next, isDryRun),
    isList: () => false,
    standard: () => '',
  },
  [clientMetricsResource]: {
    describe: (name, call) => describeMetricsSettings(call.cluster.settingStore, name),
    set: (name, call) => call.cluster.settingStore.get('client-metrics', name),
    change: (name, next, isDryRun, call) => changeMetricsSettings(call.cluster.settingStore, name, next, isDryRun),
    isList: (key) => key !== 'interval.ms',
    standard: () => '',
  },
};

function resourceOf(type: number): Resource {
  const resource = resources[type];
  if (!resource) throw new ProtocolError('INVALID_REQUEST', `Unexpected resource type ${type}.`);
  return resource;
}

// Checks the name of one broker; an empty name means all brokers.
function checkedBroker(name: string, { cluster }: Call): string {
  if (name !== '' && !(/^\d+$/.test(name) && cluster.nodes.find(Number(name))))
    throw new ProtocolError('INVALID_REQUEST', `Broker ${name} does not exist.`);
  return name;
}

function topicNamed(name: string, { cluster }: Call): Topic {
  const topic = cluster.topics.byName.get(name);
  if (!topic) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION', `Topic ${name} does not exist.`);
  return topic;
}

export const handleDescribeConfigs: Handler<typeof describeConfigs> = async (request, call) => {
  const results = [];
  const slice = new TimeSlice();
  for (const one of distinct(request.resources, ({ resourceType: type, resourceName: name }) => `${type} ${name}`)) {
    const { resourceType, resourceName, configurationKeys } = one;
    await slice.pause();
    let configs: Described[] = [];
    const wanted = configurationKeys && new Set(configurationKeys);
    const failure = await outcome(call, () => {
      configs = resourceOf(resourceType)
        .describe(resourceName, call)
        .filter(({ name }) => wanted?.has(name) ?? true)
        .map((one) => ({
          ...one,
          synonyms: request.includeSynonyms ? one.synonyms : [],
          documentation: request.includeDocumentation ? one.documentation : null,
        }));
    });
    results.push({ ...failure, resourceType, resourceName, configs });
  }
  return { results };
};

// A topic takes what it does not set itself from the broker that received the request.
function describeTopic({ configs }: Topic, { cluster, nodeId }: Call): Described[] {
  return Object.entries(topicConfigs).map(([name, definition]) => {
    const inherited = topicDefaults[name] ? cluster.settings.synonyms(topicDefaults[name], nodeId) : [];
    const own: Synonym[] = name in configs ? [{ name, value: configs[name] as string, source: sources.topic }] : [];
    const set = [...own, ...inherited].find(({ source }) => source < sources.static);
    return {
      name,
      value: set?.value ?? definition.default,
      readOnly: false,
      configSource: set?.source ?? sources.default,
      isSensitive: false,
      configType: configTypes[definition.type],
      documentation: definition.documentation,
      synonyms: [...own, ...inherited],
    };
  });
}

interface Named {
  resourceType: number;
  resourceName: string;
}

// Finds resources that a request names more than once: none of their changes is applied.
function repetitions(all: Named[]): (one: Named) => boolean {
  const keyOf = ({ resourceType, resourceName }: Named): string => `${resourceType} ${resourceName}`;
  const byKey = Map.groupBy(all, keyOf);
  return (one) => byKey.get(keyOf(one))?.length !== 1;
}

async function change(
  call: Call,
  { resourceType, resourceName }: Named,
  next: (now: Configs, resource: Resource) => Configs,
  validateOnly: boolean,
  isRepeated: boolean,
) {
  const failure = await outcome(call, async () => {
    if (isRepeated) throw new ProtocolError('INVALID_REQUEST', 'Each resource must appear at most once.');
    const resource = resourceOf(resourceType);
    const now = resource.set(resourceName, call);
    await resource.change(resourceName, next(now, resource), validateOnly, call);
  });
  return { ...failure, resourceType, resourceName };
}

export const handleAlterConfigs: Handler<typeof alterConfigs> = async ({ resources: all, validateOnly }, call) => {
  const responses = [];
  const isRepeated = repetitions(all);
  for (const resource of all) {
    const values = resource.configs.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const]));
    responses.push(await change(call, resource, () => Object.fromEntries(values), validateOnly, isRepeated(resource)));
  }
  return { responses };
};

type Operation = { name: string; configOperation: number; value: string | null };

export const handleIncrementalAlterConfigs: Handler<typeof incrementalAlterConfigs> = async (request, call) => {
  const responses = [];
  const isRepeated = repetitions(request.resources);
  for (const one of request.resources) {
    const next = (now: Configs, resource: Resource): Configs => {
      const configs = new Map(Object.entries(now));
      for (const operation of one.configs) apply(configs, operation, resource);
      return Object.fromEntries(configs);
    };
    responses.push(await change(call, one, next, request.validateOnly, isRepeated(one)));
  }
  return { responses };
};

// 0 sets, 1 deletes, 2 adds to a list and 3 takes from it.
function apply(configs: Map<string, string>, { name, configOperation, value }: Operation, resource: Resource): void {
  if (configOperation === 1) {
    configs.delete(name);
    return;
  }
  if (value === null) throw new ProtocolError('INVALID_REQUEST', `${name} needs a value.`);
  if (configOperation === 0) {
    configs.set(name, value);
    return;
  }
  const verb = configOperation === 2 ? 'append' : 'subtract';
  if (configOperation > 3 || !resource.isList(name))
    throw new ProtocolError('INVALID_CONFIG', `Config value ${verb} is not allowed for config key: ${name}`);
  const list = (configs.get(name) ?? resource.standard(name)).split(',').filter((word) => word !== '');
  const words = new Set(value.split(','));
  const kept = list.filter((word) => !words.has(word));
  configs.set(name, (configOperation === 2 ? [...kept, ...words] : kept).join(','));
}

export const handleListClientMetricsResources: Handler<typeof listClientMetricsResources> = (_, { cluster }) => ({
  errorCode: 0,
  clientMetricsResources: cluster.settingStore.names('client-metrics').map((name) => ({ name })),
});
