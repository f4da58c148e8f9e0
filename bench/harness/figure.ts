// One line of a suite's table: the measurement, its peer, and the demanded ratio.
import type { Loader } from './load.ts';
import type { Pairing, Spread } from './pair.ts';

export interface Bench {
  loader: Loader;
  quick: boolean; // a smoke run: the figures mean little
  pairs: number;
  roundMs: number;
  warmUpMs: number; // of each side, before the first pair
  profileFolder?: string; // regions under load write a CPU profile there
}

export interface Figure {
  name: string;
  title: string;
  peer: string;
  demanded: string;
  measure(bench: Bench): Promise<Measured>;
}

export interface Measured {
  ours: string;
  peer: string;
  ratio?: Spread;
  pass: boolean;
  judged?: false; // the machine can't decide it: the figure is shown, without a result
  noisy?: boolean; // others used the machine: not to be relied on
  notes: string[];
}

export class Skipped extends Error {}

export const rate = (perSecond: number): string => `${grouped(perSecond)}/s`;
export const time = (ms: number): string => (ms < 100 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);
export const grouped = (value: number): string => Math.round(value).toLocaleString('en-US');

export function atLeast(least: number, unit: (value: number) => string, pairing: Pairing, notes: string[]): Measured {
  return { ...drawn(unit, pairing, notes), pass: pairing.ratio.median >= least };
}

export function atMost(most: number, unit: (value: number) => string, pairing: Pairing, notes: string[]): Measured {
  return { ...drawn(unit, pairing, notes), pass: pairing.ratio.median <= most };
}

function drawn(unit: (value: number) => string, pairing: Pairing, notes: string[]): Omit<Measured, 'pass'> {
  const cpu = pairing.cpuRatio;
  const { pairs, disturbed, quiet } = pairing;
  const others = disturbed && quiet ? `, ${disturbed} more left out because others used the machine` : '';
  const loud = quiet
    ? []
    : [`others used the machine in ${disturbed} of ${pairs} pairs: measure again when it is quiet`];
  const byCpu = cpu ? [`by the servers' own CPU time the ratio is ${cpu.median.toFixed(2)}`] : [];
  return {
    ours: unit(pairing.ours.median),
    peer: unit(pairing.peer.median),
    ratio: pairing.ratio,
    noisy: !quiet,
    notes: [`${pairs} pairs${others}`, ...loud, ...byCpu, ...notes],
  };
}
