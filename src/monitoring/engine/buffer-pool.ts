// Memory for the samples that a query reads, reused by the next query. Allocating memory means clearing it, and freeing
// it means garbage collections, which slow down all threads.
import { Fault } from '../../base/fault.ts';

export interface BufferLease extends Disposable {
  // Makes sure that this many numbers can be taken without another allocation.
  reserve(count: number): void;
  // Uninitialised. The memory belongs to another query once the lease is disposed of.
  take(count: number): Float64Array;
}

const mostKept = 16 * 1024 * 1024; // numbers
const keptForMs = 5000;
const leastSlab = 256 * 1024;

let spare: Float64Array[] = [];
let forgetting: NodeJS.Timeout | undefined;

// `most`: the maximum of numbers to take; more are refused.
export function leaseBuffers(most: number = Number.POSITIVE_INFINITY): BufferLease {
  const slabs = spare;
  let taken = 0;
  let at = 0; // index of the current slab
  let used = 0; // numbers of the current slab
  spare = [];
  // Moves to the next slab that is large enough; smaller ones in between stay unused for this lease.
  const move = (count: number, length: number): void => {
    if (slabs.length > 0) at += 1;
    used = 0;
    const found = slabs.findIndex((slab, index) => index >= at && slab.length >= count);
    if (found < 0) slabs.splice(at, 0, uninitialised(length));
    else slabs.splice(at, 0, ...slabs.splice(found, 1));
  };
  const isFull = (count: number): boolean => (slabs[at]?.length ?? 0) - used < count;
  const demand = (count: number): void => {
    if (count <= most) return;
    const mb = Math.floor((most * 8) / (1024 * 1024));
    throw new Fault(
      'refused',
      `query processing would need more than ${mb} MB of memory: select fewer series or a shorter time`,
    );
  };
  return {
    reserve(count) {
      demand(taken + count);
      if (isFull(count)) move(count, count);
    },
    take(count) {
      taken += count;
      demand(taken);
      if (isFull(count)) move(count, Math.max(count, leastSlab));
      used += count;
      return (slabs[at] as Float64Array).subarray(used - count, used);
    },
    [Symbol.dispose]() {
      keep(slabs.splice(0));
      at = 0;
      used = 0;
    },
  };
}

function keep(slabs: readonly Float64Array[]): void {
  let left = mostKept;
  spare = [...slabs, ...spare].filter((slab) => {
    if (slab.length > left) return false;
    left -= slab.length;
    return true;
  });
  clearTimeout(forgetting);
  forgetting = setTimeout(() => {
    spare = [];
  }, keptForMs).unref();
}

// Uninitialised: the caller must write all of it.
export const uninitialised = (length: number): Float64Array =>
  new Float64Array(Buffer.allocUnsafeSlow(length * 8).buffer);
