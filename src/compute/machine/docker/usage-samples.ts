// Measured usage: samples of growing counters by the region's clock, and the usage between any two times by linear
// interpolation. Real time that passed between two samples counts; a jump of the region's clock counts as idle.
import type { PowerChange, Usage } from '../load.ts';

export interface Counters {
  cpuMs: number; // processor time of all cores
  inBytes: number;
  outBytes: number;
  inPackets: number;
  outPackets: number;
}

interface Sample extends Counters {
  at: number;
}

const mostSamples = 2048;
const jumpMs = 1000; // the allowed difference of the two clocks between two samples
const names = ['cpuMs', 'inBytes', 'outBytes', 'inPackets', 'outPackets'] as const;
const nothing: Counters = { cpuMs: 0, inBytes: 0, outBytes: 0, inPackets: 0, outPackets: 0 };

export interface StoredSamples {
  samples: Sample[];
  base: Counters;
  last: Counters;
  realAt: number;
}

export class UsageSamples {
  readonly #samples: Sample[];
  #base: Counters; // the sum of earlier boots
  #last: Counters; // the raw counters of this boot
  #realAt: number;

  constructor({ samples, base, last, realAt }: Partial<StoredSamples> = {}) {
    this.#samples = samples ?? [];
    this.#base = base ?? nothing;
    this.#last = last ?? nothing;
    this.#realAt = realAt ?? 0;
  }

  toJSON(): StoredSamples {
    return { samples: this.#samples, base: this.#base, last: this.#last, realAt: this.#realAt };
  }

  // `counted`: the counters of this boot, which begin at 0. `realAt`: a clock that the lab never moves.
  add(at: number, realAt: number, counted: Counters): void {
    if (names.some((name) => counted[name] < this.#last[name])) this.boot();
    this.#last = counted;
    const sum = plus(this.#base, counted);
    const before = this.#samples.at(-1);
    if (before && at - before.at > realAt - this.#realAt + jumpMs)
      this.#push({ ...before, at: Math.max(before.at, at - (realAt - this.#realAt)) });
    this.#push({ at: Math.max(at, before?.at ?? at), ...sum });
    this.#realAt = realAt;
  }

  // The counters start at 0 again.
  boot(): void {
    this.#base = plus(this.#base, this.#last);
    this.#last = nothing;
  }

  // The machine starts: the time until its first sample is measured, too.
  begin(at: number, realAt: number): void {
    this.boot();
    this.add(at, realAt, nothing);
  }

  usage(power: readonly PowerChange[], cores: number, fromMs: number, toMs: number): Usage {
    const [from, to] = [Math.trunc(fromMs), Math.trunc(toMs)];
    const [before, after] = [this.#countersAt(from), this.#countersAt(to)];
    const cpuMs = after.cpuMs - before.cpuMs;
    const between = (name: (typeof names)[number]): number => Math.floor(after[name]) - Math.floor(before[name]);
    return {
      from,
      to,
      runningMs: runningMs(power, from, to),
      cpuPercent: to > from ? Math.min(100, (cpuMs / (to - from) / cores) * 100) : 0,
      networkInBytes: between('inBytes'),
      networkOutBytes: between('outBytes'),
      networkInPackets: between('inPackets'),
      networkOutPackets: between('outPackets'),
    };
  }

  #push(sample: Sample): void {
    this.#samples.push(sample);
    if (this.#samples.length > mostSamples) this.#samples.splice(0, this.#samples.length - mostSamples);
  }

  #countersAt(at: number): Counters {
    const next = this.#samples.findIndex((sample) => sample.at > at);
    if (next === 0) return this.#samples[0] ?? nothing;
    const before = this.#samples.at(next < 0 ? -1 : next - 1);
    const after = next < 0 ? undefined : this.#samples[next];
    if (!before) return nothing;
    if (!after) return before;
    const part = (at - before.at) / (after.at - before.at);
    const between = (name: (typeof names)[number]): number => before[name] + (after[name] - before[name]) * part;
    return {
      cpuMs: between('cpuMs'),
      inBytes: between('inBytes'),
      outBytes: between('outBytes'),
      inPackets: between('inPackets'),
      outPackets: between('outPackets'),
    };
  }
}

const plus = (a: Counters, b: Counters): Counters => ({
  cpuMs: a.cpuMs + b.cpuMs,
  inBytes: a.inBytes + b.inBytes,
  outBytes: a.outBytes + b.outBytes,
  inPackets: a.inPackets + b.inPackets,
  outPackets: a.outPackets + b.outPackets,
});

function runningMs(power: readonly PowerChange[], from: number, to: number): number {
  let sum = 0;
  for (const [index, [begin, state]] of power.entries()) {
    const end = power[index + 1]?.[0] ?? to;
    if (state === 'RUNNING') sum += Math.max(0, Math.min(end, to) - Math.max(begin, from));
  }
  return sum;
}

// The parts of the engine's statistics that are used.
export interface EngineStats {
  cpu_stats?: { cpu_usage?: { total_usage?: number } };
  networks?: Record<string, { rx_bytes: number; tx_bytes: number; rx_packets: number; tx_packets: number }>;
}

export function countersOf({ cpu_stats, networks = {} }: EngineStats): Counters {
  const all = Object.values(networks);
  const sum = (name: 'rx_bytes' | 'tx_bytes' | 'rx_packets' | 'tx_packets'): number =>
    all.reduce((value, one) => value + one[name], 0);
  return {
    cpuMs: (cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e6,
    inBytes: sum('rx_bytes'),
    outBytes: sum('tx_bytes'),
    inPackets: sum('rx_packets'),
    outPackets: sum('tx_packets'),
  };
}
