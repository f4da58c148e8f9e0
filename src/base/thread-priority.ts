// Threads of one process compete for its cores like strangers: one that computes for a second keeps another, which only
// wants to pass something on, waiting for its whole time slice.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

const behind = 10; // a tenth of the time where somebody else wants all of it, everything where nobody does
const breathEveryMs = 1;
const breathMs = 0.02;
const nobody = new Int32Array(new SharedArrayBuffer(4));
let breathedAt = 0;
let isBehind = false; // only such threads make room for others

// The calling thread lets all others go first. Linux has a priority for each thread; its number is found in /proc.
export function letOthersGoFirst(): void {
  isBehind = true;
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), behind);
  } catch {
    // Without /proc, or where it is not allowed: it works all the same.
  }
}

// What compiles and collects garbage for all threads of the process does so behind them. On a busy core what it
// compiles comes later then, so this is for processes in which it mostly works for threads that compute.
export function letHelpersGoLast(): void {
  try {
    for (const thread of readdirSync('/proc/self/task'))
      if (readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').startsWith('node-V8Worker'))
        setPriority(Number(thread), behind);
  } catch {
    // As above.
  }
}

// A priority alone does not do where threads share a core: whoever has just been given it keeps it for some
// milliseconds, whoever else comes. One that computes for long calls this between two pieces of its work.
export function takeBreath(): void {
  if (performance.now() - breathedAt < breathEveryMs) return;
  if (isBehind) Atomics.wait(nobody, 0, 0, breathMs);
  breathedAt = performance.now();
}
