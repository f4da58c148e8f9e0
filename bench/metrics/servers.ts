// The servers that are compared: a pipeline of a region, Debian's prometheus and Debian's victoria-metrics. All take
// the same bodies and answer the same questions; each is on the servers' core.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { prometheus, victoriaMetrics } from '../../test/clients/agents/programs.ts';
import { call, requestText } from '../harness/call.ts';
import { end, freePort, pause, start, untilSo } from '../harness/children.ts';
import { type Bench, Skipped } from '../harness/figure.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { profiled } from '../harness/sides.ts';

export interface MetricServer {
  name: string;
  port: number;
  pid: number;
  folder: string; // the stored samples
  push: { path: string; headers: Record<string, string> };
  query(parameters: Record<string, string>): string; // the text of a request for query_range
  settle(): Promise<void>; // all pushed samples can be queried, and are on the disk in their final form
  stop(): Promise<void>;
  region?: Region;
}

export type Opener = (bench: Bench, folder: string) => Promise<MetricServer>;

const remoteWrite = {
  'Content-Type': 'application/x-protobuf',
  'Content-Encoding': 'snappy',
  'X-Prometheus-Remote-Write-Version': '0.1.0',
};

export const openOurs: Opener = async (bench, folder) => {
  const region = await startRegion({ data: join(folder, 'ours'), ...profiled(bench) });
  try {
    const body = { properties: { name: 'bench' } };
    const made = await region.call({ method: 'POST', path: '/monitoring/pipelines', body });
    if (made.status === 404) throw new Skipped('the region has no metric pipelines');
    if (made.status >= 300) throw new Error(`no pipeline: ${made.status} ${made.body}`);
    const { id, metadata } = JSON.parse(made.body) as { id: string; metadata: { key: string; httpEndpoint: string } };
    await untilSo('the pipeline is AVAILABLE', async () => {
      const { body: shown } = await region.expect(200, { path: `/monitoring/pipelines/${id}` });
      return shown.includes('"AVAILABLE"');
    });
    const { pathname } = new URL(metadata.httpEndpoint);
    const authorization = `Bearer ${metadata.key}`;
    return {
      name: 'ours',
      port: region.port,
      pid: region.pid,
      folder: join(folder, 'ours/metrics'),
      push: { path: `${pathname}/api/v1/push`, headers: { ...remoteWrite, Authorization: authorization } },
      query: (parameters) =>
        requestText(region.port, { path: `${pathname}/api/v1/query_range?${form(parameters)}`, authorization }),
      settle: () => untilSteady(join(folder, 'ours/metrics')),
      stop: region.stop,
      region,
    };
  } catch (error) {
    await region.stop();
    throw error;
  }
};

export const openPrometheus: Opener = async (_, folder) => {
  const found = await prometheus();
  if (!found.path) throw new Skipped(found.skip);
  const port = await freePort();
  const data = join(folder, 'prometheus');
  mkdirSync(data);
  const child = start(
    'server',
    found.path,
    [
      '--config.file=/dev/null',
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  await untilAnswers(port, '/-/ready');
  return {
    name: 'prometheus',
    port,
    pid: child.pid ?? 0,
    folder: data,
    push: { path: '/api/v1/write', headers: remoteWrite },
    query: (parameters) => requestText(port, { path: `/api/v1/query_range?${form(parameters)}` }),
    settle: () => untilSteady(data),
    stop: () => end(child, 60_000),
  };
};

export const openVictoria: Opener = async (_, folder) => {
  const found = await victoriaMetrics();
  if (!found.path) throw new Skipped(found.skip);
  const port = await freePort();
  const data = join(folder, 'victoria-metrics');
  const child = start(
    'server',
    found.path,
    [`-storageDataPath=${data}`, `-httpListenAddr=127.0.0.1:${port}`, '-loggerLevel=ERROR', '-retentionPeriod=12'],
    { stdio: 'ignore' },
  );
  await untilAnswers(port, '/health');
  return {
    name: 'victoria-metrics',
    port,
    pid: child.pid ?? 0,
    folder: data,
    push: { path: '/api/v1/write', headers: remoteWrite },
    // It would cache answers, but the cache is not compared.
    query: (parameters) => requestText(port, { path: `/api/v1/query_range?${form({ ...parameters, nocache: '1' })}` }),
    async settle() {
      await call(port, { path: '/internal/force_flush' });
      await call(port, { path: '/internal/force_merge' });
      await untilSteady(data);
    },
    stop: () => end(child, 60_000),
  };
};

const form = (parameters: Record<string, string>): string => new URLSearchParams(parameters).toString();

// The bytes of a folder, without caches that only make a start faster.
export function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  const output = execFileSync('du', ['--summarize', '--bytes', '--exclude=cache', folder]).toString();
  return Number(output.split('\t')[0]);
}

// Merging continues for a while after the last sample: it has ended when the folder no longer changes.
async function untilSteady(folder: string): Promise<void> {
  const [eachMs, enough] = [500, 10];
  let last = -1;
  let same = 0;
  for (let tries = 0; same < enough && tries < 240; tries++) {
    const bytes = bytesIn(folder);
    same = bytes === last ? same + 1 : 0;
    last = bytes;
    await pause(eachMs);
  }
}

const untilAnswers = (port: number, path: string): Promise<void> =>
  untilSo(`an answer of port ${port}`, async () => (await call(port, { path })).status === 200);
