// The settings of a topic, with the names, types, defaults and bounds of Apache Kafka 4.0.0. Some have no effect here,
// because all brokers read one copy on one disk; they are checked, stored and returned like the others.
import { codecs } from '../wire/records.ts';

// The numbers are those of the protocol.
export const configTypes = {
  boolean: 1,
  string: 2,
  int: 3,
  short: 4,
  long: 5,
  double: 6,
  list: 7,
  class: 8,
  password: 9,
} as const;
export type ConfigType = keyof typeof configTypes;

export interface ConfigDefinition {
  type: ConfigType;
  default: string;
  allows?(value: string): boolean; // in addition to the check of the type
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
    'Whether old records are deleted, or only the newest record of each key is kept (compacted).',
    (text) => wordsOf(text).every((word) => ['compact', 'delete'].includes(word)),
  ),
  'compression.gzip.level': define(
    'int',
    '-1',
    'The compression level for compression.type=gzip.',
    (text) => text === '-1' || from(1, 9)(text),
  ),
  'compression.lz4.level': define('int', '9', 'Has no effect here: LZ4 has a fixed compression level.', from(1, 17)),
  'compression.type': define(
    'string',
    'producer',
    'How batches are stored: as compressed by the producer, or recompressed with this codec.',
    oneOf('producer', ...Object.keys(codecs)),
  ),
  'compression.zstd.level': define('int', '3', 'The compression level for compression.type=zstd.', from(-131_072, 22)),
  'delete.retention.ms': define('long', '86400000', 'How long a compacted topic keeps tombstones.', from(0)),
  'file.delete.delay.ms': define(
    'long',
    '60000',
    'Has no effect here: files of deleted segments are deleted at once.',
    from(0),
  ),
  'flush.messages': define(
    'long',
    longestText,
    'The number of records after which a partition is synced to disk.',
    from(1),
  ),
  'flush.ms': define(
    'long',
    longestText,
    "The time after which a partition is synced to disk, if it is shorter than the region's.",
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
    'The maximum time after which a record is compacted: segments are closed and compacted by then.',
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
    'The ratio of new data in closed segments at which they are compacted.',
    from(0, 1),
  ),
  'min.compaction.lag.ms': define('long', '0', 'The minimum time before a record may be compacted.', from(0)),
  'min.insync.replicas': define('int', '1', 'The number of replicas that a write with acks=all needs.', from(1)),
  preallocate: define('boolean', 'false', 'Has no effect here: segment files are never preallocated.'),
  'remote.log.copy.disable': define('boolean', 'false', 'Has no effect here: there is no remote storage.'),
  'remote.log.delete.on.disable': define('boolean', 'false', 'Has no effect here: there is no remote storage.'),
  'remote.storage.enable': define('boolean', 'false', 'Cannot be enabled: there is no remote storage.'),
  'retention.bytes': define('long', '-1', 'The maximum size of a partition; -1 means no limit.'),
  'retention.ms': define('long', '604800000', 'How long records are kept; -1 means no limit.', from(-1)),
  'segment.bytes': define('int', '1073741824', 'The size of a segment file.', from(14)),
  'segment.index.bytes': define('int', '10485760', 'Has no effect here: index files are never preallocated.', from(4)),
  'segment.jitter.ms': define(
    'long',
    '0',
    'The maximum random reduction of segment.ms, so that partitions do not all close segments at once.',
    from(0),
  ),
  'segment.ms': define(
    'long',
    '604800000',
    'The time after which a segment is closed even if it is not full.',
    from(1),
  ),
  'unclean.leader.election.enable': define('boolean', 'false', noEffect),
};
