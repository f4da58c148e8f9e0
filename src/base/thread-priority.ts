// Threads of one process compete for its cores like strangers: one that computes for a second keeps another, which only
// wants to pass something on, waiting for its whole time slice.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

const behind = 10; // a tenth of the time where somebody else wants all of it, everything where nobody does

// The calling thread lets all others go first. Linux has a priority for each thread; its number is found in /proc.
export function letOthersGoFirst(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), behind);
  } catch {
    // Without /proc, or where it is not allowed: it works all the same.
  }
}
