// A real Loki, all of it in one process, with its data in a folder of its own. What splits and shards queries or adds
// labels to lines is off: what is compared is the language.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startAgent, until } from '../agents/process.ts';

const startLimitMs = 120_000;

export interface Loki extends AsyncDisposable {
  url: string;
  log(): string;
}

export async function startLoki(program: string): Promise<Loki> {
  const [port, grpcPort] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-loki-'));
  const file = join(folder, 'loki.yaml');
  writeFileSync(file, settings(folder, port, grpcPort));
  const agent = startAgent([program, `-config.file=${file}`]);
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await agent.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const isReady = async (): Promise<boolean> => (await fetch(`${url}/ready`)).ok;
    await until(`${program} is ready`, isReady, startLimitMs);
    return { url, log: agent.log, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw new Error(`${program} did not start:\n${agent.log()}`, { cause: error });
  }
}

const settings = (folder: string, port: number, grpcPort: number): string => `
auth_enabled: false
analytics: { reporting_enabled: false }
server: { http_listen_address: 127.0.0.1, http_listen_port: ${port}, grpc_listen_address: 127.0.0.1,
  grpc_listen_port: ${grpcPort}, log_level: warn }
common:
  path_prefix: ${folder}
  replication_factor: 1
  instance_addr: 127.0.0.1
  ring: { instance_addr: 127.0.0.1, kvstore: { store: inmemory } }
  storage: { filesystem: { chunks_directory: ${folder}/chunks, rules_directory: ${folder}/rules } }
ingester: { lifecycler: { min_ready_duration: 0s, join_after: 0s, final_sleep: 0s } }
frontend: { encoding: protobuf }
querier: { query_ingesters_within: 0 }
query_range: { cache_results: false, parallelise_shardable_queries: false, align_queries_with_step: false }
query_scheduler: { max_outstanding_requests_per_tenant: 4096 }
schema_config:
  configs:
    - { from: 2020-01-01, store: tsdb, object_store: filesystem, schema: v13, index: { prefix: index_, period: 24h } }
limits_config:
  reject_old_samples: false
  discover_service_name: []
  discover_log_levels: false
  split_queries_by_interval: 0
  max_query_length: 0
  allow_structured_metadata: true
  unordered_writes: true
`;
