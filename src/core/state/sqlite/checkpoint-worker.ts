// The worker of checkpoint.ts: a connection of its own that runs checkpoints off the main thread.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export type Mode = 'PASSIVE' | 'RESTART';
export type Order = Mode | 'CLOSE';

export interface Report {
  mode: Mode;
  done: boolean;
  synchronous: number;
}

if (parentPort) {
  const port = parentPort;
  const { file } = workerData as { file: string };
  let db: DatabaseSync | undefined;

  // Reopened after a failure: the disk may be well again by the next order.
  const connection = (): DatabaseSync => {
    if (!db) {
      db = new DatabaseSync(file, { timeout: 1000 });
      db.exec('PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=FULL; PRAGMA cache_size=-512');
    }
    return db;
  };

  const perform = (mode: Mode): Report => {
    try {
      const found = connection().prepare(`PRAGMA wal_checkpoint(${mode})`).get();
      const asked = connection().prepare('PRAGMA synchronous').get();
      return { mode, done: found?.busy === 0, synchronous: Number(asked?.synchronous) };
    } catch {
      db?.close();
      db = undefined;
      return { mode, done: false, synchronous: -1 };
    }
  };

  port.on('message', (order: Order) => {
    if (order !== 'CLOSE') return port.postMessage(perform(order));
    db?.close();
    port.close();
  });
}
