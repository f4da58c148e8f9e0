// The load of a simulated machine's processor and network, as a timeline of changes that the lab sets. Usage is its
// integral over the time the machine ran, so every node computes the same usage for any past minute. Bytes and packets
// are counted against absolute time: adjacent intervals add up to the last byte.

// The platform's power states (`vmState`).
export type PowerState =
  | 'NOSTATE'
  | 'RUNNING'
  | 'BLOCKED'
  | 'PAUSED'
  | 'SHUTDOWN'
  | 'SHUTOFF'
  | 'CRASHED'
  | 'SUSPENDED';

export type Load = {
  cpuPercent: number; // of all cores together, 0 to 100
  networkInBytesPerSecond: number;
  networkOutBytesPerSecond: number;
  networkInPacketsPerSecond: number;
  networkOutPacketsPerSecond: number;
};

export type LoadStep = Load & { at: number };
export type Loads = readonly LoadStep[]; // in the order of time; each holds until the next
export type PowerChange = [at: number, state: PowerState];

export type Usage = {
  from: number;
  to: number;
  runningMs: number;
  cpuPercent: number; // on average over the whole time, 0 while it did not run
  networkInBytes: number;
  networkOutBytes: number;
  networkInPackets: number;
  networkOutPackets: number;
};

// The load before the first change, and the default of each value.
export const idleLoad: Load = {
  cpuPercent: 0.5,
  networkInBytesPerSecond: 200,
  networkOutBytesPerSecond: 100,
  networkInPacketsPerSecond: 2,
  networkOutPacketsPerSecond: 1,
};

// The time before the oldest kept change counts as idle.
const maxSteps = 256;
const bytesInPacket = 1000;

export type SentLoad = { [name in keyof Load]?: number | null };

// Bytes and packets of one direction are derived from each other if only one of them is set.
export function loadFrom(sent: SentLoad): Load {
  const direction = (bytes: 'networkInBytesPerSecond' | 'networkOutBytesPerSecond', packets: keyof Load): number[] => {
    const sentBytes = sent[bytes] ?? undefined;
    const sentPackets = sent[packets] ?? undefined;
    if (sentBytes === undefined && sentPackets === undefined) return [idleLoad[bytes], idleLoad[packets]];
    return [
      Math.round(sentBytes ?? Number(sentPackets) * bytesInPacket),
      Math.round(sentPackets ?? Math.ceil(Number(sentBytes) / bytesInPacket)),
    ];
  };
  const [inBytes = 0, inPackets = 0] = direction('networkInBytesPerSecond', 'networkInPacketsPerSecond');
  const [outBytes = 0, outPackets = 0] = direction('networkOutBytesPerSecond', 'networkOutPacketsPerSecond');
  return {
    cpuPercent: sent.cpuPercent ?? idleLoad.cpuPercent,
    networkInBytesPerSecond: inBytes,
    networkOutBytesPerSecond: outBytes,
    networkInPacketsPerSecond: inPackets,
    networkOutPacketsPerSecond: outPackets,
  };
}

// Applies from `at` on, or from the last change if that is later: reported usage must not change.
export function withLoad(loads: Loads, load: Load, at: number): Loads {
  const last = loads.at(-1);
  if (isSame(last ?? idleLoad, load)) return loads;
  const time = Math.max(at, last?.at ?? at);
  const before = last?.at === time ? loads.slice(0, -1) : loads;
  return [...before, { at: time, ...load }].slice(-maxSteps);
}

const isSame = (a: Load, b: Load): boolean =>
  (Object.keys(idleLoad) as (keyof Load)[]).every((name) => a[name] === b[name]);

export function loadAt(loads: Loads, at: number): Load {
  const { at: _, ...load } = loads.findLast((step) => step.at <= at) ?? { at: 0, ...idleLoad };
  return load;
}

export function usageOf(power: readonly PowerChange[], loads: Loads, from: number, to: number): Usage {
  const usage = nothing(Math.trunc(from), Math.trunc(to));
  let percentMs = 0;
  for (const [at, [begin, state]] of power.entries()) {
    if (state !== 'RUNNING') continue;
    const ran = { from: Math.max(begin, usage.from), to: Math.min(power[at + 1]?.[0] ?? usage.to, usage.to) };
    if (ran.from >= ran.to) continue;
    usage.runningMs += ran.to - ran.from;
    percentMs += use(usage, loads, ran.from, ran.to);
  }
  usage.cpuPercent = usage.to > usage.from ? percentMs / (usage.to - usage.from) : 0;
  return usage;
}

// The sum of the usage of two adjacent intervals.
export function joinUsages(first: Usage, second: Usage): Usage {
  const lasted = [first.to - first.from, second.to - second.from] as const;
  const percentMs = first.cpuPercent * lasted[0] + second.cpuPercent * lasted[1];
  return {
    from: first.from,
    to: second.to,
    runningMs: first.runningMs + second.runningMs,
    cpuPercent: lasted[0] + lasted[1] > 0 ? percentMs / (lasted[0] + lasted[1]) : 0,
    networkInBytes: first.networkInBytes + second.networkInBytes,
    networkOutBytes: first.networkOutBytes + second.networkOutBytes,
    networkInPackets: first.networkInPackets + second.networkInPackets,
    networkOutPackets: first.networkOutPackets + second.networkOutPackets,
  };
}

// Sums from the first change up to each of them, computed once for a timeline: usage costs the same for any interval.
interface Sums {
  percentMs: number;
  inBytes: number;
  outBytes: number;
  inPackets: number;
  outPackets: number;
}

const knownSums = new WeakMap<Loads, readonly Sums[]>();

function sumsOf(loads: Loads): readonly Sums[] {
  const known = knownSums.get(loads);
  if (known) return known;
  const sums: Sums[] = [];
  for (const [at, step] of loads.entries()) {
    const [before, last] = [loads[at - 1], sums[at - 1]];
    sums.push(before && last ? plus(last, before, before.at, step.at) : zero);
  }
  knownSums.set(loads, sums);
  return sums;
}

const zero: Sums = { percentMs: 0, inBytes: 0, outBytes: 0, inPackets: 0, outPackets: 0 };

const plus = (sums: Sums, load: Load, from: number, to: number): Sums => ({
  percentMs: sums.percentMs + load.cpuPercent * (to - from),
  inBytes: sums.inBytes + counted(load.networkInBytesPerSecond, from, to),
  outBytes: sums.outBytes + counted(load.networkOutBytesPerSecond, from, to),
  inPackets: sums.inPackets + counted(load.networkInPacketsPerSecond, from, to),
  outPackets: sums.outPackets + counted(load.networkOutPacketsPerSecond, from, to),
});

// From the first change until that time; before it, the idle time in between counts backwards. `last` is the index of
// the change that applies then.
function sumUntil(loads: Loads, last: number, at: number): Sums {
  const step = loads[last];
  const sums = sumsOf(loads)[last];
  return step && sums ? plus(sums, step, step.at, at) : plus(zero, idleLoad, loads[0]?.at ?? at, at);
}

// The index of the last entry that is not after that time, or -1.
export function lastUntil(entries: readonly { at: number }[], at: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.at ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function use(usage: Usage, loads: Loads, from: number, to: number): number {
  const [first, last] = [lastUntil(loads, from), lastUntil(loads, to)];
  const isOne = first === last; // between two changes: no sum can grow beyond the exact integers
  const before = isOne ? zero : sumUntil(loads, first, from);
  const after = isOne ? plus(zero, loads[last] ?? idleLoad, from, to) : sumUntil(loads, last, to);
  usage.networkInBytes += after.inBytes - before.inBytes;
  usage.networkOutBytes += after.outBytes - before.outBytes;
  usage.networkInPackets += after.inPackets - before.inPackets;
  usage.networkOutPackets += after.outPackets - before.outPackets;
  return after.percentMs - before.percentMs;
}

// floor(to × rate) − floor(from × rate), arranged so that no product exceeds the exact integers.
function counted(perSecond: number, from: number, to: number): number {
  const part = (at: number): number => Math.floor(((at % 1000) * perSecond) / 1000);
  return (Math.floor(to / 1000) - Math.floor(from / 1000)) * perSecond + part(to) - part(from);
}

const nothing = (from: number, to: number): Usage => ({
  from,
  to,
  runningMs: 0,
  cpuPercent: 0,
  networkInBytes: 0,
  networkOutBytes: 0,
  networkInPackets: 0,
  networkOutPackets: 0,
});
