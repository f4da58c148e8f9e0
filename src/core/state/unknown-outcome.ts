// The one case in which 'unavailable' does not mean that nothing was changed: the store was lost amid a change, and
// nobody can be asked yet. Whoever would do the same again must look first.
import { Fault } from '../../base/fault.ts';

const faults = new WeakSet<Fault>();

export function unknownOutcome(cause: unknown): Fault {
  const message = 'the database broke off amid a change: it is not known whether it was made';
  const fault = new Fault('unavailable', message, { cause });
  faults.add(fault);
  return fault;
}

export const isUnknown = (error: unknown): boolean => error instanceof Fault && faults.has(error);
