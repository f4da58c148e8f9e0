// The servers that store what the products keep: an S3 store, a metric server and a log server.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { parse } from 'yaml';
import { freePort } from '../../../src/testing/free-port.ts';
import { lokiSettings } from '../../clients/logs/servers.ts';
import { answersAt, Server } from './server.ts';

export interface Engine {
  address: string; // for the option of `up`
  server: Server;
}

// Prometheus and Loki run with the settings of the kit.
const kit = parse(readFileSync(join(import.meta.dirname, '../../../kit/container/compose-outside.yaml'), 'utf8'), {
  merge: true,
}) as { services: { metrics: { command: string[] } }; configs: Record<'metrics' | 'logs', { content: string }> };

const [key, secret, bucket] = ['cumulet', 'cumulet-secret', 'cumulet'];

export async function startMinio(program: string, folder: string): Promise<Engine> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = new Server({
    name: 'MinIO',
    folder,
    command: [program, 'server', '--quiet', '--address', `127.0.0.1:${port}`, folder],
    env: { MINIO_ROOT_USER: key, MINIO_ROOT_PASSWORD: secret, MINIO_BROWSER: 'off' },
    isReady: answersAt(`${url}/minio/health/ready`),
  });
  await server.start();
  const credentials = { accessKeyId: key, secretAccessKey: secret };
  const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return { address: `s3+http://${key}:${secret}@127.0.0.1:${port}/${bucket}`, server };
}

// Prometheus answers a push when its log has it. VictoriaMetrics keeps the newest seconds in its memory.
export async function startPrometheus(program: string, folder: string): Promise<Engine> {
  const port = await freePort();
  const file = `${folder}.yaml`;
  writeFileSync(file, kit.configs.metrics.content);
  const flags = kit.services.metrics.command.map((flag) =>
    flag.replace('/etc/metrics.yaml', file).replace('/prometheus', folder),
  );
  const more = [`--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'];
  return started('Prometheus', [program, ...flags, ...more], folder, port, '/-/ready', 'prometheus');
}

export async function startVictoriaMetrics(program: string, folder: string): Promise<Engine> {
  const port = await freePort();
  const flags = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, '-search.latencyOffset=0s'];
  const more = ['-retentionPeriod=12', '-search.disableCache'];
  return started('VictoriaMetrics', [program, ...flags, ...more], folder, port, '/health', 'prometheus');
}

// Loki answers a push when its log has it. VictoriaLogs keeps the newest seconds in its memory.
export async function startLoki(program: string, folder: string): Promise<Engine> {
  const [port, grpcPort] = [await freePort(), await freePort()];
  const settings = parse(kit.configs.logs.content.replaceAll('/loki', folder)) as Record<string, unknown>;
  const { server } = lokiSettings(folder, port, grpcPort);
  const file = `${folder}.yaml`;
  writeFileSync(file, JSON.stringify({ ...settings, server }));
  return started('Loki', [program, `-config.file=${file}`], folder, port, '/ready', 'loki');
}

export async function startVictoriaLogs(program: string, folder: string): Promise<Engine> {
  const port = await freePort();
  const flags = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, '-retentionPeriod=100d'];
  const command = [program, ...flags, '-inmemoryDataFlushInterval=1s'];
  return started('VictoriaLogs', command, folder, port, '/health', 'victorialogs');
}

async function started(
  name: string,
  command: string[],
  folder: string,
  port: number,
  ready: string,
  scheme: string,
): Promise<Engine> {
  const url = `http://127.0.0.1:${port}`;
  const server = new Server({ name, folder, command, isReady: answersAt(url + ready) });
  await server.start();
  return { address: `${scheme}+${url}`, server };
}
