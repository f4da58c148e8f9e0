// How long a region keeps others waiting, whatever else this machine is busy with: the time that passed, or the time
// of the processor that the thread which answers has used meanwhile, whichever is less. A thread that is blocked by work
// uses the processor; one that waits for its turn on a busy machine does not.
import { readFileSync } from 'node:fs';
import type { Region } from './region.ts';

const tickMs = 10; // Linux counts in hundredths of a second, whatever its own clock is

export function stopwatch({ pid }: Region): () => number {
  const [startedAt, usedMs] = [performance.now(), mainThreadMs(pid)];
  return () => Math.min(performance.now() - startedAt, mainThreadMs(pid) - usedMs);
}

// Fields 14 and 15 of the line: in the user's mode and in the kernel's. The second field may hold spaces and brackets.
function mainThreadMs(pid: number): number {
  const line = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
