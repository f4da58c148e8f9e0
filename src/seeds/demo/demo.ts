// The demo of a region: an example shop in a contract, created by a seed, with a load that continues until the demo is
// stopped. Its state is stored, so that a restart of the region continues with it. Without a demo nothing runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { accountPaths } from '../../region-data/reset.ts';
import type { DemoService, DemoStatus } from '../../surface/ports.ts';
import { SeedSource } from '../plan/seed-source.ts';
import { applyOnce, type SeededRegion, sectionsIn, storageOf, withClient } from '../region-seed.ts';
import { bucketScheme, withStorage } from '../seed-buckets.ts';
import { messagesOf, type SeedClient } from '../seed-client.ts';
import { type DemoRecord, DemoRecords } from './demo-record.ts';
import { type Flow, invoicePrefix } from './flows.ts';
import { createdSince } from './interrupted.ts';
import { removeBucket, removeMade } from './removal.ts';
import { dropKeys, findShop, flowsOf, type Shop } from './shop-load.ts';

const file = join(import.meta.dirname, 'shop.yaml');
const tickMs = 2000;
const retryMs = 30_000; // after a failed call of the load

const rules = '/monitoring/alerting/rules';
const shopRegions = ['de-fra', 'de-txl'];
const errors = (status: string): string => `sum(rate(shop_http_requests_total{service="payment"${status}}[2m]))`;
const paymentErrors = {
  name: 'Payments fail',
  expression: `100 * ${errors(',status="500"')} / ${errors('')}`,
  comparison: '>',
  threshold: 5,
  for: '1m',
  labels: { team: 'shop' },
};

interface Load {
  flows: { flow: Flow; dueAt: number }[]; // none: not connected
  retryAt: number; // by performance.now()
  isNew: boolean;
}

// Names that must differ between contracts contain the number.
const shopOf = (contract: number): SeedSource =>
  SeedSource.parse(readFileSync(file, 'utf8').replaceAll('CONTRACT', String(contract)), 'shop.yaml');

const seededObjects = (): string[] => {
  const [bucket] = shopOf(0).value.buckets as { objects: { key: string }[] }[];
  return bucket?.objects.map(({ key }) => key) ?? [];
};

export class Demo implements DemoService {
  readonly #region: SeededRegion;
  readonly #records: DemoRecords;
  readonly #works = new Map<number, Promise<void>>(); // creations and deletions in progress, by contract
  readonly #loads = new Map<number, Load>();
  readonly #left = new Map<number, string[]>(); // what the last deletion had to keep
  readonly #fresh = new Set<number>(); // demos of this process that have sent nothing yet
  #running: readonly number[] = []; // contracts with a running demo
  #isTicking = false;
  #isClosing = false;

  constructor(region: SeededRegion) {
    this.#region = region;
    this.#records = new DemoRecords(region.store);
  }

  // Continues what an earlier process began.
  async resume(): Promise<void> {
    for (const [contract, { state }] of await this.follow()) {
      if (state === 'CREATING') this.#work(contract, () => this.#create(contract));
      if (state === 'DELETING') this.#work(contract, () => this.#remove(contract));
    }
  }

  async status(contract: number): Promise<DemoStatus> {
    const record = await this.#records.load(contract);
    const left = this.#left.get(contract);
    if (!record)
      return { contract, state: 'OFF', resources: 0, ...(left && { message: `Not deleted: ${left.join(' ')}` }) };
    const { state, since, made, message } = record;
    return { contract, state, since, resources: made.length, ...(message !== undefined && { message }) };
  }

  async begin(contract: number, evenIfNotEmpty: boolean): Promise<DemoStatus> {
    if (!this.#region.services().some(({ name }) => name === 'lab'))
      throw new Fault('forbidden', 'The lab of this region is off: it was started with --no-lab.');
    const record = await this.#records.load(contract);
    if (record?.state === 'DELETING')
      throw new Fault('conflict', 'The demo is being deleted. Wait until it has ended.');
    if (record && record.state !== 'FAILED') return this.status(contract);
    if (!record && !evenIfNotEmpty) await this.#demandEmpty(contract);
    const { made = [], centralRegions = [] } = record ?? {};
    this.#left.delete(contract);
    const since = iso(this.#region.clock.now());
    await this.#records.save(contract, { state: 'CREATING', since, made, centralRegions });
    this.#work(contract, () => this.#create(contract));
    return this.status(contract);
  }

  async end(contract: number): Promise<DemoStatus> {
    const record = await this.#records.load(contract);
    if (!record) return this.status(contract);
    await this.#works.get(contract);
    await this.#update(contract, { state: 'DELETING' });
    this.#work(contract, () => this.#remove(contract));
    return this.status(contract);
  }

  async settled(contract: number): Promise<DemoStatus> {
    await this.#works.get(contract);
    return this.status(contract);
  }

  // A creation or deletion in progress continues at the next start.
  close(): void {
    this.#isClosing = true;
    this.#running = [];
  }

  #work(contract: number, work: () => Promise<void>): void {
    const done = work().catch(async (error: unknown) => {
      if (this.#isClosing) return;
      this.#region.log.error('demo failed', { contract, error });
      const message = error instanceof Error ? error.message : String(error);
      await this.#update(contract, { state: 'FAILED', message });
    });
    this.#works.set(contract, done);
    void done.finally(() => this.#works.get(contract) === done && this.#works.delete(contract));
  }

  async #demandEmpty(contract: number): Promise<void> {
    const sections = [...sectionsIn(this.#region).values()];
    const kinds = new Set(sections.map(({ resource }) => resource.name));
    const isAccount = await accountPaths();
    for (const table of ['resource', 'object'] as const)
      for await (const { place, id, kind, body } of this.#region.store.each({ contract, below: '' }, table)) {
        if (table === 'resource' && (!kinds.has(kind) || isAccount(place))) continue;
        const { name = id } = body === '' ? {} : (JSON.parse(body) as { name?: string });
        const what = `the ${table === 'object' ? 'bucket' : kind} '${name}'`;
        const remedy = 'Pass --yes (in the API: evenIfNotEmpty) to create the demo in it.';
        throw new Fault('conflict', `Contract ${contract} is not empty: it has ${what}. ${remedy}`);
      }
  }

  async #create(contract: number): Promise<void> {
    const source = shopOf(contract);
    await this.#as(contract, async (client) => {
      await applyOnce(this.#region, source, client, async (path, isNew) => {
        const { made, since } = (await this.#records.load(contract)) as DemoRecord;
        if (made.includes(path)) return;
        const paths = isNew ? [path] : await createdSince(client, path, since);
        if (paths.length > 0) await this.#update(contract, { made: [...made, ...paths] });
      });
      await this.#addAlert(client, contract);
      await this.#switchCentral(client, contract, true);
    });
    this.#fresh.add(contract);
    await this.#update(contract, { state: 'RUNNING' });
    await this.follow();
  }

  async #remove(contract: number): Promise<void> {
    const record = await this.#records.load(contract);
    if (!record) return;
    this.#running = this.#running.filter((one) => one !== contract);
    this.#loads.delete(contract);
    const sections = sectionsIn(this.#region);
    const left = await this.#as(contract, async (client) => {
      await dropKeys(this.#region, client, contract, this.#shopOf(record));
      await this.#switchCentral(client, contract, false);
      const paths = record.made.filter((path) => !path.startsWith(bucketScheme));
      const buckets = record.made.filter((path) => path.startsWith(bucketScheme));
      const kept = await removeMade(client, sections, paths);
      if (buckets.length === 0) return kept;
      const seeded = seededObjects();
      const isOwn = (key: string): boolean => seeded.includes(key) || key.startsWith(invoicePrefix);
      return withStorage(client, storageOf(this.#region), async (s3) => {
        for (const path of buckets) kept.push(...(await removeBucket(s3, path.slice(bucketScheme.length), isOwn)));
        return kept;
      });
    });
    if (left.length > 0) this.#left.set(contract, left);
    await this.#records.remove(contract);
  }

  #as<T>(contract: number, use: (client: SeedClient) => Promise<T>): Promise<T> {
    return withClient(this.#region, use, { contract });
  }

  async #addAlert(client: SeedClient, contract: number): Promise<void> {
    const { made } = (await this.#records.load(contract)) as DemoRecord;
    const pipeline = made.find((path) => /\/monitoring\/pipelines\/[^/]+$/.test(path));
    if (pipeline === undefined || made.some((path) => path.includes(rules))) return;
    const properties = { ...paymentErrors, pipeline: pipeline.slice(pipeline.lastIndexOf('/') + 1) };
    const isOwn = (rule: Values): boolean => (rule.properties as Values).pipeline === properties.pipeline;
    const found = (await client.list(rules)).find(isOwn); // of an interrupted creation
    const { status, body } = found ? { status: 200, body: found } : await client.call('POST', rules, { properties });
    if (status >= 300) throw new Fault('refused', messagesOf(body).join(' '));
    await this.#update(contract, { made: [...made, `${rules}/${body.id}`] });
  }

  // Without central monitoring the pages of servers have no charts. It is switched off again where the demo switched it
  // on.
  async #switchCentral(client: SeedClient, contract: number, enabled: boolean): Promise<void> {
    const { centralRegions } = (await this.#records.load(contract)) as DemoRecord;
    for (const region of enabled ? shopRegions : centralRegions) {
      const central = `/${region}/monitoring/central`;
      const { body } = await client.call('GET', central);
      const [{ properties }] = body.items as [{ properties: { enabled: boolean } }];
      if (properties.enabled === enabled) continue;
      if (enabled) {
        centralRegions.push(region);
        await this.#update(contract, { centralRegions });
      }
      await client.call('PUT', central, { properties: { enabled } });
    }
  }

  async #update(contract: number, change: Partial<DemoRecord>): Promise<void> {
    const record = await this.#records.load(contract);
    if (!record) return;
    const since = change.state === undefined ? record.since : iso(this.#region.clock.now());
    await this.#records.save(contract, { ...record, ...change, since });
  }

  // Finds out which demos run. The load begins with the first one, and its reconciler is idle after the last one.
  async follow(): Promise<Map<number, DemoRecord>> {
    const all = await this.#records.all();
    this.#running = [...all].filter(([, { state }]) => state === 'RUNNING').map(([contract]) => contract);
    for (const contract of this.#loads.keys()) if (!this.#running.includes(contract)) this.#loads.delete(contract);
    if (this.#running.length > 0 && !this.#isTicking) {
      this.#isTicking = true;
      this.#region.reconcilers.add({ name: 'demo', everyMs: tickMs, run: () => this.#tick() });
    }
    return all;
  }

  async #tick(): Promise<void> {
    await Promise.all(this.#running.map((contract) => this.#load(contract)));
  }

  // A failed call ends the load for a while. It then looks again which parts of the shop still exist.
  async #load(contract: number): Promise<void> {
    const now = this.#region.clock.now();
    const load = this.#loads.get(contract) ?? { flows: [], retryAt: 0, isNew: true };
    this.#loads.set(contract, load);
    if (load.flows.length === 0 && load.retryAt > performance.now()) return;
    try {
      if (load.flows.length === 0) load.flows = await this.#connect(contract, load.isNew);
      load.isNew = false;
      const due = load.flows.filter(({ dueAt }) => dueAt <= now);
      for (const one of due) one.dueAt = now + one.flow.everyMs;
      await Promise.all(due.map(({ flow }) => flow.send(now)));
    } catch (error) {
      load.flows = [];
      load.retryAt = performance.now() + retryMs;
      if (!this.#isClosing) this.#region.log.warn('load of the demo interrupted', { contract, error });
    }
  }

  // A restart continues with the same keys.
  async #connect(contract: number, isNew: boolean): Promise<Load['flows']> {
    const record = (await this.#records.load(contract)) as DemoRecord;
    const before = this.#shopOf(record);
    const { seal } = this.#region.secrets;
    const shop = before && isNew ? before : await findShop(this.#region, contract, record.made, before);
    if (shop !== before) await this.#update(contract, { shop: seal.close(JSON.stringify(shop)) });
    const flows = flowsOf(this.#region, contract, shop, this.#fresh.delete(contract));
    return flows.map((flow) => ({ flow, dueAt: 0 }));
  }

  #shopOf({ shop }: DemoRecord): Shop | undefined {
    return shop === undefined ? undefined : (JSON.parse(this.#region.secrets.seal.open(shop)) as Shop);
  }
}
