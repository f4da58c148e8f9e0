// The servers that are compared: a pipeline of a region, and VictoriaLogs. Both take the same bodies; each is on the
// servers' core.
import { join } from 'node:path';
import { victoriaLogs } from '../../test/clients/logs/programs.ts';
import { call } from '../harness/call.ts';
import { end, freePort, pause, start, untilSo } from '../harness/children.ts';
import { type Bench, Skipped } from '../harness/figure.ts';
import { startRegion } from '../harness/region.ts';
import { profiled } from '../harness/sides.ts';
import { rareWord } from './bodies.ts';

export interface LogServer {
  name: string;
  port: number;
  pid: number;
  folder: string; // the stored lines
  push: { path: string; headers: Record<string, string> };
  rare(from: number, to: number): Promise<number>; // how many lines have the rare word
  pattern(pattern: string, from: number, to: number): Promise<number>; // how many lines match
  settle(): Promise<void>; // all pushed lines can be queried
  stop(): Promise<void>;
}

export type Opener = (bench: Bench, folder: string) => Promise<LogServer>;

const lokiPush = { 'Content-Type': 'application/x-protobuf', 'Content-Encoding': 'snappy' };

interface LokiAnswer {
  data: { result: { values?: string[][]; value?: [number, string] }[] };
}

export const openOurs: Opener = async (bench, folder) => {
  const region = await startRegion({ data: join(folder, 'ours'), ...profiled(bench) });
  const { port } = region;
  try {
    const logs = [{ source: 'generic', tag: 'bench', protocol: 'http' }];
    const body = { properties: { name: 'bench', logs } };
    const made = await region.expect(202, { method: 'POST', path: '/logging/pipelines', body });
    const { id, properties } = JSON.parse(made.body) as {
      id: string;
      properties: { key: string; httpAddress: string };
    };
    await untilSo('the pipeline is AVAILABLE', async () =>
      (await region.expect(200, { path: `/logging/pipelines/${id}` })).body.includes('"AVAILABLE"'),
    );
    const { pathname } = new URL(properties.httpAddress);
    const authorization = `Bearer ${properties.key}`;
    const ask = async (path: string, parameters: Record<string, string>): Promise<LokiAnswer['data']['result']> => {
      const target = `${pathname}/loki/api/v1/${path}?${new URLSearchParams(parameters)}`;
      const { status, body: answer } = await call(port, { path: target, authorization });
      if (status !== 200) throw new Error(`${status} ${answer}`);
      return (JSON.parse(answer) as LokiAnswer).data.result;
    };
    return {
      name: 'ours',
      port,
      pid: region.pid,
      folder: join(folder, 'ours/logs'),
      push: { path: `${pathname}/loki/api/v1/push`, headers: { ...lokiPush, Authorization: authorization } },
      async rare(from, to) {
        const range = { start: String(from / 1000), end: String(to / 1000), limit: '100' };
        const found = await ask('query_range', { query: `{tag="bench"} |= "${rareWord}"`, ...range });
        return found.reduce((sum, { values }) => sum + (values?.length ?? 0), 0);
      },
      async pattern(pattern, from, to) {
        const seconds = Math.round((to - from) / 1000);
        const query = `sum(count_over_time({tag="bench"} |~ \`${pattern}\` [${seconds}s]))`;
        const [found] = await ask('query', { query, time: String(to / 1000) });
        return Number(found?.value?.[1] ?? 0);
      },
      settle: async () => {},
      stop: region.stop,
    };
  } catch (error) {
    await region.stop();
    throw error;
  }
};

export const openVictoria: Opener = async (_, folder) => {
  const found = await victoriaLogs();
  if (!found.path) throw new Skipped(found.skip);
  const port = await freePort();
  const data = join(folder, 'victoria-logs');
  const flags = [
    `-storageDataPath=${data}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-loggerLevel=ERROR',
    '-retentionPeriod=30d',
  ];
  const child = start('server', found.path, flags, { stdio: 'ignore' });
  await untilSo(`an answer of port ${port}`, async () => (await call(port, { path: '/health' })).status === 200);
  const ask = async (query: string, from: number, to: number): Promise<Record<string, string>[]> => {
    const times = { start: new Date(from).toISOString(), end: new Date(to).toISOString() };
    const path = `/select/logsql/query?${new URLSearchParams({ query, ...times })}`;
    const { status, body } = await call(port, { path });
    if (status !== 200) throw new Error(`${status} ${body}`);
    return body
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, string>);
  };
  return {
    name: 'victoria-logs',
    port,
    pid: child.pid ?? 0,
    folder: data,
    push: { path: '/insert/loki/api/v1/push?disable_message_parsing=1', headers: lokiPush },
    rare: async (from, to) => (await ask(`{tag="bench"} ${rareWord}`, from, to)).length,
    async pattern(pattern, from, to) {
      const [found] = await ask(`{tag="bench"} ~${JSON.stringify(pattern)} | stats count() lines`, from, to - 1);
      return Number(found?.lines ?? 0);
    },
    async settle() {
      await call(port, { path: '/internal/force_flush' });
      await call(port, { path: '/internal/force_merge' });
      await pause(5000);
    },
    stop: () => end(child, 60_000),
  };
};
