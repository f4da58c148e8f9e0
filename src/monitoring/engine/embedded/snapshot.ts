// A copy of the engine's files for a backup, while it runs or not. The logs are read first and the database is copied
// after them, in one step: what a log lacks because it was flushed, removed or reused meanwhile, the database has. So
// the copy is as a crash would have left the files, and opening it recovers all that was confirmed before it began.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Piece } from '../../../core/state/dump/dump-file.ts';
import { piecesIfThere, piecesOf } from '../../../core/state/dump/file-pieces.ts';
import { fileIn } from './database.ts';
import { metricFault } from './faults.ts';
import { logNumber } from './write-ahead-log.ts';

const wholeFile = 2 ** 30; // pages of one step: with several steps, a commit between them would restart the copy
const databaseName = 'metrics.db';

export const isSnapshotFile = (name: string): boolean => name === databaseName || !Number.isNaN(logNumber(name));

// The pieces of each file follow each other. Nothing, where no metrics were ever kept. `draft` is removed in the end.
export async function* snapshotOf(folder: string, draft: string): AsyncGenerator<Piece> {
  const database = fileIn(folder);
  if (!existsSync(database)) return;
  try {
    for (const name of readdirSync(folder).filter((one) => !Number.isNaN(logNumber(one))))
      yield* piecesIfThere(name, join(folder, name)); // one may be flushed meanwhile
    rmSync(draft, { force: true });
    using source = new DatabaseSync(database, { readOnly: true, timeout: 2000 });
    await backup(source, draft, { rate: wholeFile });
    yield* piecesOf(databaseName, draft);
  } catch (error) {
    throw metricFault(error, 'the metrics can not be copied') ?? error;
  } finally {
    for (const rest of [draft, `${draft}-journal`]) rmSync(rest, { force: true });
  }
}
