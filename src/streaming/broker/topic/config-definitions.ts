// The settings that a topic can have: names, types, defaults and bounds are those of Apache Kafka 4.0.0. Some have
// nothing to act on here, where all brokers read one copy on one disk; they are checked, kept and told like the others.
import { codecs } from '../wire/records.ts';

// The numbers are those of the protocol.
export const configTypes = { boolean: 1, string: 2, int: 3, long: 5, double: 6, list: 7 } as const;
export type ConfigType = keyof typeof configTypes;

export interface ConfigDefinition {
  type: ConfigType;
  default: string;
  allows?(value: string): boolean; // besides the form that the type demands
  documentation: string;
}

type Allows = NonNullable<ConfigDefinition['allows']>;

const longestText = '9223372036854775807';
const noEffect = 'Has no effect here: there is one copy of each record on one disk.';

const from =
  (least: number, most = Number.POSITIVE_INFINITY): Allows =>
  (text) =>
    Number(text) >= least && Number(text) <= most;
const oneOf =
  (...words: string[]): Allows =>
  (text) =>
    words.includes(text);
const wordsOf = (text: string): string[] => text.split(',').map((word) => word.trim());
const isThrottled: Allows = (text) =>
  text === '' || text === '*' || wordsOf(text).every((one) => /^\d+:\d+$/.test(one));

const define = (type: ConfigType, standard: string, documentation: string, allows?: Allows): ConfigDefinition => ({
  type,
  default: standard,
  documentation,
  ...(allows && { allows }),
});

export const topicConfigs: Readonly<Record<string, ConfigDefinition>> = {
  'cleanup.policy': define(
    'list',
    'delete',
    'What happens to old records: they are deleted, or only the newest of each key is kept.',
    (text) => wordsOf(text).every((word) => ['compact', 'delete'].includes(word)),
  ),
  'compression.gzip.level': define(
    'int',
    '-1',
    'The level with which the broker compresses for compression.type=gzip.',
    (text) => text === '-1' || from(1, 9)(text),
  ),
  'compression.lz4.level': define('int', '9', 'Has no effect here: LZ4 is compressed with one level.', from(1, 17)),
  'compression.type': define(
    'string',
    'producer',
    'How batches are stored: as the producer compressed them, or compressed anew with this codec.',
    oneOf('producer', ...Object.keys(codecs)),
  ),
  'compression.zstd.level': define(
    'int',
    '3',
    'The level with which the broker compresses for compression.type=zstd.',
    from(-131_072, 22),
  ),
  'delete.retention.ms': define('long', '86400000', 'For how long a compacted topic keeps tombstones.', from(0)),
  'file.delete.delay.ms': define('long', '60000', 'Has no effect here: files of deleted segments go at once.', from(0)),
  'flush.messages': define('long', longestText, 'After how many records a partition is synced to disk.', from(1)),
  'flush.ms': define(
    'long',
    longestText,
    'After how long a partition is synced to disk, where that is sooner than by the region.',
    from(0),
  ),
  'follower.replication.throttled.replicas': define('list', '', noEffect, isThrottled),
  'index.interval.bytes': define('int', '4096', 'Has no effect here: the index has an entry for every 32 KB.', from(0)),
  'leader.replication.throttled.replicas': define('list', '', noEffect, isThrottled),
  'local.retention.bytes': define('long', '-2', 'Has no effect here: there is no remote storage.', from(-2)),
  'local.retention.ms': define('long', '-2', 'Has no effect here: there is no remote storage.', from(-2)),
  'max.compaction.lag.ms': define(
    'long',
    longestText,
    'After how long at the latest a record can be compacted: segments are closed and compacted by then.',
    from(1),
  ),
  'max.message.bytes': define('int', '1048588', 'The largest batch that is accepted.', from(0)),
  'message.timestamp.after.max.ms': define(
    'long',
    '3600000',
    "How far a record's time may be ahead of the broker's.",
    from(0),
  ),
  'message.timestamp.before.max.ms': define(
    'long',
    longestText,
    "How far a record's time may be behind the broker's.",
    from(0),
  ),
  'message.timestamp.type': define(
    'string',
    'CreateTime',
    "Whether records keep the producer's time or get the broker's.",
    oneOf('CreateTime', 'LogAppendTime'),
  ),
  'min.cleanable.dirty.ratio': define(
    'double',
    '0.5',
    'How much of the closed segments must be new before they are compacted.',
    from(0, 1),
  ),
  'min.compaction.lag.ms': define('long', '0', 'For how long a record is safe from compaction.', from(0)),
  'min.insync.replicas': define('int', '1', 'How many replicas a write with acks=all needs.', from(1)),
  preallocate: define('boolean', 'false', 'Has no effect here: segments grow as they are written.'),
  'remote.log.copy.disable': define('boolean', 'false', 'Has no effect here: there is no remote storage.'),
  'remote.log.delete.on.disable': define('boolean', 'false', 'Has no effect here: there is no remote storage.'),
  'remote.storage.enable': define('boolean', 'false', 'Can not be switched on: there is no remote storage.'),
  'retention.bytes': define('long', '-1', 'How large a partition may become; -1 is no limit.'),
  'retention.ms': define('long', '604800000', 'For how long records are kept; -1 is no limit.', from(-1)),
  'segment.bytes': define('int', '1073741824', 'The size of a segment file.', from(14)),
  'segment.index.bytes': define('int', '10485760', 'Has no effect here: indexes grow as they are written.', from(4)),
  'segment.jitter.ms': define(
    'long',
    '0',
    'By how much segment.ms differs between partitions at most, so that not all close segments at once.',
    from(0),
  ),
  'segment.ms': define('long', '604800000', 'After how long a segment is closed although it is not full.', from(1)),
  'unclean.leader.election.enable': define('boolean', 'false', noEffect),
};
