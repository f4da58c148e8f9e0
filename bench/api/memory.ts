// Resident memory of a region: idle, and after requests for many different resources.
import { pause, residentMb } from '../harness/children.ts';
import { type Figure, grouped, type Measured } from '../harness/figure.ts';
import { fill } from '../harness/fill.ts';
import { launchRegion, startRegion, withFolder } from '../harness/region.ts';

const idleMost = 100;
const usedMost = 200;

export const memory: Figure = {
  name: 'memory',
  title: 'resident memory idle / after 200,000 random GETs over 1,000,000 resources',
  peer: 'nothing',
  demanded: `≤ ${idleMost} MB / ${usedMost} MB`,
  measure: (bench) =>
    withFolder(async (folder): Promise<Measured> => {
      const [resources, gets] = bench.quick ? [20_000, 20_000] : [1_000_000, 200_000];
      const idle = await idleMemory(`${folder}/empty`);
      const lines = await fill({ resources }, `${folder}/full`);
      const region = await startRegion({ data: `${folder}/full` });
      try {
        const [before = '', after = ''] = region.text({ path: '@' }).split('@');
        const requests = { before, lines, after, seed: 1 };
        const load = { port: region.port, connections: 16, requests, warmMs: 0, durationMs: 120_000, count: gets };
        const report = await bench.loader.run(load);
        const used = residentMb(region.pid);
        const notes = [`VmRSS, ${grouped(report.accepted)} answers 200 over ${grouped(resources)} resources`];
        if (report.bad) notes.push(`${report.bad} answers were not 2xx`);
        return {
          ours: `${Math.round(idle)} MB / ${Math.round(used)} MB`,
          peer: '',
          pass: idle <= idleMost && used <= usedMost && report.bad === 0 && report.accepted >= gets,
          notes,
        };
      } finally {
        await region.stop();
      }
    }),
};

// Without a login, because hashing a password takes memory.
async function idleMemory(data: string): Promise<number> {
  const region = await launchRegion({ data });
  try {
    await pause(5000);
    return residentMb(region.pid);
  } finally {
    await region.stop();
  }
}
