// Transactions of several statements on one connection. Statements are sent without waiting for those before: after
// an error the server refuses the rest of the transaction, and its COMMIT rolls back without a further error.
import type { Ask, Statement } from './connection.ts';
import { Lost } from './faults.ts';

const begin: Statement = { name: 'begin', text: 'BEGIN' };
const commit: Statement = { name: 'commit', text: 'COMMIT' };
const rollBack: Statement = { name: 'rollback', text: 'ROLLBACK' };
const savepoint: Statement = { name: 'savepoint', text: 'SAVEPOINT one' };
const back: Statement = { name: 'back', text: 'ROLLBACK TO one' };
const release: Statement = { name: 'release', text: 'RELEASE one' };

// Commits what `perform` did if `keeps` accepts its result; otherwise nothing was changed.
export async function inTransaction<T>(ask: Ask, perform: () => Promise<T>, keeps: (result: T) => boolean): Promise<T> {
  ignoreResult(ask(begin));
  let result: T;
  try {
    result = await perform();
  } catch (error) {
    if (!(error instanceof Lost)) await ask(rollBack);
    throw error;
  }
  if (!keeps(result)) await ask(rollBack);
  else if ((await ask(commit)).command !== 'COMMIT') throw new Error('the transaction was rolled back');
  return result;
}

// The same inside a transaction, which continues whatever becomes of it.
export async function inSavepoint<T>(ask: Ask, perform: () => Promise<T>, keeps: (result: T) => boolean): Promise<T> {
  ignoreResult(ask(savepoint));
  let isKept = false;
  try {
    const result = await perform();
    isKept = keeps(result);
    return result;
  } finally {
    if (!isKept) ignoreResult(ask(back));
    ignoreResult(ask(release));
  }
}

function ignoreResult(sent: Promise<unknown>): void {
  sent.catch(() => {});
}
