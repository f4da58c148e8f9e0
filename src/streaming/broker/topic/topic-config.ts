// The settings that a topic can have, with their defaults and bounds, under the names of Apache Kafka. Those without
// an effect here (there is one copy on one disk) are accepted as long as they ask for nothing that we can't do.
import type { LogConfig } from '../log/log-config.ts';
import { ProtocolError } from '../wire/errors.ts';

export type Configs = Record<string, string>;

// The numbers are those of the protocol.
export const configTypes = { boolean: 1, string: 2, int: 3, long: 5, double: 6, list: 7 } as const;

export interface ConfigDefinition {
  type: keyof typeof configTypes;
  default: string;
  check?(value: string): boolean;
  documentation: string;
}

const longest = 9_223_372_036_854_775_807n;

const whole =
  (least: number, most: number | bigint = longest) =>
  (text: string): boolean =>
    /^-?\d+$/.test(text) && BigInt(text) >= BigInt(least) && BigInt(text) <= BigInt(most);
const oneOf =
  (...words: string[]) =>
  (text: string): boolean =>
    words.includes(text);
const isShare = (text: string): boolean => text !== '' && Number(text) >= 0 && Number(text) <= 1;
const isBoolean = oneOf('true', 'false');
const largestInt = 0x7fffffff;

export const topicConfigs: Record<string, ConfigDefinition> = {
  'cleanup.policy': {
    type: 'list',
    default: 'delete',
    check: (text) => text.split(',').every((word) => ['delete', 'compact'].includes(word.trim())),
    documentation: 'What happens to old records: they are deleted, or only the newest of each key is kept.',
  },
  'compression.type': {
    type: 'string',
    default: 'producer',
    check: oneOf('producer'),
    documentation: 'Batches are stored as the producer compressed them.',
  },
  'delete.retention.ms': {
    type: 'long',
    default: '86400000',
    check: whole(0),
    documentation: 'For how long a compacted topic keeps tombstones.',
  },
  'max.message.bytes': {
    type: 'int',
    default: '1048588',
    check: whole(0, 100 * 1024 * 1024),
    documentation: 'The largest batch that is accepted.',
  },
  'message.timestamp.type': {
    type: 'string',
    default: 'CreateTime',
    check: oneOf('CreateTime', 'LogAppendTime'),
    documentation: "Whether records keep the producer's time or get the broker's.",
  },
  'min.cleanable.dirty.ratio': {
    type: 'double',
    default: '0.5',
    check: isShare,
    documentation: 'How much of a log must be new before it is compacted.',
  },
  'min.compaction.lag.ms': {
    type: 'long',
    default: '0',
    check: whole(0),
    documentation: 'For how long a record is safe from compaction.',
  },
  'min.insync.replicas': {
    type: 'int',
    default: '1',
    check: whole(1, 3),
    documentation: 'How many replicas a write with acks=all needs.',
  },
  preallocate: {
    type: 'boolean',
    default: 'false',
    check: oneOf('false'),
    documentation: 'Segments grow as they are written.',
  },
  'retention.bytes': {
    type: 'long',
    default: '-1',
    check: whole(-1),
    documentation: 'How large a partition may become; -1 is no limit.',
  },
  'retention.ms': {
    type: 'long',
    default: '604800000',
    check: whole(-1),
    documentation: 'For how long records are kept; -1 is no limit.',
  },
  'segment.bytes': {
    type: 'int',
    default: '1073741824',
    check: whole(14, largestInt),
    documentation: 'The size of a segment file.',
  },
  'segment.ms': {
    type: 'long',
    default: '604800000',
    check: whole(1),
    documentation: 'After how long a segment is closed although it is not full.',
  },
  'unclean.leader.election.enable': {
    type: 'boolean',
    default: 'false',
    check: isBoolean,
    documentation: 'Has no effect: all brokers read one copy.',
  },
};

export function checkConfigs(configs: Configs): void {
  for (const [name, value] of Object.entries(configs)) {
    const definition = Object.hasOwn(topicConfigs, name) ? topicConfigs[name] : undefined;
    if (!definition) throw new ProtocolError('INVALID_CONFIG', `Unknown topic config name: ${name}`);
    if (definition.check && !definition.check(value))
      throw new ProtocolError('INVALID_CONFIG', `Invalid value ${value} for configuration ${name}`);
  }
}

export function logConfigOf(configs: Configs): LogConfig {
  const text = (name: string): string => configs[name] ?? (topicConfigs[name] as ConfigDefinition).default;
  const number = (name: string): number => Number(text(name));
  const policies = text('cleanup.policy').split(',');
  return {
    segmentBytes: number('segment.bytes'),
    segmentMs: number('segment.ms'),
    retentionMs: number('retention.ms'),
    retentionBytes: number('retention.bytes'),
    maxMessageBytes: number('max.message.bytes'),
    isDeleting: policies.some((word) => word.trim() === 'delete'),
    isCompacted: policies.some((word) => word.trim() === 'compact'),
    deleteRetentionMs: number('delete.retention.ms'),
    minCompactionLagMs: number('min.compaction.lag.ms'),
    isLogAppendTime: text('message.timestamp.type') === 'LogAppendTime',
  };
}
