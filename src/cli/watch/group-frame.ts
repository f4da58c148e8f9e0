// A group as text: one line, or a frame with curves of what was seen so far.
import type { Json, Values } from '../../base/json.ts';
import { bold, cyan, dim, green, table } from '../terminal.ts';

export interface Sample {
  replicas: number;
  value: number | null;
}

export const sampleOf = ({ replicas, value }: Values): Sample => ({
  replicas: Number(replicas),
  value: typeof value === 'number' ? value : null,
});

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

const actionText = ({ type, status }: Values): string => `${type} ${status}`;

export function lineOf(told: Values): string {
  const [action] = told.actions as Values[];
  const metric = `${rounded(told.value)}${unitOf(told)} (${told.scaleInThreshold} … ${told.scaleOutThreshold})`;
  const count = `${told.replicas} ${told.replicas === 1 ? 'replica' : 'replicas'} (${told.minReplicaCount} … ${told.maxReplicaCount})`;
  return [told.now, count, metric, action ? actionText(action) : ''].filter(Boolean).join('  ');
}

export function frameOf(told: Values, samples: readonly Sample[], columns: number): string {
  const width = Math.max(10, Math.min(100, columns) - 14);
  const most = Number(told.maxReplicaCount);
  const out = Number(told.scaleOutThreshold);
  const [replicas, values] = [samples.map((one) => one.replicas), samples.map((one) => one.value)];
  const lines = [
    `${bold(String(told.name))} ${dim(String(told.id))}  ${told.now}`,
    '',
    `replicas    ${bold(String(told.replicas))} of ${told.minReplicaCount} to ${told.maxReplicaCount}`,
    ...drawn(green, curve(replicas, most, width)),
    `metric      ${bold(rounded(told.value) + unitOf(told))} over ${told.range}; ${thresholds(told)}`,
    ...drawn(cyan, curve(values, out, width)),
    `            ${dim(String(told.metric))}`,
    ...waiting(told),
    '',
    ...serversOf(told),
    ...actionsOf(told),
  ];
  return lines.join('\n');
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

function actionsOf({ actions }: Values): string[] {
  const rows = (actions as Values[]).map(({ began, type, status, message }) => [
    String(began),
    String(type),
    String(status),
    String(message ?? ''),
  ]);
  return rows.length > 0 ? [table(['BEGAN', 'ACTION', 'STATUS', ''], rows)] : [];
}
