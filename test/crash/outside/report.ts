// The table of the proof: for each kill which lanes were interrupted and for how long, and the totals of all lanes.
import type { Victim } from '../../harness/outside/set.ts';
import type { Attempt, Lane, Tally } from './lane.ts';

export interface Kill {
  victim: Victim;
  from: number; // ms since the start of the run
  servesAt: number; // the victim serves again
  to: number; // the next kill
}

const shownMs = 1000; // shorter interruptions are not listed

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

export function killLine(number: number, kill: Kill, lanes: readonly Lane[]): string {
  const { victim, from, servesAt, to } = kill;
  const parts = lanes.flatMap((lane) => {
    const [gap, failures] = [lane.longestGap(from, to), lane.failures(from, to)];
    if (gap < shownMs && failures.length === 0) return [];
    return [`${lane.work.name} ${seconds(gap)} s${statusesOf(failures)}`];
  });
  return `${number}. ${victim.name}, back after ${seconds(servesAt - from)} s: ${parts.join('; ') || 'nothing'}`;
}

function statusesOf(failures: readonly Attempt[]): string {
  if (failures.length === 0) return '';
  const counts = Map.groupBy(failures, ({ status, isOwn }) => `${status || 'cut'}${isOwn ? '' : ' (balancer)'}`);
  return ` (${[...counts].map(([status, all]) => `${all.length} × ${status}`).join(', ')})`;
}

export function totalsTable(
  tallies: ReadonlyMap<Lane, Tally>,
  kills: readonly Kill[],
  usualGaps: ReadonlyMap<Lane, number>,
): string[] {
  const head =
    '| lane | acknowledged | unknown | of these stored | lost | doubled | gap without a kill | of a node | of any kill |';
  const rows = [...tallies].map(([lane, { acknowledged, unknown, kept, lost, doubled }]) => {
    const gap = (some: readonly Kill[]): string =>
      `${seconds(Math.max(0, ...some.map(({ from, to }) => lane.longestGap(from, to))))} s`;
    const nodes = kills.filter(({ victim }) => victim.part === 'node');
    const isRead = lane.work.stored === undefined;
    const counts = [acknowledged, unknown, ...(isRead ? ['', '', ''] : [kept, lost.length, doubled.length])];
    const usual = `${seconds(usualGaps.get(lane) ?? 0)} s`;
    return `| ${[lane.work.name, ...counts, usual, gap(nodes), gap(kills)].join(' | ')} |`;
  });
  return [head, '|---|---|---|---|---|---|---|---|---|', ...rows];
}
