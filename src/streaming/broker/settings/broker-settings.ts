// The settings of the brokers. A value is looked up from the most specific to the most general: set for this broker,
// set for all brokers, the fixed value of this broker, the default of Apache Kafka. A topic takes values that it does
// not set from the broker that leads the partition.
import { topicConfigs } from '../topic/config-definitions.ts';
import { type Configs, checkConfigs } from '../topic/topic-config.ts';
import { ProtocolError } from '../wire/errors.ts';
import { type BrokerDefinition, brokerDefinitions } from './broker-definitions.ts';
import { checkValue, type Described, type Synonym, sources, typeNumber } from './setting.ts';
import type { SettingStore } from './setting-store.ts';
import { topicDefaults } from './topic-defaults.ts';

const definitions = new Map(brokerDefinitions.map((one) => [one[0], one]));

// Replication limits can only be set while the brokers run. There is no replication, so they have no effect.
const throttles = [
  'follower.replication.throttled.rate',
  'leader.replication.throttled.rate',
  'replica.alter.log.dirs.io.max.bytes.per.second',
];
for (const name of throttles) definitions.set(name, [name, 'long', null, 'cluster-wide', 0]);

const fixedAddresses = /^(listeners|listener\.|principal\.|sasl\.|security\.)/;
const listenerPrefix = /^listener\.name\./;
const poolSizes =
  /^(num\.(io|network)\.threads|background\.threads|num\.replica\.fetchers|num\.recovery\.threads\.per\.data\.dir)$/;

export class BrokerSettings {
  readonly #store: SettingStore;
  readonly #own: (nodeId: number) => Configs;

  // `own`: the fixed values of this broker that differ from the defaults.
  constructor(store: SettingStore, own: (nodeId: number) => Configs) {
    this.#store = store;
    this.#own = own;
  }

  describe(nodeId: number): Described[] {
    const names = [
      ...brokerDefinitions.map(([name]) => name),
      ...Object.keys(this.#store.get('broker', String(nodeId))),
      ...Object.keys(this.#store.get('broker', '')),
    ];
    return [...new Set(names)].map((name) => this.#describeOne(name, this.synonyms(name, nodeId)));
  }

  // Only the values that are set for all brokers.
  describeCluster(): Described[] {
    return Object.entries(this.#store.get('broker', '')).map(([name, value]) =>
      this.#describeOne(name, [{ name, value, source: sources.allBrokers }]),
    );
  }

  #describeOne(name: string, synonyms: Synonym[]): Described {
    const definition = definitions.get(name);
    const isSensitive = !definition || definition[1] === 'password';
    const own = synonyms.find((one) => one.name === name);
    const hide = (value: string | null): string | null => (isSensitive ? null : value);
    return {
      name,
      value: hide(own?.value ?? null),
      readOnly: definition?.[3] === undefined || throttles.includes(name),
      configSource: own?.source ?? sources.default,
      isSensitive,
      configType: typeNumber(definition?.[1]),
      documentation: null,
      synonyms: synonyms.map((one) => ({ ...one, value: hide(one.value) })),
    };
  }

  // Returns all values of the setting, the effective one first.
  synonyms(name: string, nodeId: number): Synonym[] {
    const found: Synonym[] = [];
    const add = (key: string, value: string | null | undefined, source: number): void => {
      if (value !== null && value !== undefined) found.push({ name: key, value, source });
    };
    const [one, all] = [this.#store.get('broker', String(nodeId)), this.#store.get('broker', '')];
    const own = this.#own(nodeId);
    for (const key of [name, ...(alternatives[name] ?? [])]) {
      add(key, one[key], sources.broker);
      add(key, all[key], sources.allBrokers);
      add(key, own[key], sources.static);
      add(key, definitions.get(key)?.[2], sources.default);
    }
    return found;
  }

  number(name: string, nodeId: number): number {
    return Number(this.synonyms(name, nodeId)[0]?.value);
  }

  // The defaults of topics. Only values that clients have set differ from Apache Kafka's.
  topicConfigs(nodeId: number): Configs {
    const configs: Configs = {};
    for (const [topicName, name] of Object.entries(topicDefaults)) {
      const set = this.#store.get('broker', String(nodeId))[name] ?? this.#store.get('broker', '')[name];
      if (set !== undefined) configs[topicName] = set;
    }
    return configs;
  }

  // `name`: a broker id, or empty for all brokers.
  async change(name: string, configs: Configs, isDryRun: boolean): Promise<void> {
    const before = this.#store.get('broker', name);
    const changed = Object.entries(configs).filter(([key, value]) => before[key] !== value);
    for (const [key, value] of changed) this.#check(name, key, value);
    this.#store.check('broker', name, configs);
    if (!isDryRun) await this.#store.set('broker', name, configs);
  }

  #check(broker: string, name: string, value: string): void {
    const refuse = (problem: string): never => {
      throw new ProtocolError('INVALID_REQUEST', problem);
    };
    const definition = definitions.get(name);
    if (listenerPrefix.test(name)) refuse(`Cannot update these configs dynamically: Set(${name})`);
    if (!definition) return; // Apache Kafka stores unknown settings of extensions, too
    const [, type, , mode, least, most] = definition;
    if (!mode) refuse(`Cannot update these configs dynamically: Set(${name})`);
    if (mode === 'per-broker' && broker === '')
      refuse(`Cannot update these configs at default cluster level, broker id must be specified: Set(${name})`);
    if (name.startsWith('ssl.'))
      refuse(`These security configs can be dynamically updated only per-listener using the listener prefix: ${name}`);
    if (fixedAddresses.test(name)) refuse(`Cannot update these configs dynamically: Set(${name})`);
    checkValue(name, value, { type, least, most }, 'INVALID_REQUEST');
    this.#checkMeaning(broker, name, value, definition);
  }

  #checkMeaning(broker: string, name: string, value: string, [, type]: BrokerDefinition): void {
    const topicName = Object.keys(topicDefaults).find((key) => topicDefaults[key] === name);
    try {
      if (topicName && topicName in topicConfigs) checkConfigs({ [topicName]: value });
    } catch (error) {
      throw new ProtocolError('INVALID_REQUEST', `Invalid value ${value} for configuration ${name}: ${error}`);
    }
    const now = this.number(name, Number(broker || 1));
    if (name === 'max.connections' && Number(value) > Number(this.#own(1)[name]))
      throw new ProtocolError('INVALID_REQUEST', `${name} must be at most ${this.#own(1)[name]}.`);
    if (type === 'int' && poolSizes.test(name) && (Number(value) > now * 2 || Number(value) < now / 2))
      throw new ProtocolError(
        'INVALID_REQUEST',
        `Dynamic thread count update validation failed for ${name}=${value}: it is ${now} now, ` +
          'and can be halved or doubled.',
      );
  }
}

// Settings for the same value in other units, from the most to the least specific.
const alternatives: Record<string, string[]> = {
  'log.retention.ms': ['log.retention.minutes', 'log.retention.hours'],
  'log.retention.minutes': ['log.retention.hours'],
  'log.roll.ms': ['log.roll.hours'],
  'log.roll.jitter.ms': ['log.roll.jitter.hours'],
};

export const isListSetting = (name: string): boolean => definitions.get(name)?.[1] === 'list';
export const standardValue = (name: string): string => definitions.get(name)?.[2] ?? '';
