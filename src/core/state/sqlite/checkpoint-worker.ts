// The worker of checkpoint.ts: a separate connection that runs checkpoints off the main thread.
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../threads/worker-calls.ts';

export type Mode = 'PASSIVE' | 'RESTART';

export interface Report {
  done: boolean;
  synchronous: number; // -1: the checkpoint failed
}

export interface CheckpointCalls {
  checkpoint(mode: Mode): Report;
}

const { file } = workerData as { file: string };
let db: DatabaseSync | undefined;

serveCalls<CheckpointCalls>({ checkpoint }, () => db?.close());

function checkpoint(mode: Mode): Report {
  try {
    const found = connection().prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    const pragma = connection().prepare('PRAGMA synchronous').get();
    return { done: found?.busy === 0, synchronous: Number(pragma?.synchronous) };
  } catch {
    db?.close();
    db = undefined;
    return { done: false, synchronous: -1 };
  }
}

// Reopened after a failure: the disk may be well again by the next call.
function connection(): DatabaseSync {
  if (!db) {
    db = new DatabaseSync(file, { timeout: 1000 });
    db.exec('PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=FULL; PRAGMA cache_size=-512');
  }
  return db;
}
