// A round of load on a server, as one side of a pair.
import { cpuSeconds, watchOthers } from './children.ts';
import type { Load, Loader, LoadReport } from './load.ts';
import type { Side } from './pair.ts';

export interface Target {
  pid: number;
  also?: readonly number[]; // other processes that do the same work: further nodes
  more?: () => number[]; // processes that belong to the server too, such as a database's
  load: Load;
}

export interface LoadedSide extends Side {
  reports: LoadReport[]; // of all rounds, the warm-up too
  warmUp(ms: number): Promise<void>;
}

export function loadedSide(
  loader: Loader,
  { pid, also = [], more = () => [], load }: Target,
  after?: () => Promise<void>,
): LoadedSide {
  const reports: LoadReport[] = [];
  let seed = 1;
  const spent = (): number => [pid, ...also].reduce((sum, one) => sum + cpuSeconds(one), 0);
  const run = async (durationMs: number) => {
    const requests = 'lines' in load.requests ? { ...load.requests, seed: seed++ } : load.requests;
    const before = spent();
    const others = watchOthers(pid, ...also, loader.pid, ...more());
    const report = await loader.run({ ...load, durationMs, requests });
    const foreign = others();
    const cpu = spent() - before;
    reports.push(report);
    await after?.();
    const all = Object.values(report.statuses).reduce((sum, n) => sum + n, 0);
    return { value: report.perSecond, foreign, ...(cpu > 0 ? { perCpuSecond: all / cpu } : {}) };
  };
  return {
    reports,
    round: () => run(load.durationMs),
    async warmUp(ms) {
      await run(ms);
    },
  };
}

// Warnings about the rounds of both sides that make the ratio less reliable; empty if there are none.
export function doubts(ours: LoadedSide, peer: LoadedSide): string[] {
  const notes: string[] = [];
  for (const [name, side] of [['ours', ours] as const, ['peer', peer] as const]) {
    const bad = side.reports.reduce((sum, report) => sum + report.bad, 0);
    const statuses = new Set(side.reports.flatMap((report) => Object.keys(report.statuses)));
    if (bad) notes.push(`${name}: ${bad} answers were not 2xx (${[...statuses].join(', ')})`);
    const busy = Math.max(...side.reports.map((report) => report.busy));
    if (busy > 0.97)
      notes.push(`${name}: the load generator was at its limit (${Math.round(busy * 100)} % of its core)`);
  }
  return notes;
}
