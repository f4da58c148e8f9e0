// Two sides measured in turns (A B A B …), so that what disturbs the machine disturbs both. The ratio is taken
// within each pair; the median over the pairs is the figure, and the spread shows how far to trust it. A pair in
// which others took much of the machine does not count, whatever came out of it.

export interface Round {
  value: number; // a rate or a time, in the same unit on both sides
  foreign?: number; // CPU time of other processes during that time, in cores
  perCpuSecond?: number; // work per second of the server's own CPU time
}

export interface Side {
  round(): Promise<Round>;
}

export interface Spread {
  median: number;
  min: number;
  max: number;
}

export interface Pairing {
  ours: Spread;
  peer: Spread;
  ratio: Spread; // ours / peer
  cpuRatio?: Spread;
  pairs: number;
  disturbed: number; // pairs left out; where too few were left, none are
  quiet: boolean;
}

interface Pair {
  ours: Round;
  peer: Round;
}

const foreignMost = 0.1;
const steadyShare = 0.05;

// At least `pairs` quiet ones; up to three times as many while others disturb or the ratios are far apart.
export async function measurePairs(ours: Side, peer: Side, pairs: number): Promise<Pairing> {
  const all: Pair[] = [];
  const calm: Pair[] = [];
  while (all.length < pairs || (all.length < 3 * pairs && (calm.length < pairs || !steady(calm)))) {
    const pair = { ours: await ours.round(), peer: await peer.round() };
    all.push(pair);
    if (Math.max(pair.ours.foreign ?? 0, pair.peer.foreign ?? 0) <= foreignMost) calm.push(pair);
  }
  const quiet = calm.length >= pairs;
  const used = quiet ? calm : all;
  const cpu = used.map((pair) => (pair.ours.perCpuSecond ?? Number.NaN) / (pair.peer.perCpuSecond ?? Number.NaN));
  return {
    ours: spread(used.map((pair) => pair.ours.value)),
    peer: spread(used.map((pair) => pair.peer.value)),
    ratio: spread(used.map(ratioOf)),
    ...(cpu.every(Number.isFinite) ? { cpuRatio: spread(cpu) } : {}),
    pairs: used.length,
    disturbed: all.length - calm.length,
    quiet,
  };
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: quantile(sorted, 0), max: quantile(sorted, 1) };
}

const ratioOf = ({ ours, peer }: Pair): number => ours.value / peer.value;

// Half of the ratios lie close together.
function steady(pairs: readonly Pair[]): boolean {
  const sorted = pairs.map(ratioOf).sort((a, b) => a - b);
  return quantile(sorted, 0.75) - quantile(sorted, 0.25) <= steadyShare * quantile(sorted, 0.5);
}

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return at % 1 === 0 ? low : low + (high - low) * (at % 1); // one may be infinite
}
