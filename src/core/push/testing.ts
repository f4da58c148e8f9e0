// For tests of decoders.

// Numbers from 0 to below `end`, the same in every run (xorshift).
export function numbers(seed: number): (end: number) => number {
  let state = seed | 1;
  return (end) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % end;
  };
}
