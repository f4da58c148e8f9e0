// Which settings of topics are accepted: the names and bounds of Apache Kafka 4.0.0.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodes } from '../wire/errors.ts';
import { topicConfigs } from './config-definitions.ts';
import { checkConfigs, logConfigOf } from './topic-config.ts';

const accepted: Record<string, string[]> = {
  'cleanup.policy': ['delete', 'compact', 'compact, delete'],
  'compression.type': ['producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'],
  'compression.gzip.level': ['-1', '1', '9'],
  'compression.zstd.level': ['-131072', '22'],
  'flush.messages': ['1', '9223372036854775807'],
  'flush.ms': ['0'],
  'follower.replication.throttled.replicas': ['', '*', '0:1,1:2'],
  'max.compaction.lag.ms': ['1'],
  'message.timestamp.before.max.ms': ['0', '9223372036854775807'],
  'min.cleanable.dirty.ratio': ['0', '0.25', '1.0'],
  preallocate: ['true', 'FALSE'],
  'retention.bytes': ['-1', '-2', ' 5 '],
  'segment.bytes': ['14', '2147483647'],
  'unclean.leader.election.enable': ['true'],
};
const refused: Record<string, string[]> = {
  'cleanup.policy': ['', 'shrink', 'compact,'],
  'compression.type': ['brotli', 'GZIP', ''],
  'compression.gzip.level': ['0', '10'],
  'compression.lz4.level': ['0', '18'],
  'compression.zstd.level': ['23'],
  'flush.messages': ['0', '9223372036854775808', 'many'],
  'leader.replication.throttled.replicas': ['0:1;1:2'],
  'max.compaction.lag.ms': ['0'],
  'message.timestamp.type': ['Sometime'],
  'min.cleanable.dirty.ratio': ['1.1', '-0.1', ''],
  'min.insync.replicas': ['0'],
  preallocate: ['yes'],
  'remote.storage.enable': ['true'],
  'retention.ms': ['-2', '1.5'],
  'segment.bytes': ['13', '2147483648'],
  'message.downconversion.enable': ['true'], // a setting of older versions
  constructor: ['x'],
};

test('[STREAM-02] settings of topics have the names, defaults and bounds of Apache Kafka 4.0', () => {
  assert.equal(Object.keys(topicConfigs).length, 33);
  for (const [name, { default: standard }] of Object.entries(topicConfigs)) checkConfigs({ [name]: standard });
  for (const [name, values] of Object.entries(accepted)) for (const value of values) checkConfigs({ [name]: value });
  for (const [name, values] of Object.entries(refused))
    for (const value of values)
      assert.throws(() => checkConfigs({ [name]: value }), { code: errorCodes.INVALID_CONFIG }, `${name}=${value}`);
  const lags = { 'min.compaction.lag.ms': '10', 'max.compaction.lag.ms': '9' };
  assert.throws(() => checkConfigs(lags), /larger than max.compaction.lag.ms/);
  assert.equal(logConfigOf({}).compression, undefined);
  assert.equal(logConfigOf({ 'compression.type': 'zstd' }).compression, 4);
});
