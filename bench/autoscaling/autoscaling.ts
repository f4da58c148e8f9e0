// The suite of auto scaling: one pass over many groups, in this process and its CPU time. The groups are copies of one
// that was created through the API, with its servers, their NICs and loads, and with its target group.
import { replicaState } from '../../src/autoscaling/group-row.ts';
import { groupPlace } from '../../src/autoscaling/scaler.ts';
import type { ScalingBench } from '../../src/autoscaling/testing.ts';
import { uuid } from '../../src/base/ids.ts';
import type { Values } from '../../src/base/json.ts';
import { pathOf } from '../../src/core/resource.ts';
import { type Row, rowOf, type Write } from '../../src/core/state/engine.ts';
import { groupIn, policy } from '../../src/testing/scaling-group.ts';
import { openBench } from '../../src/testing-scaling-bench.ts';
import { type Bench, type Figure, grouped, type Measured, time } from '../harness/figure.ts';

export const autoscalingNote = 'CPU time of this process; nothing is to be done for any group, as mostly';

const replicas = 10;
const usualSteps = 5; // changes of a server's load
const minuteMs = 60_000;
const atOnce = 100; // groups in one write set

// `steps`: changes of each server's load, a minute apart.
async function withGroups<T>(
  count: number,
  range: string,
  steps: number,
  work: (bench: ScalingBench) => Promise<T>,
): Promise<T> {
  await using bench = await openBench();
  bench.pass(1440 * minuteMs);
  const between = { ...policy, range, scaleInThreshold: 0, scaleOutThreshold: 100 };
  const named = { name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'HTTP' };
  const targets = await bench.create(bench.options.model.get('targetgroup'), named);
  const nics = [{ lan: 1, name: 'inside', targetGroup: { targetGroupId: targets.id, port: 80, weight: 1 } }];
  const replicaConfiguration = { ...groupIn('').replicaConfiguration, nics };
  const sizes = { minReplicaCount: replicas, maxReplicaCount: replicas, policy: between, replicaConfiguration };
  const first = await bench.addGroup({ ...groupIn(pathOf(bench.datacenter)), ...sizes } as unknown as Values);
  const loads = Array.from({ length: steps }, (_, at) => ({
    at: bench.now() - (steps - at) * minuteMs,
    cpuPercent: 20 + (at % 50),
    networkInBytesPerSecond: 1000 + at,
    networkOutBytesPerSecond: 1000,
    networkInPacketsPerSecond: 1,
    networkOutPacketsPerSecond: 1,
  }));
  const { contract } = first;
  const rows = await bench.store.children(contract, `${pathOf(first)}/servers`);
  const originals = await Promise.all(
    rows.map(async (replica): Promise<Original> => {
      const server = (await bench.store.get(contract, serversPlace(bench), replicaState(replica).server)) as Row;
      return { replica, server, nics: await bench.store.children(contract, `${pathOf(server)}/nics`) };
    }),
  );
  const joined = (await bench.store.get(contract, targets.place, targets.id)) as Row;
  const text = JSON.stringify(loads);
  for (let made = 1; made < count; made += atOnce) {
    const length = Math.min(atOnce, count - made);
    const copies = Array.from({ length }, () => copyOf(first, joined, originals, text));
    await bench.store.must(copies.flat());
  }
  return await work(bench);
}

interface Original {
  replica: Row;
  server: Row;
  nics: Row[];
}

const serversPlace = ({ datacenter }: ScalingBench & { datacenter?: Row }): string =>
  `${pathOf(datacenter as Row)}/servers`;

// A group with its own servers and target group, which have run for a day.
function copyOf(group: Row, joined: Row, originals: readonly Original[], loads: string): Write[] {
  const made = { ...group, id: uuid(), version: 1 };
  const targets = { ...joined, id: uuid(), version: 1 };
  const rows: Row[] = [made, targets];
  for (const { replica, server, nics } of originals) {
    const id = uuid();
    const { contract, place } = server;
    rows.push(
      { ...server, id, version: 1, hidden: server.hidden.replaceAll(server.id, id) },
      ...nics.map((nic) => ({ ...nic, version: 1, place: `${place}/${id}/nics` })),
      {
        ...replica,
        id: uuid(),
        version: 1,
        place: `${groupPlace}/${made.id}/servers`,
        hidden: replica.hidden.replaceAll(server.id, id).replaceAll(joined.id, targets.id),
      },
      rowOf({ contract, place: `${place}/${id}/load`, id: 'load', kind: 'load', body: loads }),
    );
  }
  return rows.map((row) => ({ op: 'insert', table: 'resource', row }));
}

// The median of several passes, each in another minute. The first one does not count: it compares all targets.
async function passMs(
  bench: ScalingBench,
  { quick }: Bench,
  before: () => Promise<void> = async () => undefined,
): Promise<number> {
  const times: number[] = [];
  await bench.scaler.run();
  for (let pass = 0; pass < (quick ? 2 : 7); pass++) {
    bench.pass(minuteMs);
    await before();
    const began = process.cpuUsage();
    await bench.scaler.run();
    const { user, system } = process.cpuUsage(began);
    times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

const measuredOf = (ours: string, peer: string, pass: boolean, notes: string[]): Measured => ({
  ours,
  peer,
  pass,
  notes,
});

const pass: Figure = {
  name: 'pass',
  title: 'one pass over 1,000 groups of 10 replicas, each evaluated over 10 minutes',
  peer: 'nothing',
  demanded: '≤ 1 s',
  async measure(bench) {
    const ms = await withGroups(1000, 'PT10M', usualSteps, (groups) => passMs(groups, bench));
    return measuredOf(time(ms), '–', ms <= 1000, [
      `${time(ms / 1000)} for a group, which is 10 servers with their loads and targets`,
    ]);
  },
};

const targets: Figure = {
  name: 'targets',
  title: 'the same pass after a change in the contract: the targets of all groups are compared with their NICs',
  peer: 'nothing',
  demanded: '≤ 2 s',
  async measure(bench) {
    const ms = await withGroups(1000, 'PT10M', usualSteps, (groups) => passMs(groups, bench, () => touch(groups)));
    return measuredOf(time(ms), '–', ms <= 2000, [
      `${time(ms / 1000)} for a group of 10 targets, at most every 10 seconds`,
    ]);
  },
};

// A change of the contract that means nothing to groups.
async function touch({ store, datacenter }: ScalingBench & { datacenter?: Row }): Promise<void> {
  const { contract, place, id } = datacenter as Row;
  const row = (await store.get(contract, place, id)) as Row;
  await store.must([{ op: 'update', table: 'resource', row }]);
}

const flat: Figure = {
  name: 'flat',
  title: 'the same for one group, among 10,000 groups of 10 replicas',
  peer: 'among 1,000 groups',
  demanded: '≤ 1.25',
  async measure(bench) {
    const [few, many] = bench.quick ? [200, 1000] : [1000, 10_000];
    const one = (await withGroups(few, 'PT10M', usualSteps, (groups) => passMs(groups, bench))) / few;
    const other = (await withGroups(many, 'PT10M', usualSteps, (groups) => passMs(groups, bench))) / many;
    const note = `the ratio is ${(other / one).toFixed(2)}, with ${grouped(many)} groups`;
    return measuredOf(`${other.toFixed(3)} ms`, `${one.toFixed(3)} ms`, other / one <= 1.25, [note]);
  },
};

const range: Figure = {
  name: 'range',
  title: 'one pass over 1,000 groups of 10 replicas, averages over 24 hours',
  peer: 'over 10 minutes',
  demanded: '≤ 1.10',
  async measure(bench) {
    const count = bench.quick ? 100 : 1000;
    const short = await withGroups(count, 'PT10M', 250, (groups) => passMs(groups, bench));
    const long = await withGroups(count, 'PT24H', 250, (groups) => passMs(groups, bench));
    const note = `the ratio is ${(long / short).toFixed(2)}; each server has 250 changes of its load`;
    return measuredOf(time(long), time(short), long / short <= 1.1, [note]);
  },
};

export const autoscalingFigures: readonly Figure[] = [pass, targets, flat, range];
