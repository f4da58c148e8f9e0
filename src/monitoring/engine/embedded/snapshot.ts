// Copies the engine's files for a backup, whether it runs or not. The logs are read first, and then the database is
// copied in one step: samples of a log that was flushed, removed or reused during the copy are in the database. So the
// copy equals the files after a crash, and opening it recovers all pushes that were confirmed before it began.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import type { Piece } from '../../../core/state/dump/dump-file.ts';
import { piecesIfThere, piecesOf } from '../../../core/state/dump/file-pieces.ts';
import { Connection, fileIn } from './database.ts';
import { metricFault } from './faults.ts';
import { expectedLogs, forgetLogs, logName, logNumber } from './write-ahead-log.ts';

const wholeFile = 2 ** 30; // pages per step: with several steps, a commit between them would restart the copy
const databaseName = 'metrics.db';

export const isSnapshotFile = (name: string): boolean => name === databaseName || !Number.isNaN(logNumber(name));

// Yields the files, the pieces of each one in a row. Yields nothing if no metrics were ever stored. `draft` is removed
// at the end.
export async function* snapshotOf(folder: string, draft: string): AsyncGenerator<Piece> {
  const database = fileIn(folder);
  if (!existsSync(database)) return;
  try {
    const logs = readdirSync(folder).filter((one) => !Number.isNaN(logNumber(one)));
    for (const name of logs) yield* piecesIfThere(name, join(folder, name)); // one may be flushed in the meantime
    rmSync(draft, { force: true });
    using source = new DatabaseSync(database, { readOnly: true, timeout: 2000 });
    await backup(source, draft, { rate: wholeFile });
    leaveOutLogs(draft, { folder, source, copied: logs });
    yield* piecesOf(databaseName, draft);
  } catch (error) {
    throw metricFault(error, 'the metrics cannot be copied') ?? error;
  } finally {
    for (const rest of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`]) rmSync(rest, { force: true });
  }
}

// Omits logs that were created after the others were read: nothing in them was confirmed before the backup began.
// Throws if one is missing.
function leaveOutLogs(
  draft: string,
  { folder, source, copied }: { folder: string; source: DatabaseSync; copied: readonly string[] },
): void {
  using connection = disposable(new Connection(draft, {}));
  if (connection.number("SELECT count(*) FROM pragma_table_info('mark') WHERE name = 'checksum'") === 0) return;
  for (const number of expectedLogs(connection).keys()) {
    const name = logName(number);
    if (copied.includes(name)) continue;
    const isExpected = source.prepare('SELECT 1 FROM mark WHERE name = ?').get(name) !== undefined; // else flushed
    if (isExpected && !existsSync(join(folder, name)))
      throw new Fault('refused', `${join(folder, name)} is missing: its samples are lost, and can't be backed up.`);
    forgetLogs(connection, [number]);
  }
}

const disposable = (connection: Connection): Connection & Disposable =>
  Object.assign(connection, { [Symbol.dispose]: () => connection.close() });
