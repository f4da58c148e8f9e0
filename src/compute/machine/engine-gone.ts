// An engine that can't be reached.
import { Fault } from '../../base/fault.ts';

// Not 'unavailable', because an operation would wait forever: it ends FAILED, and the reconciler repairs the rest when
// the engine is back.
export class EngineGone extends Fault {}

// Undoes the work of a step, unless the engine is gone.
export async function undoneOrLeft(undo: () => void | Promise<void>): Promise<void> {
  try {
    await undo();
  } catch (error) {
    if (!(error instanceof EngineGone)) throw error;
  }
}
