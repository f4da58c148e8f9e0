// Time on a machine that is busy with others. Either by how much longer work takes than the time of the processor that
// it needs, or by what a region itself has used.
import { readFileSync } from 'node:fs';
import type { Region } from './region.ts';

const sampleMs = 30;
const everyMs = 500;
const tickMs = 10; // Linux reports the processor's time in hundredths of a second

export function slowness(): number {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  const usedMs = (): number => process.cpuUsage(cpu).user / 1000;
  while (usedMs() < sampleMs);
  return Math.max(1, (performance.now() - startedAt) / usedMs());
}

// The slowest turn from now on until the answer is read.
export function watchSlowness(): () => number {
  let worst = slowness();
  const look = (): number => {
    worst = Math.max(worst, slowness());
    return worst;
  };
  const timer = setInterval(look, everyMs).unref();
  return () => {
    clearInterval(timer);
    return look();
  };
}

// How long a region keeps others waiting: the time that passed, or the time of the processor that the thread which
// answers has used in the meantime, whichever is less. A thread that is blocked by work uses the processor; one that
// waits for its turn does not.
export const stopwatch = ({ pid }: Region): (() => number) => stopwatchOf(`/proc/${pid}/task/${pid}/stat`);

// The same where any thread of the region may keep the caller waiting.
export const stopwatchOfAll = ({ pid }: Region): (() => number) => stopwatchOf(`/proc/${pid}/stat`);

function stopwatchOf(stat: string): () => number {
  const [startedAt, usedMs] = [performance.now(), cpuMs(stat)];
  return () => Math.min(performance.now() - startedAt, cpuMs(stat) - usedMs);
}

// Fields 14 and 15 of the line: in the user's mode and in the kernel's. The second field may hold spaces and brackets.
function cpuMs(stat: string): number {
  const line = readFileSync(stat, 'latin1');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
