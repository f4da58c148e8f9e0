// Reads all metrics on disk, whether the engine runs or not, and reports missing and damaged ones. It changes nothing.
// A worker does the reading, so that other requests are served in the meantime.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDamagedCopy } from '../../../base/files/damaged-copy.ts';
import { damageOfLog } from '../../../core/record-log/record-reader.ts';
import { checkDatabase } from '../../../core/state/sqlite/check.ts';
import { openImmutable } from '../../../core/state/sqlite/dump.ts';
import { sqliteLogDamage } from '../../../core/state/sqlite/log-check.ts';
import { WorkerPool } from '../../../core/threads/worker-pool.ts';
import { fileIn, metricMigrations } from './database.ts';
import { countUnchecked, tableChecks } from './row-checksums.ts';
import { expectedLogs, logName, pushReader } from './write-ahead-log.ts';

export interface MetricsCheck {
  rows: number; // number of rows read
  damage: string[];
  notes: string[];
}

export interface MetricsPlace {
  folder: string;
  isRunning: boolean; // an engine has the files open
}

export interface CheckCalls {
  check(place: MetricsPlace): MetricsCheck;
}

export async function checkMetrics(place: MetricsPlace): Promise<MetricsCheck> {
  const thread = new WorkerPool<CheckCalls>({
    name: 'The check of the metrics',
    module: new URL('./check-worker.ts', import.meta.url),
    execArgv: [],
  });
  try {
    return await thread.call('check', place);
  } finally {
    await thread.close();
  }
}

// Damage that is visible without reading samples: a missing or unreadable database, and missing logs.
export function listDamage(folder: string): string[] {
  const file = fileIn(folder);
  if (!existsSync(folder)) return [];
  if (!existsSync(file)) return [`${file} is missing: all metrics are lost`];
  try {
    using db = openToRead(file);
    const missing = (): string[] =>
      [...logsOf(db).keys()].map(logName).filter((name) => !existsSync(join(folder, name)));
    const first = missing();
    // A running engine may have flushed some in the meantime.
    return (first.length === 0 ? [] : missing())
      .filter((name) => first.includes(name))
      .map((name) => `${join(folder, name)} is missing, with all of its samples`);
  } catch (error) {
    return [unreadable(file, error)];
  }
}

export function checkFolder({ folder, isRunning }: MetricsPlace): MetricsCheck {
  const found: MetricsCheck = { rows: 0, damage: [], notes: [] };
  const file = fileIn(folder);
  if (!existsSync(folder)) return found;
  if (!existsSync(file)) return { ...found, damage: [`${file} is missing: all metrics are lost`] };
  const inLog = isRunning ? undefined : sqliteLogDamage(file);
  if (inLog !== undefined) found.damage.push(inLog);
  try {
    using db = openToRead(file);
    addTables(found, db, file);
    addLogs(found, db, folder);
  } catch (error) {
    found.damage.push(unreadable(file, error));
  }
  for (const name of readdirSync(folder).filter(isDamagedCopy))
    found.damage.push(`${join(folder, name)} is a copy of a damaged log. Delete it when you no longer need it`);
  return found;
}

const unreadable = (file: string, error: unknown): string =>
  `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`;

// A database without a -wal file is opened as immutable, because opening it otherwise would create one.
const openToRead = (file: string): DatabaseSync =>
  (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0
    ? openImmutable(file)
    : new DatabaseSync(file, { readOnly: true, timeout: 2000 });

function addTables(found: MetricsCheck, db: DatabaseSync, file: string): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  const isOlder = version < metricMigrations.length;
  const { rows, damage } = checkDatabase(db, isOlder ? [] : tableChecks(db));
  found.rows = rows;
  found.damage.push(...damage.map((one) => `${file}: ${one}`));
  const unchecked = isOlder ? undefined : countUnchecked(db);
  if (unchecked === 0) return;
  const which = unchecked === undefined ? 'The metrics were' : `${unchecked} blocks of metrics were`;
  const when =
    unchecked === undefined ? 'the next start adds them' : 'they are replaced when they are merged or expire';
  found.notes.push(`${which} written by an earlier version, without checksums: ${when}.`);
}

const logsOf = (db: DatabaseSync): Map<number, number> =>
  expectedLogs({
    all(sql) {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all() as unknown as unknown[][];
    },
  });

function addLogs(found: MetricsCheck, db: DatabaseSync, folder: string): void {
  for (const [number, seed] of logsOf(db)) {
    const path = join(folder, logName(number));
    const damage = damageOfLog(path, pushReader(number, seed));
    if (damage?.length === 0 || !logsOf(db).has(number)) continue; // it is intact, or was flushed in the meantime
    if (!damage) found.damage.push(`${path} is missing, with all of its samples`);
    for (const { at, bytes } of damage ?? [])
      found.damage.push(`${path} is damaged at byte ${at}: ${bytes} bytes of samples are lost`);
  }
}
