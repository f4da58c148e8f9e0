// The settings of groups and of subscriptions of client metrics: names, defaults and bounds of Apache Kafka 4.0.0.
// Settings of share groups are stored without effect: share groups are not supported.
import { BadPattern, compilePattern } from '../../../core/regexp.ts';
import type { Configs } from '../topic/topic-config.ts';
import { ProtocolError } from '../wire/errors.ts';
import { checkValue, type Described, sources, typeNumber } from './setting.ts';
import type { SettingStore } from './setting-store.ts';

export const groupTimes = { heartbeatMs: 1_000, leastHeartbeatMs: 1_000, sessionMs: 45_000 };

interface GroupDefinition {
  standard: string;
  least?: number;
  most?: number;
  bounds?: string; // the broker settings that define the bounds: group.BOUNDS.min.… and max
}

const between = (standard: number, least: number, most: number, bounds: string): GroupDefinition => ({
  standard: String(standard),
  least,
  most,
  bounds,
});

const groupConfigs: Record<string, GroupDefinition> = {
  'consumer.heartbeat.interval.ms': between(
    groupTimes.heartbeatMs,
    groupTimes.leastHeartbeatMs,
    15_000,
    'group.consumer.?.heartbeat.interval.ms',
  ),
  'consumer.session.timeout.ms': between(groupTimes.sessionMs, 45_000, 60_000, 'group.consumer.?.session.timeout.ms'),
  'share.auto.offset.reset': { standard: 'latest' },
  'share.heartbeat.interval.ms': between(5_000, 5_000, 15_000, 'group.share.?.heartbeat.interval.ms'),
  'share.record.lock.duration.ms': between(30_000, 15_000, 60_000, 'group.share.?.record.lock.duration.ms'),
  'share.session.timeout.ms': between(45_000, 45_000, 60_000, 'group.share.?.session.timeout.ms'),
};
const resetForm = /^(earliest|latest|by_duration:P\S+)$/;

export const timesOfGroup = (store: SettingStore, id: string): { heartbeatMs: number; sessionMs: number } => {
  const set = store.get('group', id);
  return {
    heartbeatMs: Number(set['consumer.heartbeat.interval.ms'] ?? groupTimes.heartbeatMs),
    sessionMs: Number(set['consumer.session.timeout.ms'] ?? groupTimes.sessionMs),
  };
};

export function describeGroupSettings(store: SettingStore, id: string): Described[] {
  const set = store.get('group', id);
  return Object.entries(groupConfigs).map(([name, { standard, bounds }]) => {
    const value = set[name] ?? standard;
    const source = name in set ? sources.group : sources.default;
    return {
      name,
      value,
      readOnly: false,
      configSource: source,
      isSensitive: false,
      configType: typeNumber(bounds ? 'int' : 'string'),
      documentation: null,
      synonyms: [{ name, value, source }],
    };
  });
}

export async function changeGroupSettings(
  store: SettingStore,
  id: string,
  configs: Configs,
  isDryRun: boolean,
): Promise<void> {
  if (id === '') throw new ProtocolError('INVALID_REQUEST', 'Default group resources are not allowed.');
  for (const [name, value] of Object.entries(configs)) {
    const definition = Object.hasOwn(groupConfigs, name) ? groupConfigs[name] : undefined;
    if (!definition) throw new ProtocolError('INVALID_CONFIG', `Unknown group config name: ${name}`);
    if (definition.bounds) checkBounds(name, value, definition);
    else if (!resetForm.test(value))
      throw new ProtocolError('INVALID_CONFIG', `Invalid value ${value} for configuration ${name}`);
  }
  store.check('group', id, configs);
  if (!isDryRun) await store.set('group', id, configs);
}

function checkBounds(name: string, value: string, { least = 1, most = 1, bounds = '' }: GroupDefinition): void {
  checkValue(name, value, { type: 'int' }, 'INVALID_CONFIG');
  const refuse = (relation: string, bound: string): never => {
    throw new ProtocolError('INVALID_CONFIG', `${name} must be ${relation} or equal to ${bounds.replace('?', bound)}`);
  };
  if (Number(value) < least) refuse('greater than', 'min');
  if (Number(value) > most) refuse('less than', 'max');
}

const metricsConfigs = ['metrics', 'interval.ms', 'match'];
const matchKeys = [
  'client_id',
  'client_instance_id',
  'client_software_name',
  'client_software_version',
  'client_source_address',
  'client_source_port',
];

export const describeMetricsSettings = (store: SettingStore, name: string): Described[] =>
  Object.entries(store.get('client-metrics', name)).map(([key, value]) => ({
    name: key,
    value,
    readOnly: false,
    configSource: sources.clientMetrics,
    isSensitive: false,
    configType: 0,
    documentation: null,
    synonyms: [],
  }));

export async function changeMetricsSettings(
  store: SettingStore,
  name: string,
  configs: Configs,
  isDryRun: boolean,
): Promise<void> {
  if (name === '') throw new ProtocolError('INVALID_REQUEST', "Subscription name can't be empty");
  for (const key of Object.keys(configs))
    if (!metricsConfigs.includes(key))
      throw new ProtocolError('INVALID_REQUEST', `Unknown client metrics configuration: ${key}`);
  const { match, 'interval.ms': interval } = configs;
  if (interval !== undefined && !(/^\d+$/.test(interval) && Number(interval) >= 100 && Number(interval) <= 3_600_000))
    throw new ProtocolError(
      'INVALID_REQUEST',
      `Invalid value ${interval} for interval.ms, interval must be between 100 and 3600000 (1 hour)`,
    );
  for (const pattern of (match ?? '').split(',').filter(Boolean)) checkMatch(pattern);
  store.check('client-metrics', name, configs);
  if (!isDryRun) await store.set('client-metrics', name, configs);
}

function checkMatch(text: string): void {
  const [key = '', pattern, ...more] = text.split('=').map((word) => word.trim());
  const refuse = (): never => {
    throw new ProtocolError('INVALID_CONFIG', `Illegal client matching pattern: ${text}`);
  };
  if (!matchKeys.includes(key) || !pattern || more.length > 0) refuse();
  try {
    compilePattern(pattern ?? '');
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error;
    refuse();
  }
}
