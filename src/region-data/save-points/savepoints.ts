// Save points of a running region. The region stops while its files are copied or replaced, and starts again on the
// same ports. Slow work that does not need the stop is done before or after it.
import { iso, machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { enginesIn } from '../../config/config.ts';
import { programVersion } from '../../config/program-version.ts';
import type { Config } from '../../config/sections.ts';
import { withoutPassword } from '../../config/setting-values.ts';
import type { ExportedSavePoint } from '../../core/state/dump/dump-file.ts';
import { products } from '../../products.ts';
import type { SavePointEntry, SavePointService, SavePointWork } from '../../surface/ports.ts';
import { isEmbedded } from '../../surface/product-data.ts';
import { demandOwnDisks } from '../../surface/stored-disks.ts';
import type { Exported, ExportRequest, ImportRequest } from './export-file.ts';
import { dropPrepared, finishRestore, hasImported, removeReplaced } from './restore-files.ts';
import {
  checkedName,
  copyData,
  demandNew,
  demandRoom,
  draftData,
  dropData,
  dropDraft,
  findSavePoint,
  keepCopy,
  listSavePoints,
  prepareRestore,
  removeSavePoint,
  savedData,
} from './savepoint-files.ts';

// How the region is stopped and started again.
export interface Pausing {
  now(): number | Promise<number>; // the platform's time
  exclusively<T>(work: () => Promise<T>): Promise<T>; // never together with a backup or another save point
  whileStopped<T>(graceMs: number, work: () => Promise<T>): Promise<T>;
}

export interface SavePointDone extends SavePointEntry {
  offlineMs: number; // the time in which no call was answered
  tookMs: number;
}

const saveGraceMs = 5000; // operations that have begun may end
const restoreGraceMs = 100; // what they do is thrown away

export class SavePoints implements SavePointService {
  readonly #config: Config;
  readonly #region: Pausing;
  readonly #log: Log;
  #last: SavePointWork | undefined;

  constructor(config: Config, region: Pausing, log: Log) {
    this.#config = config;
    this.#region = region;
    this.#log = log;
  }

  list(): SavePointEntry[] {
    return listSavePoints(this.#config.data);
  }

  last(): SavePointWork | undefined {
    return this.#last;
  }

  create(name: unknown, infrastructure: boolean): SavePointWork {
    const checked = checkedName(name);
    demandOwnDisks(this.#config.data, 'A save point');
    demandEmbedded(this.#config);
    demandNew(this.#config.data, checked);
    return this.#begin('create', checked, () => this.save(checked, infrastructure));
  }

  restore(name: unknown): SavePointWork {
    const { name: found } = this.#restorable(name);
    return this.#begin('restore', found, () => this.bringBack(found));
  }

  async remove(name: unknown): Promise<void> {
    const checked = checkedName(name);
    await this.#region.exclusively(() => removeSavePoint(this.#config.data, checked)); // it may be on its way back
  }

  async save(name: string, infrastructure = false): Promise<SavePointDone> {
    const { data } = this.#config;
    demandOwnDisks(data, 'A save point');
    demandEmbedded(this.#config);
    demandNew(data, checkedName(name));
    return this.#region.exclusively(async () => {
      const began = performance.now();
      demandRoom(data);
      const regionTime = iso(await this.#region.now());
      const { offlineMs, result } = await this.#stopped(saveGraceMs, () => copyData(data, infrastructure));
      const sizes = infrastructure ? { ...(await dropData(data)), infrastructure } : result;
      const facts = { ...sizes, ...(hasImported(data) && { imported: true as const }) };
      const savePoint = { name, createdDate: iso(machineTime()), regionTime, program: programVersion(), ...facts };
      await keepCopy(data, savePoint);
      const tookMs = Math.round(performance.now() - began);
      this.#log.info('save point made', { name, offlineMs, tookMs });
      return { ...savePoint, offlineMs, tookMs };
    });
  }

  async bringBack(name: string): Promise<SavePointDone> {
    const { data } = this.#config;
    const savePoint = this.#restorable(name);
    return this.#region.exclusively(async () => {
      const began = performance.now();
      await prepareRestore(data, name);
      const { offlineMs } = await this.#stopped(restoreGraceMs, () =>
        finishRestore(data, name, savePoint.imported === true),
      ).finally(() => dropPrepared(data));
      const tookMs = Math.round(performance.now() - began);
      this.#log.info('save point restored', { name, offlineMs, tookMs });
      await removeReplaced(data);
      return { ...savePoint, offlineMs, tookMs };
    });
  }

  // Without a name, of the current region.
  async export(name: string | undefined, request: ExportRequest): Promise<Exported> {
    const config = this.#config;
    const { data } = config;
    const { writeExport } = await exportFiles();
    if (name !== undefined) {
      const savePoint = this.#restorable(name);
      return this.#region.exclusively(() => writeExport(config, savedData(data, name), savePoint, request));
    }
    demandOwnDisks(data, 'An export');
    demandEmbedded(config);
    return this.#region.exclusively(async () => {
      demandRoom(data);
      const savePoint = { name: 'exported', regionTime: iso(await this.#region.now()) };
      await this.#stopped(saveGraceMs, () => copyData(data, request.infrastructure));
      try {
        return await writeExport(config, draftData(data), savePoint, request);
      } finally {
        await dropDraft(data);
      }
    });
  }

  async import(request: ImportRequest): Promise<SavePointEntry> {
    const { data } = this.#config;
    demandEmbedded(this.#config);
    const { exportHeader, readExport } = await exportFiles();
    const header = await exportHeader(request.file);
    const { name: ownName, regionTime, infrastructure } = header.savePoint as ExportedSavePoint;
    const name = checkedName(request.name ?? ownName);
    demandNew(data, name);
    demandReadable(name, header.program);
    return this.#region.exclusively(async () => {
      const sizes = await readExport(this.#config, header, request);
      const { program, time: createdDate } = header;
      const marks = { imported: true, ...(infrastructure && { infrastructure }) } as const;
      const entry: SavePointEntry = { name, createdDate, regionTime, program, ...sizes, ...marks };
      await keepCopy(data, entry);
      this.#log.info('save point imported', { name, file: request.file });
      return entry;
    });
  }

  #restorable(name: unknown): SavePointEntry {
    demandEmbedded(this.#config);
    const found = findSavePoint(this.#config.data, checkedName(name));
    demandReadable(found.name, found.program);
    return found;
  }

  async #stopped<T>(graceMs: number, work: () => Promise<T>): Promise<{ offlineMs: number; result: T }> {
    const began = performance.now();
    const result = await this.#region.whileStopped(graceMs, work);
    return { offlineMs: Math.round(performance.now() - began), result };
  }

  // Starts after the response was sent.
  #begin(work: SavePointWork['work'], name: string, does: () => Promise<SavePointDone>): SavePointWork {
    const begun: SavePointWork = { id: uuid(), work, name, state: 'BUSY' };
    if (this.#last?.state === 'BUSY')
      throw new Fault('conflict', `Save point ${this.#last.name} is still in progress. Wait until it has ended.`);
    this.#last = begun;
    setImmediate(() => {
      does().then(
        ({ offlineMs, tookMs }) => {
          this.#last = { ...begun, state: 'DONE', offlineMs, tookMs };
        },
        (error: unknown) => {
          this.#last = { ...begun, state: 'FAILED', message: error instanceof Fault ? error.message : 'See the log.' };
          this.#log.error('save point', { work, name, error });
        },
      );
    });
    return begun;
  }
}

// They depend on every engine, so they are loaded on demand.
const exportFiles = () => import('./export-file.ts');

// A save point is a copy of files, so it can't contain data that is stored elsewhere.
function demandEmbedded(config: Config): void {
  const { data, state } = config;
  const external = Object.entries(enginesIn(config, products)).filter(([, engine]) => !isEmbedded(engine));
  if (state !== `sqlite:${data}`) external.unshift(['state', state]);
  if (external.length === 0) return;
  const named = external.map(([name, engine]) => `--${name} ${withoutPassword(engine)}`).join(', ');
  throw new Fault(
    'refused',
    `Save points contain only the data folder, but this region stores data elsewhere (${named}). Use that engine's ` +
      'own backups, and state backup.',
  );
}

function demandReadable(name: string, program: string): void {
  const [made, own] = [program, programVersion()].map((version) => version.split('.').map(Number));
  for (const [index, part] of (made ?? []).entries()) {
    const mine = own?.[index] ?? 0;
    if (part < mine) return;
    if (part > mine)
      throw new Fault('refused', `Save point ${name} was created by version ${program}, which is newer than this one.`);
  }
}
