// Measured usage: samples of growing counters by the region's clock, and the usage between any two times by linear
// interpolation. Real time that passed between two samples counts; a jump of the region's clock counts as idle.
import type { Counts, PortCounts } from '../../network/lan-interfaces.ts';
import type { PowerChange, Usage } from '../load.ts';

// As they are read: they begin at 0 with each boot, those of a port when its NIC is attached.
export interface Counted {
  cpuMs: number; // processor time of all cores
  ports?: PortCounts | undefined; // of the NICs; undefined: could not be read
}

interface Sample extends Counts {
  at: number;
  cpuMs: number;
}

const mostSamples = 2048;
const jumpMs = 1000; // the allowed difference of the two clocks between two samples
const traffic = ['inBytes', 'outBytes', 'inPackets', 'outPackets'] as const;
const nothing = { cpuMs: 0, inBytes: 0, outBytes: 0, inPackets: 0, outPackets: 0 };
const afterBoot = { cpuMs: 0, ports: {} };

export interface StoredSamples {
  samples: Sample[];
  last: Counted;
  realAt: number;
}

export class UsageSamples {
  readonly #samples: Sample[];
  #last: Counted;
  #realAt: number;

  constructor({ samples, last, realAt }: Partial<StoredSamples> = {}) {
    this.#samples = samples ?? [];
    this.#last = last ?? afterBoot;
    this.#realAt = realAt ?? 0;
  }

  toJSON(): StoredSamples {
    return { samples: this.#samples, last: this.#last, realAt: this.#realAt };
  }

  // `realAt`: a clock that the lab never moves.
  add(at: number, realAt: number, counted: Counted): void {
    const before = this.#samples.at(-1);
    const sum = this.#sum(before ?? nothing, counted);
    this.#last = { ...counted, ports: counted.ports ?? this.#last.ports };
    if (before && at - before.at > realAt - this.#realAt + jumpMs)
      this.#push({ ...before, at: Math.max(before.at, at - (realAt - this.#realAt)) });
    this.#push({ at: Math.max(at, before?.at ?? at), ...sum });
    this.#realAt = realAt;
  }

  // The machine starts: the time until its first sample is measured, too.
  begin(at: number, realAt: number): void {
    this.#last = afterBoot;
    this.add(at, realAt, afterBoot);
  }

  #sum({ cpuMs, inBytes, outBytes, inPackets, outPackets }: Omit<Sample, 'at'>, counted: Counted): Omit<Sample, 'at'> {
    const sum = { cpuMs: cpuMs + growth(this.#last.cpuMs, counted.cpuMs), inBytes, outBytes, inPackets, outPackets };
    for (const [port, counts] of Object.entries(counted.ports ?? {}))
      for (const name of traffic) sum[name] += growth(this.#last.ports?.[port]?.[name] ?? 0, counts[name]);
    return sum;
  }

  usage(power: readonly PowerChange[], cores: number, fromMs: number, toMs: number): Usage {
    const [from, to] = [Math.trunc(fromMs), Math.trunc(toMs)];
    const [before, after] = [this.#countersAt(from), this.#countersAt(to)];
    const cpuMs = after.cpuMs - before.cpuMs;
    const between = (name: (typeof traffic)[number]): number => Math.floor(after[name]) - Math.floor(before[name]);
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

  #countersAt(at: number): Omit<Sample, 'at'> {
    const next = this.#samples.findIndex((sample) => sample.at > at);
    if (next === 0) return this.#samples[0] ?? nothing;
    const before = this.#samples.at(next < 0 ? -1 : next - 1);
    const after = next < 0 ? undefined : this.#samples[next];
    if (!before) return nothing;
    if (!after) return before;
    const part = (at - before.at) / (after.at - before.at);
    const between = (name: 'cpuMs' | (typeof traffic)[number]): number =>
      before[name] + (after[name] - before[name]) * part;
    return {
      cpuMs: between('cpuMs'),
      inBytes: between('inBytes'),
      outBytes: between('outBytes'),
      inPackets: between('inPackets'),
      outPackets: between('outPackets'),
    };
  }
}

// A counter that fell has restarted at 0.
const growth = (before: number, now: number): number => (now >= before ? now - before : now);

function runningMs(power: readonly PowerChange[], from: number, to: number): number {
  let sum = 0;
  for (const [index, [begin, state]] of power.entries()) {
    const end = power[index + 1]?.[0] ?? to;
    if (state === 'RUNNING') sum += Math.max(0, Math.min(end, to) - Math.max(begin, from));
  }
  return sum;
}

// The part of the engine's statistics that is used.
export interface EngineStats {
  cpu_stats?: { cpu_usage?: { total_usage?: number } };
}

export const cpuMsOf = ({ cpu_stats }: EngineStats): number => (cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e6;
