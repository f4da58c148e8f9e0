// A real Prometheus: as an agent that scrapes and pushes, or as a server that receives pushes and answers queries.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/testing/free-port.ts';
import { limits } from '../../../src/testing/limits.ts';
import { type Api, apiAt } from './api.ts';
import { startAgent, untilAnswered } from './process.ts';

export interface PrometheusOptions {
  program: string;
  settings?: (address: string) => string; // its configuration, which may contain its own address
  args?: string[];
}

export interface Prometheus extends AsyncDisposable {
  url: string;
  api: Api;
  log(): string;
  configure(settings: string): Promise<void>;
  figures(): Promise<Figures>;
}

export interface Figures {
  sum(name: string, having?: string): number; // over all series of that name whose labels hold this text
}

export async function startPrometheus({ program, settings, args = [] }: PrometheusOptions): Promise<Prometheus> {
  const address = `127.0.0.1:${await freePort()}`;
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-prometheus-'));
  mkdirSync(join(folder, 'data'));
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, settings?.(address) ?? 'global: {}\n');
  const own = [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`];
  const agent = startAgent([program, ...own, ...args]);
  const url = `http://${address}`;
  const text = async (path: string, method = 'GET'): Promise<string> => {
    const response = await fetch(url + path, { method, signal: AbortSignal.timeout(limits.agent) });
    const body = await response.text();
    if (!response.ok) throw new Error(`${url}${path}: ${response.status} ${body}`);
    return body;
  };
  const stop = async (): Promise<void> => {
    await agent.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const started: Prometheus = {
    url,
    api: apiAt(url),
    log: agent.log,
    async configure(next) {
      const before = figuresIn(await text('/metrics')).sum('prometheus_config_last_reload_success_timestamp_seconds');
      writeFileSync(file, next);
      agent.signal('SIGHUP');
      await untilAnswered('Prometheus has read its settings again', async () => {
        const now = figuresIn(await text('/metrics'));
        return now.sum('prometheus_config_last_reload_success_timestamp_seconds') > before;
      });
    },
    figures: async () => figuresIn(await text('/metrics')),
    [Symbol.asyncDispose]: stop,
  };
  try {
    await untilAnswered(`${program} is ready`, async () => (await text('/-/ready')) !== '');
    return started;
  } catch (error) {
    await stop();
    throw new Error(`${program} did not start:\n${agent.log()}`, { cause: error });
  }
}

function figuresIn(page: string): Figures {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return {
    sum: (name, having = '') =>
      lines
        .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
        .filter((line) => line.includes(having))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0),
  };
}

export interface Remote {
  url: string;
  key: string;
  keyAs: 'header' | 'authorization';
  version?: 1 | 2;
}

// Pushes as in its documentation, but scrapes twice a second and retries soon.
export function pushing(
  { url, key, keyAs, version }: Remote,
  targets: Record<string, string>,
  agentName: string,
): string {
  const credentials =
    keyAs === 'header' ? `    headers:\n      APIKEY: ${key}` : `    authorization:\n      credentials: ${key}`;
  const message = version === 2 ? '    protobuf_message: io.prometheus.write.v2.Request\n' : '';
  const jobs = Object.entries(targets).map(
    ([job, address]) => `  - job_name: ${job}\n    static_configs:\n      - targets: ['${address}']\n`,
  );
  return `global:
  scrape_interval: 500ms
  scrape_timeout: 500ms
  external_labels:
    agent: ${agentName}
${jobs.length > 0 ? 'scrape_configs:\n' : ''}${jobs.join('')}remote_write:
  - url: ${url}/api/v1/push
${credentials}
${message}    queue_config:
      batch_send_deadline: 500ms
      min_backoff: 30ms
      max_backoff: 250ms
`;
}
