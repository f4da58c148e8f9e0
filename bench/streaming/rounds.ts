// The loads of clients: each returns a figure of one round.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jarsOf } from '../../src/streaming/engine/apache/install.ts';
import { tlsOf } from '../../test/clients/streaming/kcat.ts';
import { apacheKafka, kcat, pythonClient } from '../../test/clients/streaming/programs.ts';
import { propertiesOf } from '../../test/clients/streaming/tools.ts';
import { cpuSeconds, start, watchOthers, within } from '../harness/children.ts';
import { Skipped } from '../harness/figure.ts';
import type { Round } from '../harness/pair.ts';
import type { Server } from './servers.ts';

export interface Load {
  records: number;
  partitions: number;
  folder: string; // with the file of records
}

const limitMs = 300_000;
export const recordBytes = 100;

export function writeRecords(folder: string, records: number): void {
  const lines = Array.from({ length: records }, (_, at) => `${String(at).padStart(recordBytes, '0')}\n`);
  writeFileSync(join(folder, 'records'), lines.join(''));
}

// Records a second, as kcat sends them: acks=all.
export async function kcatProduces(server: Server, load: Load): Promise<Round> {
  const topic = await server.topic(load.partitions);
  const { round } = await kcatTimed(server, load, ['-P', '-t', topic, '-l', join(load.folder, 'records')]);
  return round;
}

// kcat pauses for a second whenever its queue of 100,000 records is full, and the faster brokers are, the more often:
// so here its queue has room for all of them.
const roomForAll = ['-X', 'queued.min.messages=1000000', '-X', 'queued.max.messages.kbytes=1000000'];

// Fills a topic first, which is not counted.
export async function kcatConsumes(server: Server, load: Load): Promise<Round> {
  const topic = await server.topic(load.partitions);
  await kcatTimed(server, load, ['-P', '-t', topic, '-l', join(load.folder, 'records')]);
  const all = ['-o', 'beginning', '-e', '-q', ...roomForAll];
  const { round, output } = await kcatTimed(server, load, ['-C', '-t', topic, ...all]);
  const expected = load.records * (recordBytes + 1);
  if (output !== expected) throw new Error(`read ${output} of ${expected} bytes`);
  return round;
}

async function kcatTimed(server: Server, load: Load, words: string[]): Promise<{ round: Round; output: number }> {
  const found = await kcat();
  if (!found.path) throw new Skipped(found.skip);
  return timed(server, load.records, [found.path, ...tlsOf(server.place), ...words]);
}

export async function javaProduces(server: Server, load: Load): Promise<Round> {
  const topic = await server.topic(load.partitions);
  const settings = ['--producer.config', properties(server, load), '--throughput', '-1'];
  const amount = ['--num-records', String(load.records), '--record-size', String(recordBytes)];
  const { text, round } = await java(server, load, 'org.apache.kafka.tools.ProducerPerformance', [
    ...['--topic', topic, ...settings, ...amount, '--producer-props', 'acks=all', 'batch.size=65536', 'linger.ms=5'],
    `bootstrap.servers=${server.place.bootstrap}`,
  ]);
  const [rate] = [...text.matchAll(/([\d.]+) records\/sec/g)].slice(-1).map((match) => Number(match[1]));
  return { ...round, value: rate ?? Number.NaN };
}

export async function javaConsumes(server: Server, load: Load): Promise<Round> {
  const topic = await server.topic(load.partitions);
  await kcatTimed(server, load, ['-P', '-t', topic, '-l', join(load.folder, 'records')]);
  const { text, round } = await java(server, load, 'org.apache.kafka.tools.ConsumerPerformance', [
    ...['--topic', topic, '--messages', String(load.records), '--consumer.config', properties(server, load)],
    ...['--bootstrap-server', server.place.bootstrap, '--timeout', '60000'],
  ]);
  const columns = text.trim().split('\n').at(-1)?.split(',') ?? [];
  return { ...round, value: Number(columns[9]) }; // records a second while fetching
}

// Milliseconds from the send of one record to its receipt.
export async function latencies(server: Server, records: number): Promise<number[]> {
  const python = await pythonClient('confluent-kafka');
  if (!python.path) throw new Skipped(python.skip);
  const topic = await server.topic(1);
  const words = [join(import.meta.dirname, 'latency.py'), JSON.stringify(server.place), topic, String(records)];
  const { text } = await timed(server, records, [python.path, ...words]);
  return JSON.parse(text) as number[];
}

function properties(server: Server, { folder }: Load): string {
  const path = join(folder, `client-${server.pid}.properties`);
  writeFileSync(path, propertiesOf(server.place));
  return path;
}

async function java(server: Server, load: Load, tool: string, words: string[]) {
  const kafka = await apacheKafka();
  if (!kafka.path) throw new Skipped(kafka.skip);
  const classPath = join(jarsOf(kafka.path), '*');
  return timed(server, load.records, ['java', '-Xmx512m', '-Dlog4j2.level=OFF', '-cp', classPath, tool, ...words]);
}

// One run of a client on the load's core. The value is records a second by the wall clock.
async function timed(server: Server, records: number, command: readonly string[]) {
  const [program = '', ...words] = command;
  const began = performance.now();
  const child = start('load', program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const foreign = watchOthers(server.pid, child.pid ?? 0);
  const [cpuBefore, chunks, errorChunks] = [cpuSeconds(server.pid), [] as Buffer[], [] as Buffer[]];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => errorChunks.push(chunk));
  let others = 0;
  const watch = setInterval(() => {
    others = foreign(); // the last reading before it ends, because its own time is lost with it
  }, 100);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const code = await within(limitMs, program, closed).finally(() => clearInterval(watch));
  const seconds = (performance.now() - began) / 1000;
  if (code !== 0)
    throw new Error(`${program} ended with ${code}: ${Buffer.concat(errorChunks).toString().slice(-500)}`);
  const spent = cpuSeconds(server.pid) - cpuBefore;
  const round: Round = { value: records / seconds, foreign: others, perCpuSecond: records / spent };
  const output = chunks.reduce((total, chunk) => total + chunk.length, 0);
  return { round, output, text: output < 10_000_000 ? Buffer.concat(chunks).toString() : '' };
}
