// Loki and VictoriaLogs, each started on free ports with a separate folder.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/testing/free-port.ts';
import { limits } from '../../../src/testing/limits.ts';
import { type Agent, startAgent, untilAnswered } from '../agents/process.ts';

export interface LogServer extends AsyncDisposable {
  url: string;
  agent: Agent;
  folder: string;
  stop(): Promise<void>;
}

type Settings = Record<string, unknown>;

// For comparing the language: nothing splits, shards or limits queries, and there is one tenant.
export const plainLoki: Settings = {
  auth_enabled: false,
  ingester: { lifecycler: { min_ready_duration: '0s', join_after: '0s', final_sleep: '0s' } },
  frontend: { encoding: 'protobuf' },
  querier: { query_ingesters_within: 0 },
  query_range: { cache_results: false, parallelise_shardable_queries: false, align_queries_with_step: false },
  query_scheduler: { max_outstanding_requests_per_tenant: 4096 },
  limits_config: {
    reject_old_samples: false,
    discover_service_name: [],
    discover_log_levels: false,
    split_queries_by_interval: 0,
    max_query_length: 0,
    allow_structured_metadata: true,
    unordered_writes: true,
  },
};

// With tenants by header, and without labels that it would add. `more` replaces whole sections.
export const lokiSettings = (folder: string, port: number, grpcPort: number, more: Settings = {}): Settings => ({
  auth_enabled: true,
  server: {
    http_listen_address: '127.0.0.1',
    http_listen_port: port,
    grpc_listen_address: '127.0.0.1',
    grpc_listen_port: grpcPort,
    log_level: 'warn',
  },
  common: {
    instance_addr: '127.0.0.1',
    path_prefix: folder,
    replication_factor: 1,
    ring: { kvstore: { store: 'inmemory' } },
    storage: { filesystem: { chunks_directory: join(folder, 'chunks'), rules_directory: join(folder, 'rules') } },
  },
  schema_config: {
    configs: [
      {
        from: '2020-01-01',
        store: 'tsdb',
        object_store: 'filesystem',
        schema: 'v13',
        index: { prefix: 'index_', period: '24h' },
      },
    ],
  },
  limits_config: {
    discover_service_name: [],
    discover_log_levels: false,
    allow_structured_metadata: true,
    volume_enabled: true,
    ingestion_rate_mb: 100,
    ingestion_burst_size_mb: 200,
    max_query_series: 100_000,
    max_label_names_per_series: 30,
  },
  query_range: { cache_results: false },
  analytics: { reporting_enabled: false },
  ...more,
});

export async function startLoki(program: string, more: Settings = {}): Promise<LogServer> {
  const folder = mkdtempSync(join(tmpdir(), 'loki-'));
  const [port, grpcPort] = [await freePort(), await freePort()];
  const file = join(folder, 'loki.yaml');
  writeFileSync(file, JSON.stringify(lokiSettings(folder, port, grpcPort, more))); // JSON is YAML too
  return started([program, `-config.file=${file}`], `http://127.0.0.1:${port}`, '/ready', folder);
}

export async function startVictoriaLogs(program: string, more: string[] = []): Promise<LogServer> {
  const folder = mkdtempSync(join(tmpdir(), 'victoria-logs-'));
  const port = await freePort();
  const flags = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, '-retentionPeriod=100d', ...more];
  return started([program, ...flags], `http://127.0.0.1:${port}`, '/health', folder);
}

async function started(command: string[], url: string, ready: string, folder: string): Promise<LogServer> {
  const agent = startAgent(command);
  const stop = async (): Promise<void> => {
    await agent.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilAnswered(`the server at ${url}`, async () => (await fetch(url + ready)).ok, limits.slowAgent);
  } catch (error) {
    const log = agent.log();
    await stop();
    throw new Error(`${command[0]} did not start: ${log.slice(-2000)}`, { cause: error });
  }
  return { url, agent, folder, stop, [Symbol.asyncDispose]: stop };
}
