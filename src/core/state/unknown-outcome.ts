// The one fault 'unavailable' that does not mean that nothing was changed: the store was lost during a commit, and its
// outcome can't be looked up yet. A caller that would retry must read first.
import { Fault } from '../../base/fault.ts';

const faults = new WeakSet<Fault>();

export function unknownOutcome(cause: unknown): Fault {
  const message = 'the connection to the database broke during a change: its outcome is unknown';
  const fault = new Fault('unavailable', message, { cause });
  faults.add(fault);
  return fault;
}

export const isUnknown = (error: unknown): boolean => error instanceof Fault && faults.has(error);
