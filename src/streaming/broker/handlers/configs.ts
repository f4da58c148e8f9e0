// Configurations of topics and brokers: describe and change. Those of brokers are told and can't be changed here.
import { TimeSlice } from '../../../core/operation/time-slice.ts';
import { configTypes, topicConfigs } from '../topic/config-definitions.ts';
import type { Configs } from '../topic/topic-config.ts';
import type { Topic } from '../topic/topics.ts';
import { ProtocolError } from '../wire/errors.ts';
import type { alterConfigs, describeConfigs, incrementalAlterConfigs } from '../wire/messages/config.ts';
import { type Call, distinct, type Handler, outcome } from './handler.ts';

const topicResource = 2;
const brokerResource = 4;
const sources = { topic: 1, default: 5, static: 4 };

interface Described {
  name: string;
  value: string;
  readOnly: boolean;
  configSource: number;
  isSensitive: boolean;
  configType: number;
  documentation: string | null;
  synonyms: { name: string; value: string; source: number }[];
}

export const handleDescribeConfigs: Handler<typeof describeConfigs> = async (request, call) => {
  const results = [];
  const slice = new TimeSlice(Number.POSITIVE_INFINITY);
  for (const one of distinct(request.resources, ({ resourceType: type, resourceName: name }) => `${type} ${name}`)) {
    const { resourceType, resourceName, configurationKeys } = one;
    await slice.pause();
    let configs: Described[] = [];
    const failure = await outcome(call, () => {
      configs = describe(resourceType, resourceName, call)
        .filter(({ name }) => configurationKeys === null || configurationKeys.includes(name))
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

function describe(resourceType: number, resourceName: string, call: Call): Described[] {
  if (resourceType === topicResource) return describeTopic(topicNamed(resourceName, call));
  if (resourceType !== brokerResource)
    throw new ProtocolError('INVALID_REQUEST', `No resources of type ${resourceType}.`);
  if (resourceName !== '' && !call.cluster.nodes.find(Number(resourceName)))
    throw new ProtocolError('INVALID_REQUEST', `There is no broker ${resourceName}.`);
  return resourceName === '' ? [] : describeBroker(resourceName);
}

function describeTopic({ configs }: Topic): Described[] {
  return Object.entries(topicConfigs).map(([name, definition]) => {
    const configSource = name in configs ? sources.topic : sources.default;
    const value = configs[name] ?? definition.default;
    return {
      name,
      value,
      readOnly: false,
      configSource,
      isSensitive: false,
      configType: configTypes[definition.type],
      documentation: definition.documentation,
      synonyms: [{ name, value, source: configSource }],
    };
  });
}

const brokerConfigs: [name: string, value: string, type: keyof typeof configTypes][] = [
  ['auto.create.topics.enable', 'false', 'boolean'],
  ['default.replication.factor', '1', 'int'],
  ['delete.topic.enable', 'true', 'boolean'],
  ['group.coordinator.rebalance.protocols', 'classic,consumer', 'list'],
  ['log.retention.ms', '604800000', 'long'],
  ['log.segment.bytes', '1073741824', 'int'],
  ['message.max.bytes', '1048588', 'int'],
  ['num.partitions', '1', 'int'],
  ['ssl.client.auth', 'required', 'string'],
];

const describeBroker = (id: string): Described[] =>
  [...brokerConfigs, ['broker.id', id, 'int'] as const].map(([name, value, type]) => ({
    name,
    value,
    readOnly: true,
    configSource: sources.static,
    isSensitive: false,
    configType: configTypes[type],
    documentation: null,
    synonyms: [],
  }));

function topicNamed(name: string, { cluster }: Call): Topic {
  const topic = cluster.topics.byName.get(name);
  if (!topic) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION', `There is no topic ${name}.`);
  return topic;
}

async function change(
  call: Call,
  resource: { resourceType: number; resourceName: string },
  next: (now: Configs) => Configs,
  validateOnly: boolean,
) {
  const { resourceType, resourceName } = resource;
  const failure = await outcome(call, async () => {
    if (resourceType !== topicResource)
      throw new ProtocolError('INVALID_REQUEST', 'Only configurations of topics can be changed.');
    const topic = topicNamed(resourceName, call);
    await call.cluster.topics.setConfigs(topic, next(topic.configs), validateOnly);
  });
  return { ...failure, resourceType, resourceName };
}

export const handleAlterConfigs: Handler<typeof alterConfigs> = async ({ resources, validateOnly }, call) => {
  const responses = [];
  for (const resource of resources) {
    const values = resource.configs.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const]));
    responses.push(await change(call, resource, () => Object.fromEntries(values), validateOnly));
  }
  return { responses };
};

type Operation = { name: string; configOperation: number; value: string | null };

export const handleIncrementalAlterConfigs: Handler<typeof incrementalAlterConfigs> = async (request, call) => {
  const responses = [];
  for (const resource of request.resources) {
    const next = (now: Configs): Configs => resource.configs.reduce(apply, { ...now });
    responses.push(await change(call, resource, next, request.validateOnly));
  }
  return { responses };
};

// 0 sets, 1 deletes, 2 adds to a list and 3 takes from it.
function apply(configs: Configs, { name, configOperation, value }: Operation): Configs {
  const list = (configs[name] ?? topicConfigs[name]?.default ?? '').split(',').filter((word) => word !== '');
  const words = (value ?? '').split(',');
  if (configOperation === 1) {
    const { [name]: _, ...rest } = configs;
    return rest;
  }
  if (value === null) throw new ProtocolError('INVALID_REQUEST', `${name} needs a value.`);
  if (configOperation === 0) return { ...configs, [name]: value };
  if (configOperation > 3 || topicConfigs[name]?.type !== 'list')
    throw new ProtocolError('INVALID_CONFIG', `${name} is not a list.`);
  const kept = list.filter((word) => !words.includes(word));
  return { ...configs, [name]: (configOperation === 2 ? [...kept, ...words] : kept).join(',') };
}
