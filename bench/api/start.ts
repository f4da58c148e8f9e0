// The time of a start: from the spawn to the first answer that reports ready.
import { connect } from 'node:net';
import { end, freePort, pause, start as startChild, watchOthers } from '../harness/children.ts';
import { atMost, type Figure, Skipped, time } from '../harness/figure.ts';
import { fill } from '../harness/fill.ts';
import { measurePairs, type Round, type Side } from '../harness/pair.ts';
import { motoServer } from '../harness/peers.ts';
import { spawnRegion, startRegion, withFolder } from '../harness/region.ts';

const startLimitMs = 60_000;

export const start: Figure = {
  name: 'start',
  title: 'second start to ready, empty',
  peer: 'moto_server to its first answer',
  demanded: '≤ 0.8',
  async measure(bench) {
    const moto = await motoServer();
    if ('missing' in moto) throw new Skipped(moto.missing);
    return withFolder(async (data) => {
      const ours = regionSide(data);
      const serve = (port: number): Child =>
        startChild('server', moto.python, [moto.program, '-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
      const peer: Side = { round: () => startTime('/', /^HTTP\/1\.1 \d/, serve) };
      await ours.round(); // the first start makes the data folder and the compile cache …
      await ours.round();
      await peer.round(); // … and Python its own
      return atMost(0.8, time, await measurePairs(ours, peer, bench.pairs), []);
    });
  },
};

export const startWithResources: Figure = {
  name: 'start-100k',
  title: 'start to ready with 100,000 resources',
  peer: 'an empty data folder',
  demanded: '≤ 1.5',
  measure: (bench) =>
    withFolder(async (folder) => {
      await fill({ resources: bench.quick ? 1000 : 100_000 }, `${folder}/full`);
      await (await startRegion({ data: `${folder}/empty` })).stop();
      const full = regionSide(`${folder}/full`);
      const empty = regionSide(`${folder}/empty`);
      await full.round();
      await empty.round();
      return atMost(1.5, time, await measurePairs(full, empty, bench.pairs), []);
    }),
};

const regionSide = (data: string): Side => ({
  round: () => startTime('/ready', /^HTTP\/1\.1 200 /, (port) => spawnRegion({ data }, port)),
});

type Child = ReturnType<typeof startChild>;

export async function startTime(path: string, good: RegExp, spawn: (port: number) => Child): Promise<Round> {
  const port = await freePort();
  const from = performance.now();
  const child = spawn(port);
  const others = watchOthers(child.pid ?? 0);
  child.stdout?.resume();
  child.stderr?.resume();
  try {
    for (;;) {
      const answer = await firstLine(port, path);
      const took = performance.now() - from;
      if (good.test(answer)) return { value: took, foreign: others() };
      if (took > startLimitMs) throw new Error(`no answer at ${path} within ${startLimitMs / 1000} s`);
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode} instead of answering`);
      await pause(1);
    }
  } finally {
    await end(child);
  }
}

// The first line of the server's answer; empty if it does not listen yet.
function firstLine(port: number, path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`));
    socket.setTimeout(10_000, () => socket.destroy());
    socket.once('data', (data: Buffer) => {
      resolve(data.toString('latin1'));
      socket.destroy();
    });
    socket.once('error', () => resolve(''));
    socket.once('close', () => resolve(''));
  });
}
