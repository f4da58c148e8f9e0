// The writer's registry of tenants and series: it returns the id of a label set, or creates one. New series are staged
// until their push has been decoded completely, and become known when they are durable.

import { checksumOf, checksumWith } from '../../../../core/state/sqlite/checksum.ts';
import type { Described, Labels } from '../../../series.ts';
import type { PushLimits } from '../../engine.ts';
import { refusalOf, shownLabels, tooMany } from '../../rejections.ts';
import type { Connection } from '../database.ts';
import { tenantChecksum } from '../row-checksums.ts';
import { viewOf, wideHashOf } from './hash.ts';
import type { LabelCache } from './label-cache.ts';
import { packLabels, unpackLabels } from './label-coding.ts';

const mostDescribed = 20_000; // metrics per tenant
const mostHelp = 1024;

export interface Tenant {
  readonly number: number;
  account: string | undefined; // undefined: not known yet
  next: number; // the next id
  series: number; // number of its series
  described: Map<string, string> | undefined; // the metadata of each metric; undefined: not read yet
}

interface NewSeries {
  tenant: Tenant;
  id: number;
  hash: number;
  labels: Buffer;
  key: string;
}

interface Block {
  owner: number;
  id: number;
  bytes: Uint8Array; // a copy, because decoders reuse the original
}

// A savepoint of the staged series.
export interface StageMark {
  series: number;
  blocks: number;
  described: number;
}

export class SeriesRegistry {
  readonly #connection: Connection;
  readonly #known: LabelCache;
  readonly #tenants = new Map<string, Tenant>();
  readonly #accounts = new Map<string, number>(); // number of series by account; absent: must be counted again
  readonly #ids = new Map<string, number>(); // ids of staged series
  #series: NewSeries[] = [];
  #blocks: Block[] = [];
  #described: { tenant: Tenant; described: Described; text: string }[] = [];

  constructor(connection: Connection, known: LabelCache) {
    this.#connection = connection;
    this.#known = known;
  }

  tenant(name: string, account?: string): Tenant {
    let tenant = this.#tenants.get(name) ?? this.#find(name);
    if (!tenant) {
      tenant = { number: this.#insert(name), account: undefined, next: 1, series: 0, described: undefined };
    }
    this.#tenants.set(name, tenant);
    if (account !== undefined && tenant.account !== account) this.#assign(tenant, account);
    return tenant;
  }

  #insert(name: string): number {
    let number = 0;
    this.#connection.write(() => {
      const insert = this.#connection.prepare(
        'INSERT INTO tenant (name, next, series, epoch, checksum) VALUES (?, 1, 0, 0, 0)',
      );
      number = Number(insert.run(name).lastInsertRowid);
      this.#connection.prepare(`UPDATE tenant SET ${tenantChecksum()} WHERE number = ?`).run(number);
    });
    return number;
  }

  #assign(tenant: Tenant, account: string): void {
    this.#connection
      .prepare(`UPDATE tenant SET account = ?1, ${tenantChecksum({ account: '?1' })} WHERE number = ?2`)
      .run(account, tenant.number);
    tenant.account = account;
    this.#accounts.clear();
  }

  #seriesOf(account: string): number {
    const known = this.#accounts.get(account);
    if (known !== undefined) return known;
    const sql = 'SELECT sum(series) FROM tenant WHERE account = ? AND name IS NOT NULL';
    const staged = this.#series.filter(({ tenant }) => tenant.account === account).length;
    const series = this.#connection.number(sql, account) + staged;
    this.#accounts.set(account, series);
    return series;
  }

  // Undefined: the tenant was dropped.
  tenantOf(number: number): Tenant | undefined {
    const name = this.#connection.get('SELECT name FROM tenant WHERE number = ?', number)?.[0];
    return typeof name === 'string' ? this.tenant(name) : undefined;
  }

  #find(name: string): Tenant | undefined {
    const row = this.#connection.get('SELECT number, next, series, account FROM tenant WHERE name = ?', name);
    if (!row) return undefined;
    const [number, next, series, account] = row as [number, number, number, string | null];
    return { number, next, series, account: account ?? undefined, described: undefined };
  }

  forgetTenant(name: string): void {
    this.#tenants.delete(name);
    this.#accounts.clear();
  }

  begin(): void {
    this.#known.begin();
  }

  // Returns the cached id of the series with these label bytes, or 0.
  known(tenant: Tenant, bytes: Uint8Array, from: number, to: number): number {
    return this.#known.find(tenant.number * 2, bytes, from, to);
  }

  // Returns the id, or the reason why the series is refused.
  register(tenant: Tenant, labels: Labels, limits: PushLimits, bytes?: Uint8Array, from = 0, to = 0): number | string {
    const why = refusalOf(labels, limits);
    if (why !== undefined) return why;
    const packed = packLabels(labels);
    const owner = tenant.number * 2 + 1;
    // For formats without label bytes, ours are cached.
    let id = bytes ? 0 : this.#known.find(owner, packed, 0, packed.length);
    if (id > 0) return id;
    id = this.#lookUp(tenant, packed, limits);
    if (id <= 0) return tooMany(labels, limits, id < 0);
    if (bytes) this.#blocks.push({ owner: owner - 1, id, bytes: new Uint8Array(bytes.subarray(from, to)) });
    else this.#blocks.push({ owner, id, bytes: new Uint8Array(packed) });
    return id;
  }

  // Zero: the series is new and the tenant has too many; -1: its account has too many.
  #lookUp(tenant: Tenant, packed: Buffer, limits: PushLimits): number {
    const hash = wideHashOf(viewOf(packed), 0, packed.length);
    const key = `${tenant.number} ${packed.toString('latin1')}`;
    const staged = this.#ids.get(key);
    if (staged !== undefined) return staged;
    const rows = this.#connection.all(
      'SELECT id, labels FROM series INDEXED BY series_hash WHERE tenant = ? AND hash = ?',
      tenant.number,
      hash,
    );
    for (const [id, labels] of rows) if (packed.equals(labels as Uint8Array)) return id as number;
    if (tenant.series >= limits.series) return 0;
    if (tenant.account !== undefined) {
      const ofAccount = this.#seriesOf(tenant.account);
      if (ofAccount >= limits.accountSeries) return -1;
      this.#accounts.set(tenant.account, ofAccount + 1);
    }
    const id = tenant.next++;
    tenant.series += 1;
    this.#ids.set(key, id);
    this.#series.push({ tenant, id, hash, labels: Buffer.from(packed), key });
    return id;
  }

  describe(tenant: Tenant, given: Described): void {
    const described = { ...given, help: given.help.slice(0, mostHelp), unit: given.unit.slice(0, 64) };
    const text = JSON.stringify([described.type, described.help, described.unit]);
    tenant.described ??= this.#descriptionsOf(tenant);
    if (tenant.described.get(described.name) === text) return;
    if (tenant.described.size >= mostDescribed && !tenant.described.has(described.name)) return;
    this.#described.push({ tenant, described, text });
  }

  #descriptionsOf({ number }: Tenant): Map<string, string> {
    const rows = this.#connection.all('SELECT name, type, help, unit FROM metric WHERE tenant = ?', number);
    return new Map(rows.map(([name, ...rest]) => [String(name), JSON.stringify(rest)]));
  }

  shown(tenant: Tenant, id: number): string {
    const staged = this.#series.find((one) => one.tenant === tenant && one.id === id)?.labels;
    const row =
      staged ?? this.#connection.get('SELECT labels FROM series WHERE tenant = ? AND id = ?', tenant.number, id)?.[0];
    return row ? shownLabels(unpackLabels(row as Uint8Array)) : 'a series';
  }

  mark(): StageMark {
    return { series: this.#series.length, blocks: this.#blocks.length, described: this.#described.length };
  }

  // Rolls back to a savepoint.
  undo(mark: StageMark): void {
    this.undoSeries(mark);
    this.#described.length = mark.described;
  }

  undoSeries(mark: StageMark): void {
    for (const { tenant, key } of this.#series.splice(mark.series)) {
      this.#ids.delete(key);
      tenant.next -= 1;
      tenant.series -= 1;
    }
    this.#accounts.clear();
    this.#blocks.length = mark.blocks;
  }

  get isStaged(): boolean {
    return this.#series.length > 0 || this.#described.length > 0;
  }

  // Writes the staged series; must run within a transaction.
  store(): void {
    const insert = this.#connection.prepare(
      'INSERT INTO series (tenant, id, hash, labels, checksum) VALUES (?, ?, ?, ?, ?)',
    );
    const tenants = new Set<Tenant>();
    for (const { tenant, id, hash, labels } of this.#series) {
      insert.run(tenant.number, id, hash, labels, checksumWith([labels], tenant.number, id, hash));
      tenants.add(tenant);
    }
    const update = this.#connection.prepare(
      `UPDATE tenant SET next = ?1, series = ?2, ${tenantChecksum({ next: '?1', series: '?2' })} WHERE number = ?3`,
    );
    for (const { number, next, series } of tenants) update.run(next, series, number);
    const describe = this.#connection.prepare(
      'INSERT OR REPLACE INTO metric (tenant, name, type, help, unit, checksum) VALUES (?, ?, ?, ?, ?, ?)',
    );
    for (const { tenant, described } of this.#described) {
      const { name, type, help, unit } = described;
      describe.run(tenant.number, name, type, help, unit, checksumOf(tenant.number, name, type, help, unit));
    }
  }

  // Called when the staged series are durable.
  settle(): void {
    for (const { tenant, described, text } of this.#described) tenant.described?.set(described.name, text);
    for (const { owner, id, bytes } of this.#blocks) this.#known.add(owner, id, bytes, 0, bytes.length);
    this.#series = [];
    this.#blocks = [];
    this.#described = [];
    this.#ids.clear();
  }

  // Removes series that were deleted from the database.
  removed(tenantNumber: number, ids: ReadonlySet<number>): void {
    this.#accounts.clear();
    for (const tenant of this.#tenants.values()) if (tenant.number === tenantNumber) tenant.series -= ids.size;
    for (const owner of [tenantNumber * 2, tenantNumber * 2 + 1]) this.#known.forget(owner, (id) => ids.has(id));
  }
}
