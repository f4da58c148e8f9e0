// Room for the samples that a query reads. What one query leaves the next one uses: to be given memory costs clearing
// it, and to give it back costs collections, in which threads take part that are nobody's to slow down.

export interface Room extends Disposable {
  // So many numbers are about to be taken.
  expect(count: number): void;
  // Its numbers are whatever was there before; it is somebody else's when the room is disposed of.
  take(count: number): Float64Array;
}

const mostKept = 16 * 1024 * 1024; // numbers
const keptForMs = 5000;
const none: Float64Array = new Float64Array(0);

let spare: Float64Array = none;
let forgetting: NodeJS.Timeout | undefined;

export function openRoom(): Room {
  let slab = spare;
  let used = 0;
  spare = none;
  return {
    expect(count) {
      if (slab.length - used >= count) return;
      slab = uninitialised(count);
      used = 0;
    },
    take(count) {
      if (slab.length - used < count) return uninitialised(count);
      used += count;
      return slab.subarray(used - count, used);
    },
    [Symbol.dispose]() {
      keep(slab);
      slab = none;
    },
  };
}

function keep(slab: Float64Array): void {
  if (slab.length <= spare.length || slab.length > mostKept) return;
  spare = slab;
  clearTimeout(forgetting);
  forgetting = setTimeout(() => {
    spare = none;
  }, keptForMs).unref();
}

// Its numbers are whatever was there before, for they are all about to be written.
export const uninitialised = (length: number): Float64Array =>
  new Float64Array(Buffer.allocUnsafeSlow(length * 8).buffer);
