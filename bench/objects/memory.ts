// The most memory that a region has ever used while an object was put and got, by the object's size.
import { readFileSync } from 'node:fs';
import type { Bench, Figure, Measured } from '../harness/figure.ts';
import { withFolder } from '../harness/region.ts';
import { openCallLoader } from './load.ts';
import { bucket, openOurs } from './servers.ts';

const mb = 1024 * 1024;
const most = 250;
const sizes = [1, 256, 2048]; // MB
const atOnce = 2;

export const memory: Figure = {
  name: 'memory',
  title: `resident memory at its most while objects of ${sizes.join(' / ')} MB are put and got, ${atOnce} at once`,
  peer: 'nothing',
  demanded: `≤ ${most} MB each`,
  async measure(bench): Promise<Measured> {
    const peaks: number[] = [];
    for (const size of bench.quick ? sizes.slice(0, 2) : sizes) peaks.push(await peakWith(bench, size));
    return {
      ours: peaks.map((peak) => `${Math.round(peak)} MB`).join(' / '),
      peer: '',
      pass: peaks.every((peak) => peak <= most),
      notes: ['VmHWM, a separate region for each size'],
    };
  },
};

const peakWith = (bench: Bench, size: number): Promise<number> =>
  withFolder(async (folder) => {
    const loader = openCallLoader();
    const server = await openOurs(bench, folder);
    try {
      const { port, credentials } = server;
      const count = atOnce * Math.max(1, Math.ceil(64 / size));
      const order = { port, path: `/${bucket}/@`, numbers: { from: 0 }, connections: atOnce, count };
      const signed = { ...order, ...(credentials && { credentials }) };
      const put = await loader.run({ ...signed, method: 'PUT', bytes: size * mb, isLong: true });
      const got = await loader.run({ ...signed, method: 'GET' });
      if (put.bad + got.bad > 0) throw new Error(`${put.bad + got.bad} answers were not 2xx`);
      const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1];
      return Number(peak) / 1024;
    } finally {
      await server.stop();
      await loader.close();
    }
  });
