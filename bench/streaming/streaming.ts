// The suite of event streaming: the embedded broker against one node of Apache Kafka 4.0.0, with one copy of each
// record, both over mutual TLS, by the same clients.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { residentMb } from '../harness/children.ts';
import { atLeast, atMost, type Bench, type Figure, grouped, rate, time } from '../harness/figure.ts';
import { measurePairs, type Round } from '../harness/pair.ts';
import {
  javaConsumes,
  javaProduces,
  kcatConsumes,
  kcatProduces,
  type Load,
  latencies,
  writeRecords,
} from './rounds.ts';
import { openKafka, openOurs, type Server } from './servers.ts';

export const streamingNote =
  'neither side syncs before it acknowledges; one node of Apache Kafka 4.0.0 with a heap of 512 MB';

const peer = 'Apache Kafka 4.0.0, one node, replication 1';
const million = 1_000_000;

interface Sides {
  ours: Server;
  kafka: Server;
  load: Omit<Load, 'partitions'>;
}

// Both are started once for all figures, since Java needs minutes until it is compiled; the end of the run ends them.
let shared: Promise<Sides> | undefined;

function sidesOf(bench: Bench): Promise<Sides> {
  shared ??= openSides(bench.quick ? million / 10 : million);
  return shared;
}

async function openSides(records: number): Promise<Sides> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeRecords(folder, records);
  return { ours: await openOurs(folder), kafka: await openKafka(folder), load: { records, folder } };
}

type Run = (server: Server, load: Load) => Promise<Round>;

const throughput = (name: string, title: string, partitions: number, run: Run, pairs = 2): Figure => ({
  name: `${name}-${partitions}`,
  title: `${title}, 1,000,000 records of 100 bytes, ${partitions} ${partitions === 1 ? 'partition' : 'partitions'}`,
  peer,
  demanded: '≥ 1.00',
  async measure(bench) {
    const { ours, kafka, load } = await sidesOf(bench);
    const rounds = { ...load, partitions };
    for (const server of [ours, kafka]) await run(server, rounds);
    const side = (server: Server) => ({ round: () => run(server, rounds) });
    return atLeast(1, rate, await measurePairs(side(ours), side(kafka), bench.quick ? 1 : pairs), []);
  },
});

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

const latency = (share: number): Figure => ({
  name: `end-to-end-p${share * 100}`,
  title: `from send to receipt of one record of 100 bytes, acks=all, p${share * 100} of 2,000 (librdkafka)`,
  peer,
  demanded: '≤ 1.00',
  async measure(bench) {
    const { ours, kafka } = await sidesOf(bench);
    const records = bench.quick ? 200 : 2000;
    const side = (server: Server) => ({
      round: async (): Promise<Round> => ({ value: quantile(await latencies(server, records), share) }),
    });
    for (const server of [ours, kafka]) await latencies(server, records);
    return atMost(1, time, await measurePairs(side(ours), side(kafka), bench.quick ? 1 : 5), []);
  },
});

const available: Figure = {
  name: 'available',
  title: 'from POST of a cluster to AVAILABLE',
  peer: 'Apache Kafka 4.0.0, one node, from its format to its first topic',
  demanded: '≤ 0.10',
  async measure(bench) {
    const { ours, kafka } = await sidesOf(bench);
    const ratio = ours.startedMs / kafka.startedMs;
    return {
      ours: time(ours.startedMs),
      peer: time(kafka.startedMs),
      ratio: { median: ratio, min: ratio, max: ratio },
      pass: ratio <= 0.1,
      notes: ['one start of each'],
    };
  },
};

const memory: Figure = {
  name: 'memory',
  title: 'resident memory after all that; ours is the whole region',
  peer,
  demanded: '≤ 0.50',
  async measure(bench) {
    const { ours, kafka, load } = await sidesOf(bench);
    for (const server of [ours, kafka]) await kcatConsumes(server, { ...load, partitions: 6 });
    const [mine, theirs] = [residentMb(ours.pid), residentMb(kafka.pid)];
    return {
      ours: `${grouped(mine)} MB`,
      peer: `${grouped(theirs)} MB`,
      ratio: { median: mine / theirs, min: mine / theirs, max: mine / theirs },
      pass: mine / theirs <= 0.5,
      notes: ['VmRSS'],
    };
  },
};

export const streamingFigures: readonly Figure[] = [
  throughput('kcat-produce', 'kcat produces with acks=all', 1, kcatProduces),
  throughput('kcat-produce', 'kcat produces with acks=all', 6, kcatProduces),
  throughput('kcat-consume', 'kcat consumes', 1, kcatConsumes),
  throughput('kcat-consume', 'kcat consumes', 6, kcatConsumes),
  throughput('java-produce', "Apache Kafka's perf tool produces with acks=all", 1, javaProduces, 1),
  throughput('java-produce', "Apache Kafka's perf tool produces with acks=all", 6, javaProduces, 1),
  throughput('java-consume', "Apache Kafka's perf tool consumes", 1, javaConsumes, 1),
  latency(0.5),
  latency(0.99),
  available,
  memory,
];
