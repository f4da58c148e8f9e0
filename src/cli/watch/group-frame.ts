// A group as text: one line, or a frame with curves of the samples so far.
import type { Json, Values } from '../../base/json.ts';
import { bold, cyan, dim, green, table } from '../../command/terminal.ts';

export interface Sample {
  replicas: number;
  value: number | null;
}

export const sampleOf = ({ replicas, value }: Values): Sample => ({
  replicas: Number(replicas),
  value: typeof value === 'number' ? value : null,
});

// The sample of an ended action; undefined: it changed nothing that is known.
export const sampleAfter = ({ to, value }: Values): Sample | undefined =>
  typeof to === 'number' ? { replicas: to, value: typeof value === 'number' ? value : null } : undefined;

const steps = '▁▂▃▄▅▆▇█';

// Each number as one of eight heights below `most`.
export function curve(numbers: readonly (number | null)[], most: number, width: number): string {
  const shown = numbers.slice(-width);
  const top = Math.max(most, ...shown.map((one) => one ?? 0)) || 1;
  return shown
    .map((one) => (one === null ? ' ' : (steps[Math.min(7, Math.floor((one / top) * 7.999))] ?? ' ')))
    .join('');
}

const rounded = (value: Json | undefined): string =>
  typeof value === 'number' ? String(Math.round(value * 100) / 100) : '–';

const unitOf = ({ metric, unit }: Values): string =>
  metric === 'INSTANCE_CPU_UTILIZATION_AVERAGE' ? '%' : ` ${String(unit).toLowerCase().replace('_', ' ')}`;

const actionText = ({ type, status, message }: Values): string =>
  `${type} ${status}${message === undefined ? '' : `: ${message}`}`;

export function lineOf(group: Values): string {
  const [action] = group.actions as Values[];
  return joined(group, String(group.now), countOf(group.replicas), group.value, action ? actionText(action) : '');
}

// An action, with its effect and its reason.
export function actionLine(group: Values, action: Values): string {
  const { began, from, to, value } = action;
  const count = from === to ? countOf(to) : `${from} → ${countOf(to)}`;
  return joined(group, String(began), to === undefined ? '' : count, value, actionText(action));
}

const countOf = (replicas: Json | undefined): string => `${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`;

function joined(group: Values, at: string, count: string, value: Json | undefined, action: string): string {
  const { minReplicaCount: least, maxReplicaCount: most, scaleInThreshold: low, scaleOutThreshold: high } = group;
  const metric = value === undefined ? '' : `${rounded(value)}${unitOf(group)} (${low} … ${high})`;
  return [at, count && `${count} (${least} … ${most})`, metric, action].filter(Boolean).join('  ');
}

const usualActions = 10;

export function frameOf(group: Values, samples: readonly Sample[], columns: number, rows = 0): string {
  const width = Math.max(10, Math.min(100, columns) - 14);
  const most = Number(group.maxReplicaCount);
  const out = Number(group.scaleOutThreshold);
  const [replicas, values] = [samples.map((one) => one.replicas), samples.map((one) => one.value)];
  const lines = [
    `${bold(String(group.name))} ${dim(String(group.id))}  ${group.now}`,
    '',
    `replicas    ${bold(String(group.replicas))} of ${group.minReplicaCount} to ${group.maxReplicaCount}`,
    ...drawn(green, curve(replicas, most, width)),
    `metric      ${bold(rounded(group.value) + unitOf(group))} over ${group.range}; ${thresholds(group)}`,
    ...drawn(cyan, curve(values, out, width)),
    `            ${dim(String(group.metric))}`,
    ...loadLines(group),
    ...waiting(group),
    '',
    ...serversOf(group),
  ];
  const height = lines.join('\n').split('\n').length + 2; // the head of the next table, and the cursor's line
  return [...lines, ...actionsOf(group, Math.max(usualActions, rows - height))].join('\n');
}

// The load that the lab has set for all replicas together.
const loads: Record<string, string> = {
  cpuPercent: '% CPU',
  networkInBytesPerSecond: ' bytes/s in',
  networkOutBytesPerSecond: ' bytes/s out',
  networkInPacketsPerSecond: ' packets/s in',
  networkOutPacketsPerSecond: ' packets/s out',
};

function loadLines({ load, replicas }: Values): string[] {
  const parts = Object.entries(load as Values).map(([name, value]) => `${rounded(value)}${loads[name] ?? ` ${name}`}`);
  const spread = replicas === 1 ? 'on one replica' : `spread over ${replicas} replicas`;
  return parts.length > 0 ? [`load        ${bold(parts.join(', '))} in all, ${spread}`] : [];
}

const drawn = (paint: (text: string) => string, line: string): string[] =>
  line.trim() === '' ? [] : [`            ${paint(line)}`];

const thresholds = ({ scaleInThreshold, scaleOutThreshold }: Values): string =>
  `in below ${scaleInThreshold}, out above ${scaleOutThreshold}`;

function waiting({ cooldownUntil, retryAt }: Values): string[] {
  if (typeof retryAt === 'string') return [`waits       tries again at ${retryAt}`];
  return typeof cooldownUntil === 'string' ? [`waits       cooldown until ${cooldownUntil}`] : [];
}

function serversOf({ servers }: Values): string[] {
  const rows = (servers as Values[]).map(({ name, server, state }) => [
    String(name),
    String(server ?? 'gone'),
    String(state),
  ]);
  return rows.length > 0 ? [table(['REPLICA', 'SERVER', 'STATE'], rows), ''] : [];
}

function actionsOf({ actions, ...group }: Values, most: number): string[] {
  const rows = (actions as Values[])
    .slice(0, most)
    .map(({ began, type, status, message, from, to, value }) => [
      String(began),
      String(type),
      String(status),
      to === undefined ? '' : `${from} → ${to}`,
      value === undefined ? String(message ?? '') : `${rounded(value)}${unitOf(group)}`,
    ]);
  return rows.length > 0 ? [table(['BEGAN', 'ACTION', 'STATUS', 'REPLICAS', 'WHY'], rows)] : [];
}
