// Prometheus marks the end of a series by a special NaN. On the wire it is a signalling one (7ff0000000000002);
// floating-point units make it quiet, so here it is the quiet form from the start.
const scratch = new Float64Array(1);
const words = new Uint32Array(scratch.buffer); // little-endian: low word first
words.set([2, 0x7ff80000]);
export const stale: number = scratch[0] as number;

export function isStale(value: number): boolean {
  if (!Number.isNaN(value)) return false;
  scratch[0] = value;
  return words[0] === 2;
}
