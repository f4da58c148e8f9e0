// The screen of a simulated machine, rendered from its events alone, so every node renders the same. A boot takes a
// second: its lines appear one after another, pause while the machine is suspended, and end when the power is cut.
import { iso } from '../../base/clock.ts';
import type { Device } from './engine.ts';
import type { UserDataFormat } from './userdata.ts';

export type FirstBootFacts = {
  hostname: string;
  keys: string[];
  sshKeys: number;
  format: UserDataFormat | null;
  hasPassword: boolean;
};

export type ConsoleEvent =
  | {
      at: number;
      what: 'boot';
      cores: number;
      ram: number;
      hostname: string;
      from: { id: string; kind: Device['kind']; image: string } | null; // null: nothing to boot from
      first: FirstBootFacts | null; // the data that this boot consumed
    }
  | { at: number; what: 'attached' | 'detached'; id: string; kind: Device['kind'] }
  | { at: number; what: 'halted' | 'cut' | 'suspended' | 'resumed' };

type Boot = ConsoleEvent & { what: 'boot' };
export type Line = { at: number; text: string };
type BootLine = [ms: number, text: string]; // since the boot

const formatWords: Record<UserDataFormat, string> = {
  'cloud-config': 'cloud config (#cloud-config): its modules ran',
  script: 'a script (#!): it ran',
  shellscript: 'a script (Content-Type: text/x-shellscript): it ran',
  include: 'a list of addresses (#include): they were read',
  'upstart-job': 'an Upstart job: it was installed',
  unhandled: 'of an unknown format',
};

export function consoleText(events: readonly ConsoleEvent[], lostEvents: boolean, now: number): string {
  return consoleLines(events, now).reduce(append, lostEvents ? '(earlier lines were dropped)\n' : '');
}

// Sorted by time.
export function consoleLines(events: readonly ConsoleEvent[], now: number): Line[] {
  const lines: Line[] = [];
  let booted = events[0]?.at ?? 0;
  for (const [place, event] of events.entries()) {
    if (event.what === 'boot') {
      booted = event.at;
      lines.push(...asItRan(bootLines(event), event.at, events.slice(place + 1)));
    } else lines.push(...eventLines(event, booted));
  }
  return lines.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
}

// The lines of a boot, at the times that result from later events.
function asItRan(lines: BootLine[], booted: number, later: readonly ConsoleEvent[]): Line[] {
  const end = later.find(({ what }) => what === 'boot' || what === 'halted' || what === 'cut')?.at;
  const timed = lines.map(([ms, text]) => ({ at: passed(booted + ms, later), text }));
  return timed.filter(({ at }) => end === undefined || at <= end);
}

function passed(at: number, later: readonly ConsoleEvent[]): number {
  let time = at;
  for (const [place, event] of later.entries()) {
    if (event.what !== 'suspended' || event.at >= time) continue;
    const resumed = later.slice(place + 1).find(({ what }) => what === 'resumed');
    time += (resumed?.at ?? Number.POSITIVE_INFINITY) - event.at;
  }
  return time;
}

// A prompt leaves its line open.
const append = (before: string, { text }: Line): string => {
  if (before === '') return text.trimStart();
  return before.endsWith('\n') ? before + text : `${before}\n${text}`;
};

function bootLines({ at, cores, ram, hostname, from, first }: Boot): BootLine[] {
  const line = (ms: number, text: string): BootLine => [ms, stamped(ms, text)];
  const lines: BootLine[] = [
    [0, `\n${iso(at)} power on\n`],
    line(0, `firmware: ${count(cores, 'core')}, ${ram} MB of memory`),
  ];
  if (!from) return [...lines, line(100, 'firmware: no bootable device')];
  lines.push(
    line(100, `firmware: booting from ${nameOf(from.kind)} ${from.id}`),
    line(300, `kernel: ${from.image} starts on ${count(cores, 'processor')}`),
  );
  if (from.kind === 'cdrom') return [...lines, line(800, 'installer: waits for its answers')];
  for (const [ms, text] of first ? firstLines(first) : [[600, 'nothing new to do'] as const])
    lines.push(line(ms, `cloud-init: ${text}`));
  return [...lines, [1000, `\n${from.image} ${hostname} ttyS0\n\n${hostname} login: `]];
}

function firstLines({ hostname, keys, sshKeys, format, hasPassword }: FirstBootFacts): BootLine[] {
  const lines: BootLine[] = [
    [500, 'first boot with this data'],
    [550, `the hostname is ${hostname}`],
  ];
  if (hasPassword) lines.push([600, 'password set for root']);
  if (sshKeys > 0) lines.push([650, `${count(sshKeys, 'SSH key')} installed for root`]);
  for (const key of keys) lines.push([650, `  ${key}`]);
  if (sshKeys > keys.length) lines.push([650, `  and ${sshKeys - keys.length} more`]);
  const userData = format ? formatWords[format] : 'empty';
  lines.push([800, `user data is ${userData}`]);
  if (format === 'unhandled') lines.push([850, 'warning: unhandled user data']);
  return [...lines, [900, 'done']];
}

function eventLines(event: Exclude<ConsoleEvent, Boot>, booted: number): Line[] {
  const line = (text: string): Line => ({ at: event.at, text: stamped(event.at - booted, text) });
  switch (event.what) {
    case 'attached':
    case 'detached':
      return [line(`kernel: ${nameOf(event.kind)} ${event.id} ${event.what}`)];
    case 'halted':
      return [line('system: all services ended'), line('kernel: power down')];
    case 'suspended':
    case 'resumed':
      return [line(`kernel: ${event.what}`)];
    case 'cut':
      return []; // no system is running that could log it
  }
}

const stamped = (ms: number, text: string): string => `[${(ms / 1000).toFixed(3).padStart(10)}] ${text}\n`;
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
const nameOf = (kind: Device['kind']): string => ({ volume: 'volume', cdrom: 'CD-ROM', nic: 'NIC' })[kind];
