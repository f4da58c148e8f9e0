// A copy of the engine's files for a backup, while it runs or not. The logs are read first and the database is copied
// after them, in one step: what a log lacks because it was flushed, removed or reused meanwhile, the database has. So
// the copy is as a crash would have left the files, and opening it recovers all that was confirmed before it began.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import type { Piece } from '../../../core/state/dump/dump-file.ts';
import { piecesIfThere, piecesOf } from '../../../core/state/dump/file-pieces.ts';
import { Connection, fileIn } from './database.ts';
import { metricFault } from './faults.ts';
import { expectedLogs, forgetLogs } from './log-reader.ts';
import { logName, logNumber } from './write-ahead-log.ts';

const wholeFile = 2 ** 30; // pages of one step: with several steps, a commit between them would restart the copy
const databaseName = 'metrics.db';

export const isSnapshotFile = (name: string): boolean => name === databaseName || !Number.isNaN(logNumber(name));

// The pieces of each file follow each other. Nothing, where no metrics were ever kept. `draft` is removed in the end.
export async function* snapshotOf(folder: string, draft: string): AsyncGenerator<Piece> {
  const database = fileIn(folder);
  if (!existsSync(database)) return;
  try {
    const logs = readdirSync(folder).filter((one) => !Number.isNaN(logNumber(one)));
    for (const name of logs) yield* piecesIfThere(name, join(folder, name)); // one may be flushed meanwhile
    rmSync(draft, { force: true });
    using source = new DatabaseSync(database, { readOnly: true, timeout: 2000 });
    await backup(source, draft, { rate: wholeFile });
    leaveOutLogs(draft, { folder, source, copied: logs });
    yield* piecesOf(databaseName, draft);
  } catch (error) {
    throw metricFault(error, 'the metrics can not be copied') ?? error;
  } finally {
    for (const rest of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`]) rmSync(rest, { force: true });
  }
}

// Logs that were begun after the others were read: nothing in them was confirmed before the backup began. Throws where
// one is missing.
function leaveOutLogs(
  draft: string,
  { folder, source, copied }: { folder: string; source: DatabaseSync; copied: readonly string[] },
): void {
  using connection = disposable(new Connection(draft, {}));
  if (connection.number("SELECT count(*) FROM pragma_table_info('mark') WHERE name = 'checksum'") === 0) return;
  for (const number of expectedLogs(connection).keys()) {
    const name = logName(number);
    if (copied.includes(name)) continue;
    const isExpected = source.prepare('SELECT 1 FROM mark WHERE name = ?').get(name) !== undefined; // else flushed meanwhile
    if (isExpected && !existsSync(join(folder, name)))
      throw new Fault('refused', `${join(folder, name)} is missing: its samples are lost, and can't be backed up.`);
    forgetLogs(connection, [number]);
  }
}

const disposable = (connection: Connection): Connection & Disposable =>
  Object.assign(connection, { [Symbol.dispose]: () => connection.close() });
