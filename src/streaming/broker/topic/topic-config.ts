// Converts the settings of a topic to those of its logs, and refuses invalid values. Settings that are not set have
// their default.
import type { LogConfig } from '../log/log-config.ts';
import { ProtocolError } from '../wire/errors.ts';
import { codecs } from '../wire/records.ts';
import { type ConfigDefinition, type ConfigType, topicConfigs } from './config-definitions.ts';

export type Configs = Record<string, string>;

const whole =
  (bits: number) =>
  (text: string): boolean =>
    /^-?\d+$/.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text);

export const forms: Readonly<Record<ConfigType, (text: string) => boolean>> = {
  boolean: (text) => /^(true|false)$/i.test(text),
  string: () => true,
  int: whole(32),
  long: whole(64),
  short: whole(16),
  double: (text) => text !== '' && Number.isFinite(Number(text)),
  list: () => true,
  class: () => true,
  password: () => true,
};

export function checkConfigs(configs: Configs): void {
  for (const [name, sent] of Object.entries(configs)) {
    const definition = Object.hasOwn(topicConfigs, name) ? topicConfigs[name] : undefined;
    if (!definition) throw new ProtocolError('INVALID_CONFIG', `Unknown topic config name: ${name}`);
    const value = sent.trim();
    if (!forms[definition.type](value) || definition.allows?.(value) === false)
      throw new ProtocolError('INVALID_CONFIG', `Invalid value ${sent} for configuration ${name}`);
  }
  const { minCompactionLagMs, maxCompactionLagMs } = logConfigOf(configs);
  if (minCompactionLagMs > maxCompactionLagMs)
    throw new ProtocolError(
      'INVALID_CONFIG',
      `min.compaction.lag.ms (${minCompactionLagMs}) is larger than max.compaction.lag.ms (${maxCompactionLagMs})`,
    );
  if (configs['remote.storage.enable']?.trim().toLowerCase() === 'true')
    throw new ProtocolError('INVALID_CONFIG', 'remote.storage.enable: brokers of this cluster have no remote storage.');
}

export function logConfigOf(configs: Configs): LogConfig {
  const text = (name: string): string => (configs[name] ?? (topicConfigs[name] as ConfigDefinition).default).trim();
  const number = (name: string): number => Number(text(name));
  const policies = text('cleanup.policy')
    .split(',')
    .map((word) => word.trim());
  return {
    segmentBytes: number('segment.bytes'),
    segmentMs: number('segment.ms'),
    segmentJitterMs: number('segment.jitter.ms'),
    retentionMs: number('retention.ms'),
    retentionBytes: number('retention.bytes'),
    maxMessageBytes: number('max.message.bytes'),
    isDeleting: policies.includes('delete'),
    isCompacted: policies.includes('compact'),
    deleteRetentionMs: number('delete.retention.ms'),
    minCompactionLagMs: number('min.compaction.lag.ms'),
    maxCompactionLagMs: number('max.compaction.lag.ms'),
    minDirtyRatio: number('min.cleanable.dirty.ratio'),
    isLogAppendTime: text('message.timestamp.type') === 'LogAppendTime',
    timestampBeforeMs: number('message.timestamp.before.max.ms'),
    timestampAfterMs: number('message.timestamp.after.max.ms'),
    flushMessages: number('flush.messages'),
    flushMs: number('flush.ms'),
    minInSyncReplicas: number('min.insync.replicas'),
    compression: codecs[text('compression.type') as keyof typeof codecs], // undefined: the producer's
    gzipLevel: number('compression.gzip.level'),
    zstdLevel: number('compression.zstd.level'),
  };
}
