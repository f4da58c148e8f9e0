// Stores the settings that clients change while the brokers run in the key-value log: those of all brokers (with an
// empty name), of one broker, of a group, and of a subscription of client metrics.
import type { KeyValueLog } from '../log/key-value-log.ts';
import type { Configs } from '../topic/topic-config.ts';
import { ProtocolError } from '../wire/errors.ts';

export type SettingOwner = 'broker' | 'group' | 'client-metrics';

const prefix = 'config/';
const mostOwners = 10_000;
const mostBytes = 64 * 1024; // limit for the settings of one owner

export class SettingStore {
  readonly #state: KeyValueLog;
  readonly #listeners: (() => void)[] = [];
  #owners: number;

  constructor(state: KeyValueLog) {
    this.#state = state;
    this.#owners = [...state.entries(prefix)].length;
  }

  get(type: SettingOwner, name: string): Configs {
    return (this.#state.get(`${prefix}${type}/${name}`) ?? {}) as Configs;
  }

  names(type: SettingOwner): string[] {
    return [...this.#state.entries(`${prefix}${type}/`)].map(([name]) => name);
  }

  // The listener is called after changes of broker settings.
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  check(type: SettingOwner, name: string, configs: Configs): void {
    if (JSON.stringify(configs).length > mostBytes)
      throw new ProtocolError('POLICY_VIOLATION', `The settings of ${name} take more than ${mostBytes} bytes.`);
    const isNew = this.#state.get(`${prefix}${type}/${name}`) === undefined && Object.keys(configs).length > 0;
    if (isNew && this.#owners >= mostOwners)
      throw new ProtocolError(
        'POLICY_VIOLATION',
        `At most ${mostOwners} resources can have settings. Delete the settings of others first.`,
      );
  }

  async set(type: SettingOwner, name: string, configs: Configs): Promise<void> {
    this.check(type, name, configs);
    const key = `${prefix}${type}/${name}`;
    const wasSet = this.#state.get(key) !== undefined;
    const isSet = Object.keys(configs).length > 0;
    this.#owners += Number(isSet) - Number(wasSet);
    const writing = this.#state.put([[key, isSet ? configs : null]]);
    if (type === 'broker') for (const listener of this.#listeners) listener();
    await writing;
  }
}
