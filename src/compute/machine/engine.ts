// The interfaces of machine and disk engines. A handle is the desired state of a machine or disk: plain data that the
// caller keeps in the row of the server or volume, so a restarted process or another node continues with it. Most
// methods only return the next handle. `apply` makes the real machine or disk match a handle; the steps of operations
// and a reconciler call it, so it must be idempotent. The caller decides what is allowed.
import type { Duplex } from 'node:stream';
import type { Values } from '../../base/json.ts';
import type { Loads, PowerState, Usage } from './load.ts';
import type { UserDataFormat } from './userdata.ts';

export type MachineHandle = Values;
export type DiskHandle = Values;

export interface MachineSpec {
  id: string; // of the server
  hostname: string;
  cores: number;
  ram: number; // MB
}

export interface MachineSize {
  cores: number;
  ram: number; // MB
  hostname?: string; // a new one applies from the next boot
}

export interface Device {
  id: string; // of the volume, image or NIC
  kind: 'volume' | 'cdrom' | 'nic';
  disk?: DiskHandle; // of a volume or CD-ROM
  boot?: boolean; // the machine boots from it, and from no other
  mac?: string; // of a NIC
}

export interface MachineFacts {
  state: PowerState;
  since: number; // the begin of the state
  boots: number;
  cores: number;
  ram: number;
  hostname: string;
  devices: { id: string; kind: Device['kind']; boot: boolean }[];
}

export type TimedLines = readonly { at: number; text: string }[];

export interface Abilities {
  realTime: boolean; // its machines run in real time: a jump of the region's clock counts as idle
  measuresUsage: boolean; // `usage` is measured, and the lab sets no loads
  terminal: boolean; // `open` works
  hotPlugVolumes: boolean; // a running machine sees an attached volume; otherwise from its next boot on
  hotPlugNics: boolean;
  liveResize: boolean; // a running machine gets cores and memory
  suspend: boolean;
}

// A change of a machine's power that was not requested from the engine.
export interface MachineEvent {
  id: string; // of the server
  boots: number; // the number of the boot that ended
  state: 'SHUTOFF' | 'CRASHED' | 'REBOOTING'; // REBOOTING: its system requests a reboot
  at: number;
  reason: string; // in plain words
}

export interface TerminalSize {
  columns: number;
  rows: number;
}

export interface OpenOptions {
  command?: readonly string[]; // absent: a login shell
  user?: string; // absent: root
  size?: TerminalSize; // with a terminal of this size; absent: a pipe that carries raw bytes
}

// A process in a machine. The duplex is its input and output; its output ends before `exitCode` resolves.
export interface MachineStream {
  duplex: Duplex;
  errors: NodeJS.ReadableStream; // the error output; with a terminal it is part of the output, and this one is empty
  resize(size: TerminalSize): Promise<void>;
  exitCode: Promise<number>;
}

export interface NicAddress {
  id: string; // of the NIC
  mac: string | null;
  ips: string[];
}

export interface MachineEngine {
  readonly name: string; // its name in handles and settings
  readonly abilities: Abilities; // probed when the engine was opened
  // Makes the real machine match the handle, and resolves when it does: booted, stopped, suspended, resized. Throws a
  // Fault with the reason in plain words; the caller applies the previous handle, or destroys a new machine.
  apply(handle: MachineHandle): void | Promise<void>;
  // Reports each change of power that came from inside a machine or from outside the region, within two seconds.
  // Returns a function that ends the reports.
  watch(listener: (event: MachineEvent) => void): () => void;
  // The handle after such a change; undefined: the handle knows it, or is newer.
  noticed(handle: MachineHandle, event: MachineEvent): MachineHandle | undefined;
  // Starts a process in a running machine. A raw pipe to its sshd is `['/usr/sbin/sshd', '-i']`; a pipe to a port is
  // `connectCommand(port)`.
  open(handle: MachineHandle, options: OpenOptions): Promise<MachineStream>;
  // A command that connects its input and output with a port of 127.0.0.1 inside the machine.
  connectCommand(port: number): readonly string[];
  // The actual addresses of the machine's NICs.
  addresses(handle: MachineHandle): NicAddress[] | Promise<NicAddress[]>;
  // Without power and without devices.
  create(spec: MachineSpec): MachineHandle | Promise<MachineHandle>;
  // No effect on a machine that runs or is suspended.
  start(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  // Asks the system to shut down and cuts the power after `graceMs`.
  stop(handle: MachineHandle, graceMs: number): MachineHandle | Promise<MachineHandle>;
  // Reboots in every state.
  reset(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  // Only a running machine is suspended, and only a suspended one resumes, without a boot.
  suspend(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  resume(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  // Replaces an attached device, for example to change the boot device or its content.
  attach(handle: MachineHandle, device: Device): MachineHandle | Promise<MachineHandle>;
  detach(handle: MachineHandle, deviceId: string): MachineHandle | Promise<MachineHandle>;
  resize(handle: MachineHandle, size: MachineSize): MachineHandle | Promise<MachineHandle>;
  describe(handle: MachineHandle): MachineFacts | Promise<MachineFacts>;
  // The usage between two times. `loads` are those that the lab set; an engine that measures ignores them.
  usage(handle: MachineHandle, loads: Loads, from: number, to: number): Usage | Promise<Usage>;
  // The text of the screen at that time; old lines are dropped.
  console(handle: MachineHandle, now: number): string | Promise<string>;
  // The same line by line, with their times, which never change.
  consoleLines(handle: MachineHandle, now: number): TimedLines | Promise<TimedLines>;
  // When the region starts: finds the machines again and returns their current handles, in the same order (those that
  // died are CRASHED or SHUTOFF).
  adopt(handles: readonly MachineHandle[]): MachineHandle[] | Promise<MachineHandle[]>;
  destroy(handle: MachineHandle): void | Promise<void>;
  // Destroys each machine of this region that `named` does not name. The engine lists its machines first: one that is
  // created in the meantime is not touched.
  sweep(named: Named): void | Promise<void>;
  close?(): Promise<void>;
}

// The ids (of machines or of stored disks) that rows or pending operations name.
export type Named = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

export type DiskSource =
  | { from: 'blank' }
  // names: the aliases or names by which a real engine finds its image; the first that it has counts.
  | { from: 'image'; id: string; name: string; sizeGb?: number; names?: readonly string[] }
  | { from: 'disk'; disk: DiskHandle }; // a snapshot or another volume

// Data for the first boot of a system.
export interface FirstBoot {
  hostname?: string; // if the machine has none
  sshKeys?: readonly string[];
  passwordHash?: string; // as in /etc/shadow
  userData?: string; // base64
}

export interface DiskFacts {
  sizeGb: number;
  bootable: boolean;
  image: { id: string; name: string } | null; // of its first content
  prepared: { hostname: string; format: UserDataFormat | null; sshKeys: number; hasPassword: boolean } | null;
  bootedBy: string | null; // the machine that consumed the prepared data
}

export interface ImageProgress {
  what: string; // the current step: 'pull', 'prepare'
  done: number; // bytes
  total: number; // bytes, 0 if unknown
}

export interface DiskEngine {
  readonly name: string;
  // Makes sure that the disk exists with its content. An existing disk is unchanged.
  apply(handle: DiskHandle): void | Promise<void>;
  // Fetches and prepares an image before a disk needs it: an alias of the catalogue or a name that the engine knows.
  prepareImage(name: string, report: (progress: ImageProgress) => void): Promise<void>;
  create(source: DiskSource, sizeGb: number): DiskHandle | Promise<DiskHandle>;
  // Disks only grow: a smaller size is refused, here as in `create` and `restore`, since it would truncate content.
  resize(handle: DiskHandle, sizeGb: number): DiskHandle | Promise<DiskHandle>;
  // An independent disk with the current content: a snapshot or a clone.
  copy(handle: DiskHandle): DiskHandle | Promise<DiskHandle>;
  // The content becomes that of the other disk; the size stays.
  restore(handle: DiskHandle, from: DiskHandle): DiskHandle | Promise<DiskHandle>;
  // Sets the data of the first boot, replacing unused data. It can't be read from the handle.
  prepare(handle: DiskHandle, data: FirstBoot): DiskHandle | Promise<DiskHandle>;
  // A machine has booted from the disk and consumed the prepared data.
  booted(handle: DiskHandle, machineId: string): DiskHandle | Promise<DiskHandle>;
  describe(handle: DiskHandle): DiskFacts | Promise<DiskFacts>;
  remove(handle: DiskHandle): void | Promise<void>;
  // Removes each stored disk of this region that `named` does not name, like that of machines.
  sweep(named: Named): void | Promise<void>;
}
