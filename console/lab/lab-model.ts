// The model of the lab's pages: jumps of the clock, new faults, loads and packets.

import type { Landscape } from '../compute/diagram/landscape.ts';
import { hasPorts, labPacketOf } from '../compute/reach/question.ts';
import type { Fault, Load, Packet } from './lab-api.ts';

type FormValues = Readonly<Record<string, string | number | boolean>>;

export const jumps: readonly (readonly [title: string, ms: number])[] = [
  ['1 minute', 60_000],
  ['10 minutes', 600_000],
  ['1 hour', 3_600_000],
  ['1 day', 86_400_000],
  ['7 days', 604_800_000],
  ['30 days', 2_592_000_000],
];

// A session ends after an hour without use, so a longer jump ends it.
export const sessionMs = 3_600_000;

// The milliseconds until a moment of `datetime-local`, or a text with the problem.
export function jumpTo(local: string, nowMs: number): number | string {
  const ms = Date.parse(local);
  if (Number.isNaN(ms)) return 'Choose a date and a time.';
  if (ms <= nowMs) return 'The clock can’t be moved back. Choose a later time.';
  return ms - nowMs;
}

// In the format of `datetime-local`, in the browser's time zone.
export function localText(ms: number): string {
  const zoneMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - zoneMs).toISOString().slice(0, 16);
}

export const usualSteps = ['create.*', 'change.*', 'remove.*', 'create.commit', 'remove.commit', '*'];

export const modes = [
  { const: 'fail', title: 'fails' },
  { const: 'stall', title: 'waits until the fault is removed' },
  { const: 'crash', title: 'ends the region’s process' },
] as const;

export function faultOf(values: FormValues, contract: number): Partial<Fault> {
  const { kind = '*', step = '*', mode = 'fail', times = 1, when = 'before', message, everybody } = values;
  return {
    kind: String(kind),
    step: String(step),
    mode: String(mode) as Fault['mode'],
    times: Number(times),
    when: String(when) as Fault['when'],
    ...(message !== undefined && { message: String(message) }),
    ...(everybody !== true && { contract }),
  };
}

export const loadOf = ({ cpuPercent, inKb, outKb }: FormValues): Load => ({
  ...(typeof cpuPercent === 'number' && { cpuPercent }),
  ...(typeof inKb === 'number' && { networkInBytesPerSecond: Math.round(inKb * 1000) }),
  ...(typeof outKb === 'number' && { networkOutBytesPerSecond: Math.round(outKb * 1000) }),
});

export function valuesOfLoad({
  cpuPercent,
  networkInBytesPerSecond: i,
  networkOutBytesPerSecond: o,
}: Load): FormValues {
  return {
    ...(typeof cpuPercent === 'number' && { cpuPercent }),
    ...(typeof i === 'number' && { inKb: i / 1000 }),
    ...(typeof o === 'number' && { outKb: o / 1000 }),
  };
}

export interface Sending {
  from: string; // the id of a NIC, or empty: the address
  fromAddress: string;
  to: string; // the id of a NIC, an address, or empty: the address
  toAddress: string;
  protocol: string;
  port: string;
  path: string; // of an HTTP request; empty: none
  count: string;
}

export const usualSending: Sending = {
  from: '',
  fromAddress: '203.0.113.7',
  to: '',
  toAddress: '',
  protocol: 'TCP',
  port: '443',
  path: '',
  count: '1',
};

export function packetOf(sending: Sending, landscape: Landscape): Packet {
  const { protocol, path, count } = sending;
  return {
    ...labPacketOf(sending, landscape),
    ...(protocol === 'TCP' && path !== '' && { http: { method: 'GET', path } }),
    ...(Number(count) > 1 && { count: Number(count), ...(hasPorts(protocol) && { sourcePortStep: 1 }) }),
  };
}

export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** at).toFixed(1))} ${units[at]}`;
}
