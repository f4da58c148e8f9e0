// The zones of the name server. They are loaded once and follow every change of this process. If other processes write
// too, a zone whose serial has changed is loaded again.

import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import type { Row, WriteSet } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { Signer, type SigningKeys } from '../dnssec/signer.ts';
import { reverseName } from '../records/address.ts';
import { isWithin, labelsOf, nameBytes, parentOf } from '../records/domain-name.ts';
import { rdataOf } from '../records/rdata.ts';
import { recordBytes } from '../records/set-size.ts';
import { typeNumbers } from '../records/types.ts';
import { readTransferred } from '../secondary/transferred-rows.ts';
import type { RecordValues } from '../zones/record.ts';
import { secondaryCounter, serialOf, zoneOfSerial } from '../zones/serial.ts';
import { hostmaster, primaryServers, reverseZones } from './constants.ts';
import { aliasSets, type ServedZone } from './resolve.ts';
import { type RecordSet, ZoneData } from './zone-data.ts';

export interface ZoneTools {
  store: Store;
  seal: Seal;
  log: Log;
  realNow(): number;
}

interface Loaded extends ServedZone {
  id: string; // of its row
  contract: number;
  path: string;
  kind: 'zone' | 'secondaryzone' | 'reverse';
  isEnabled: boolean;
  sealedKeys?: string | undefined; // of its signer
}

const { NS, PTR, SOA } = typeNumbers as { NS: number; PTR: number; SOA: number };
const soaTimes = [10_800, 3600, 604_800, 600]; // refresh, retry, expire, minimum
const soaTtl = 3600;
const serverTtl = 86_400;
const rowsPerPage = 50; // a record may have 64 KB
const manyNames = 1000; // to hash

export class ServedZones {
  readonly #tools: ZoneTools;
  readonly #byName = new Map<string, Loaded>();
  readonly #byId = new Map<string, Loaded>();
  readonly #changed: ((zone: Loaded) => void)[] = [];
  readonly #secondaryChanges = new Map<number, number>(); // that are loaded, by contract
  readonly #loads = new Map<string, object>(); // the newest load of each secondary zone that is being loaded, by id
  #followed = new Set<string>(); // ids of rows that this process has written since the last refresh began
  #isReady = false;

  constructor(tools: ZoneTools) {
    this.#tools = tools;
    for (const name of reverseZones)
      this.#serve(this.#emptyZone(name, { id: name, contract: 0, path: '', kind: 'reverse' }));
    tools.store.follow((writes) => this.#follow(writes));
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get size(): number {
    return this.#byName.size;
  }

  // Calls back after the contents of a zone have changed.
  onChange(listener: (zone: Loaded) => void): void {
    this.#changed.push(listener);
  }

  // The nearest enabled zone that has the name or encloses it. The names of a disabled zone stay reserved to its
  // contract: another zone of that contract, or of the region, answers for them.
  readonly find = (key: string): Loaded | undefined => {
    let owner: number | undefined;
    for (let at = key; ; at = parentOf(at)) {
      const zone = this.#byName.get(at);
      owner ??= zone?.contract;
      if (zone?.isEnabled) return zone.contract === owner || zone.kind === 'reverse' ? zone : undefined;
      if (at === '') return undefined;
    }
  };

  // False: the name is inside a zone of another contract, enabled or not, that is below this one.
  owns({ contract }: Loaded, key: string): boolean {
    let at = key;
    while (at !== '' && !this.#byName.has(at)) at = parentOf(at);
    return this.#byName.get(at)?.contract === contract;
  }

  named(key: string): Loaded | undefined {
    return this.#byName.get(key);
  }

  secondaries(): Loaded[] {
    return [...this.#byName.values()].filter(({ kind }) => kind === 'secondaryzone');
  }

  // The size of the set of this name and type, in wire form.
  setBytes(zoneId: string, name: string, type: string, except: string): number {
    const data = this.#byId.get(zoneId)?.data;
    if (!data) return 0;
    const set = data.setsAt(name === '' ? data.name : `${name}.${data.name}`)?.get(typeNumbers[type] as number);
    const own = data.recordOf(except);
    const ownBytes = own && set?.type === own.type && set.data.includes(own.data) ? recordBytes(own.data) : 0;
    return (set?.data ?? []).reduce((sum, one) => sum + recordBytes(one), -ownBytes);
  }

  newNames(zoneId: string, name: string): number {
    const data = this.#byId.get(zoneId)?.data;
    if (!data || name === '') return labelsOf(name).length;
    const key = `${name}.${data.name}`;
    return labelsOf(key).length - labelsOf(data.closestTo(key)).length;
  }

  names(contract: number, except?: string): number {
    let sum = 0;
    for (const zone of this.#byId.values())
      if (zone.contract === contract && zone.id !== except) sum += zone.data.nameCount - 1; // without the apex
    return sum;
  }

  // The usage of the contract's other secondary zones.
  secondaryUse(contract: number, except: string): { records: number; bytes: number } {
    const sum = { records: 0, bytes: 0 };
    for (const zone of this.#byId.values()) {
      if (zone.kind !== 'secondaryzone' || zone.contract !== contract || zone.id === except) continue;
      sum.records += zone.data.size;
      sum.bytes += zone.data.dataBytes;
    }
    return sum;
  }

  async load(contracts: readonly number[]): Promise<void> {
    for (const contract of contracts) await this.#loadContract(contract);
    this.#isReady = true;
    for (const zone of this.#byId.values()) this.#prepareSigner(zone);
  }

  // Applies the changes of other processes. The zones keep answering in the meantime.
  async refresh(contracts: readonly number[]): Promise<void> {
    const followed = new Set<string>();
    this.#followed = followed;
    for (const contract of contracts) {
      const serials = await this.#tools.store.engine.counters(contract);
      const own = [...this.#byId.values()].filter((zone) => zone.contract === contract);
      const isSame =
        (serials.get(secondaryCounter) ?? 0) === this.#secondaryChanges.get(contract) &&
        own.every(({ id, kind, data }) => kind === 'secondaryzone' || serialOf(serials, id) === data.serial);
      const known = [...serials.keys()].map(zoneOfSerial).filter((id) => id !== undefined);
      if (isSame && known.every((id) => this.#byId.has(id))) continue;
      const seen = (await this.#loadContract(contract)).union(followed);
      for (const zone of own) {
        if (!seen.has(zone.id)) this.#drop(zone.id);
        else if (zone.kind === 'zone') this.#keepOnly(zone, seen);
      }
    }
  }

  // Removes records that another process has removed.
  #keepOnly(zone: Loaded, seen: ReadonlySet<string>): void {
    for (const id of zone.data.ids()) if (!seen.has(id) && !primaryServers.includes(id)) this.#removeRecord(zone, id);
  }

  // Applies the result of a transfer.
  async reloadSecondary(zoneId: string): Promise<void> {
    const zone = this.#byId.get(zoneId);
    const row = zone && (await this.#tools.store.at(zone.contract, zone.path));
    if (row) await this.#loadSecondary(row);
  }

  // Returns the ids of all rows.
  async #loadContract(contract: number): Promise<Set<string>> {
    const { store } = this.#tools;
    const serials = await store.engine.counters(contract);
    this.#secondaryChanges.set(contract, serials.get(secondaryCounter) ?? 0);
    const seen = new Set<string>();
    const records: Row[] = [];
    const secondaries: Row[] = [];
    // A page is applied without a pause: otherwise older data would overwrite a change in between.
    for await (const rows of store.pages({ contract, below: 'dns/' }, 'resource', rowsPerPage)) {
      for (const row of rows) {
        seen.add(row.id);
        if (row.kind === 'zone') this.#putZone(row, serialOf(serials, row.id));
        else if (row.kind === 'secondaryzone') secondaries.push(row);
        else if (row.kind === 'reverserecord') this.#putReverse(row);
        else if (row.kind === 'record') {
          // Rows come in key order: a zone before its records, unless its id is that of a longer place.
          if (this.#byId.has(zoneIdOf(row.place))) this.#putRecord(row);
          else records.push(row);
        }
      }
    }
    for (const row of records) this.#putRecord(row);
    for (const { place, id } of secondaries) {
      const row = await store.get(contract, place, id);
      if (row) await this.#loadSecondary(row);
    }
    return seen;
  }

  async #loadSecondary(row: Row): Promise<void> {
    if (row.state === 'DELETING') return;
    const load = {};
    this.#loads.set(row.id, load);
    const transferred = await readTransferred(this.#tools.store, row);
    const { zoneName } = JSON.parse(row.body) as { zoneName: string };
    const data = new ZoneData(zoneName);
    await data.fill(transferred?.records ?? []);
    if (transferred) data.serial = transferred.serial;
    if (this.#loads.get(row.id) !== load) return; // the zone was deleted, or is loaded again
    this.#loads.delete(row.id);
    const soa = (): RecordSet => data.setsAt(data.name)?.get(SOA) ?? soaSet(data);
    // The zone answers once it has been transferred.
    this.#serve({ ...placeOf(row), kind: 'secondaryzone', isEnabled: transferred !== undefined, data, soa });
  }

  #follow(writes: WriteSet): void {
    const touched = new Set<Loaded>();
    for (const write of writes) {
      if (write.op === 'count' || write.table !== 'resource') continue;
      if (write.op === 'insert' || write.op === 'update') this.#putRow(write.row);
      else if (write.op === 'remove' && write.key.place.startsWith('dns/'))
        this.#removeRow(write.key.place, write.key.id);
    }
    // After the rows, which may include a new zone.
    for (const write of writes) if (write.op === 'count') this.#countSerial(write, touched);
    for (const zone of touched) for (const listener of this.#changed) listener(zone);
  }

  #countSerial({ contract, name, add }: { contract: number; name: string; add: number }, touched: Set<Loaded>): void {
    if (name === secondaryCounter)
      this.#secondaryChanges.set(contract, (this.#secondaryChanges.get(contract) ?? 0) + add);
    const zone = this.#byId.get(zoneOfSerial(name) ?? '');
    if (!zone) return;
    zone.data.serial += add;
    touched.add(zone);
  }

  #putRow(row: Row): void {
    if (!row.place.startsWith('dns/')) return;
    if (!this.#tools.store.engine.exclusive) this.#followed.add(row.id);
    if (row.kind === 'zone') this.#putZone(row);
    else if (row.kind === 'record') this.#putRecord(row);
    else if (row.kind === 'reverserecord') this.#putReverse(row);
    else if (row.kind === 'secondaryzone') this.#putSecondary(row);
  }

  #removeRow(place: string, id: string): void {
    const zone = this.#byId.get(zoneIdOf(place));
    if (zone && place.endsWith('/records')) this.#removeRecord(zone, id);
    else if (this.#byId.has(id) || this.#loads.has(id)) this.#drop(id);
    else for (const name of reverseZones) this.#byId.get(name)?.data.remove(id);
  }

  #putZone(row: Row, serial?: number): void {
    const { zoneName, enabled } = JSON.parse(row.body) as { zoneName: string; enabled: boolean };
    const known = this.#byId.get(row.id);
    const zone = known ?? this.#emptyZone(zoneName, { ...placeOf(row), kind: 'zone' });
    if (serial !== undefined) zone.data.serial = serial;
    zone.isEnabled = enabled && row.state !== 'DELETING';
    this.#setSigner(zone, row);
    this.#serve(zone);
    if (row.state === 'DELETING') this.#unname(zone); // from now on zones above it answer
  }

  // The signer of unchanged keys stays, because its chain of names is expensive to compute.
  #setSigner(zone: Loaded, row: Row): void {
    const { keys } = (row.hidden ? JSON.parse(row.hidden) : {}) as { keys?: string };
    if (keys === zone.sealedKeys) return;
    zone.sealedKeys = keys;
    zone.signer = undefined;
    zone.data.watch(undefined);
    if (keys === undefined) return;
    const opened = JSON.parse(this.#tools.seal.open(keys)) as SigningKeys;
    zone.signer = new Signer(zone.data, opened, this.#tools.realNow, (sets) => aliasSets(this.find, sets));
    if (this.#isReady) this.#prepareSigner(zone);
  }

  // Prepared before the first query.
  #prepareSigner({ data, signer }: Loaded): void {
    if (data.nameCount < manyNames) return;
    signer
      ?.settle()
      ?.catch((error: unknown) => this.#tools.log.error('a zone can not be signed', { zone: data.name, error }));
  }

  #putRecord(row: Row): void {
    const zone = this.#byId.get(zoneIdOf(row.place));
    if (!zone) return;
    const { name, type, content, ttl, priority, enabled } = JSON.parse(row.body) as RecordValues;
    if (!enabled || row.state === 'DELETING') {
      this.#removeRecord(zone, row.id);
      return;
    }
    const number = typeNumbers[type] as number;
    const whole = name === '' ? zone.data.name : `${name}.${zone.data.name}`;
    const data = this.#dataOf(type, content, priority ?? 0);
    if (data) zone.data.put({ id: row.id, name: whole, type: number, ttl, data });
    // A zone's own name servers replace the platform's.
    if (number === NS && name === '') for (const server of primaryServers) zone.data.remove(server);
  }

  // The platform's name servers return when the zone has no others.
  #removeRecord({ data }: Loaded, id: string): void {
    data.remove(id);
    if (!data.setsAt(data.name)?.has(NS)) addServers(data);
  }

  #dataOf(type: string, content: string, priority: number): Buffer | undefined {
    try {
      return rdataOf(type, content, priority);
    } catch (error) {
      this.#tools.log.error('a record of a zone can not be served', { type, error });
      return undefined;
    }
  }

  #putReverse(row: Row): void {
    const { name, ip } = JSON.parse(row.body) as { name: string; ip: string };
    const key = reverseName(ip);
    const zone = this.#byId.get(reverseZones.find((one) => isWithin(key, one)) ?? '');
    if (!zone) return;
    if (row.state === 'DELETING') zone.data.remove(row.id);
    else zone.data.put({ id: row.id, name: key, type: PTR, ttl: 3600, data: nameBytes(name) });
    zone.data.serial += 1;
  }

  #putSecondary(row: Row): void {
    const known = this.#byId.get(row.id);
    if (row.state === 'DELETING') this.#drop(row.id);
    else if (!known)
      this.#loadSecondary(row).catch((error: unknown) =>
        this.#tools.log.error('a secondary zone can not be loaded', { zone: row.id, error }),
      );
  }

  #emptyZone(name: string, place: Pick<Loaded, 'id' | 'contract' | 'path' | 'kind'>): Loaded {
    const data = new ZoneData(name);
    addServers(data);
    return { ...place, isEnabled: true, data, soa: () => soaSet(data) };
  }

  #serve(zone: Loaded): void {
    this.#byName.set(zone.data.name, zone);
    this.#byId.set(zone.id, zone);
  }

  #drop(id: string): void {
    this.#loads.delete(id);
    const zone = this.#byId.get(id);
    if (!zone) return;
    this.#byId.delete(id);
    this.#unname(zone);
  }

  #unname(zone: Loaded): void {
    const { name } = zone.data;
    if (this.#byName.get(name) !== zone) return;
    this.#byName.delete(name);
    const reverse = this.#byId.get(name); // a zone of the region, which the other one replaced
    if (reverse) this.#byName.set(name, reverse);
  }
}

export type { Loaded };

const placeOf = (row: Row): Pick<Loaded, 'id' | 'contract' | 'path'> => ({
  id: row.id,
  contract: row.contract,
  path: `${row.place}/${row.id}`,
});

// `dns/zones@de-txl/ID/records`
const zoneIdOf = (place: string): string => place.split('/')[2] ?? '';

function addServers(data: ZoneData): void {
  for (const server of primaryServers)
    data.put({ id: server, name: data.name, type: NS, ttl: serverTtl, data: nameBytes(server) });
}

function soaSet({ serial }: ZoneData): RecordSet {
  const numbers = Buffer.alloc(20);
  for (const [at, number] of [serial >>> 0, ...soaTimes].entries()) numbers.writeUInt32BE(number, at * 4);
  const [server = ''] = primaryServers;
  return { type: SOA, ttl: soaTtl, data: [Buffer.concat([nameBytes(server), nameBytes(hostmaster), numbers])] };
}
