// The suite of metric pipelines: pushes, storage and queries, against Debian's prometheus and victoria-metrics.
import { readFileSync } from 'node:fs';
import { residentMb } from '../harness/children.ts';
import { type Bench, type Figure, grouped, type Measured } from '../harness/figure.ts';
import { withFolder } from '../harness/region.ts';
import { askFigures } from './ask.ts';
import { type BodyFile, makeBodies, seriesEach } from './bodies.ts';
import { openPusher } from './load.ts';
import { fillWith, pushFigures } from './push.ts';
import { type Opener, openOurs, openPrometheus, openVictoria } from './servers.ts';

export const metricsNote =
  'the same bodies to each server; both peers answer before their data is safe, ours when it is synced';

const most = 600;
const slices = 50;
const cycles = 40;

const memory: Figure = {
  name: 'memory',
  title: `resident memory with ${grouped(slices * seriesEach)} active series, ${cycles} samples of each pushed`,
  peer: 'victoria-metrics and prometheus, reported for comparison',
  demanded: `≤ ${most} MB, goal 300 MB`,
  measure: (bench) =>
    withFolder(async (folder): Promise<Measured> => {
      const rounds = bench.quick ? 4 : cycles;
      const bodies = makeBodies(`${folder}/bodies`, { slices, rounds, beginMs: Date.now() - 3_600_000 });
      const ours = await used(bench, folder, openOurs, bodies);
      const victoria = await used(bench, folder, openVictoria, bodies);
      const prometheus = await used(bench, folder, openPrometheus, bodies);
      return {
        ours: `${Math.round(ours.now)} MB`,
        peer: `${Math.round(victoria.now)} / ${Math.round(prometheus.now)} MB`,
        pass: ours.now <= most,
        notes: [`VmRSS after the last push; the most at any time: ${Math.round(ours.peak)} MB`],
      };
    }),
};

export const metricsFigures: readonly Figure[] = [...pushFigures, ...askFigures, memory];

async function used(
  bench: Bench,
  folder: string,
  open: Opener,
  bodies: BodyFile,
): Promise<{ now: number; peak: number }> {
  const pusher = openPusher();
  const server = await open(bench, folder);
  try {
    await fillWith(pusher, server, bodies);
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1];
    return { now: residentMb(server.pid), peak: Number(peak) / 1024 };
  } finally {
    await server.stop();
    await pusher.close();
  }
}
