// The programs of a region on outside engines, which are built or unpacked once.
import { prometheus, victoriaMetrics } from '../../clients/agents/programs.ts';
import { debian } from '../../clients/debian.ts';
import type { Absent, Found } from '../../clients/install.ts';
import { loki, victoriaLogs } from '../../clients/logs/programs.ts';
import { minio } from '../../clients/storage/programs.ts';
import { apacheKafka } from '../../clients/streaming/programs.ts';

const libraries = ['liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1'];
const haproxy = (): Promise<Found | Absent> => debian('CUMULET_HAPROXY', 'haproxy', 'haproxy', libraries);

export interface Programs {
  haproxy: string;
  kafka: string;
  minio: string;
  metrics: string;
  logs: string;
  skip?: undefined;
}

// CUMULET_OUTSIDE=victoria-metrics,victoria-logs measures these instead of Prometheus and Loki. They keep the newest
// seconds in memory, so a killed one loses samples and lines that it has acknowledged.
const instead = (process.env.CUMULET_OUTSIDE ?? '').split(',');
export const isVictoria = { metrics: instead.includes('victoria-metrics'), logs: instead.includes('victoria-logs') };

export async function outsidePrograms(): Promise<Programs | Absent> {
  const found = {
    haproxy: await haproxy(),
    kafka: await apacheKafka(),
    minio: await minio(),
    metrics: await (isVictoria.metrics ? victoriaMetrics() : prometheus()),
    logs: await (isVictoria.logs ? victoriaLogs() : loki()),
  };
  for (const { skip } of Object.values(found)) if (skip !== undefined) return { skip };
  return Object.fromEntries(Object.entries(found).map(([name, { path }]) => [name, path])) as unknown as Programs;
}
