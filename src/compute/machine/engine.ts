// The interfaces of machine and disk engines. Handles are plain data that the caller keeps in the row of the server or
// volume, so a restarted process or another node continues with them. The caller decides what is allowed. Methods must
// be idempotent per handle, because the step that called them is repeated after a crash.
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
  hostname?: string; // another one, from the next boot on
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
  since: number; // when that began
  boots: number;
  cores: number;
  ram: number;
  hostname: string;
  devices: { id: string; kind: Device['kind']; boot: boolean }[];
}

export type TimedLines = readonly { at: number; text: string }[];

export interface MachineEngine {
  // Without power and without devices.
  create(spec: MachineSpec): MachineHandle | Promise<MachineHandle>;
  // No effect on a machine that runs or is suspended.
  start(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  // Asks the system to shut down and cuts the power after `graceMs`.
  stop(handle: MachineHandle, graceMs: number): MachineHandle | Promise<MachineHandle>;
  // Reboots, whatever its state.
  reset(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  // Only a running machine is suspended, and only a suspended one resumes, without a boot.
  suspend(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  resume(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  // Replaces an attached device: so a machine learns of another boot device or content.
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
  // After a restart: the current handle of each machine, in the same order (dead ones are CRASHED). Machines of the
  // engine that are not among them are destroyed.
  adopt(handles: readonly MachineHandle[]): MachineHandle[] | Promise<MachineHandle[]>;
  destroy(handle: MachineHandle): void | Promise<void>;
}

export type DiskSource =
  | { from: 'blank' }
  | { from: 'image'; id: string; name: string; sizeGb?: number }
  | { from: 'disk'; disk: DiskHandle }; // a snapshot or another volume

// Data for the first boot of a system.
export interface FirstBoot {
  hostname?: string; // where the machine has none
  sshKeys?: readonly string[];
  passwordHash?: string; // as in /etc/shadow
  userData?: string; // base64
}

export interface DiskFacts {
  sizeGb: number;
  content: string; // the same text for the same content
  bootable: boolean;
  image: { id: string; name: string } | null; // of its first content
  prepared: { hostname: string; format: UserDataFormat | null; sshKeys: number; hasPassword: boolean } | null;
  bootedBy: string | null; // the machine that consumed what was prepared
  lineage: { content: string; how: 'blank' | 'image' | 'prepared' | 'booted' | 'written' }[]; // oldest first
}

export interface DiskEngine {
  create(source: DiskSource, sizeGb: number): DiskHandle | Promise<DiskHandle>;
  // Disks only grow: a smaller size is refused, here as in `create` and `restore`, since it would truncate content.
  resize(handle: DiskHandle, sizeGb: number): DiskHandle | Promise<DiskHandle>;
  // An independent disk with the current content: a snapshot or a clone.
  copy(handle: DiskHandle): DiskHandle | Promise<DiskHandle>;
  // The content becomes that of the other disk; the size stays.
  restore(handle: DiskHandle, from: DiskHandle): DiskHandle | Promise<DiskHandle>;
  // Sets the data of the first boot, replacing unused data. It can't be read from the handle.
  prepare(handle: DiskHandle, data: FirstBoot): DiskHandle | Promise<DiskHandle>;
  // A machine has booted from the disk and consumed what was prepared.
  booted(handle: DiskHandle, machineId: string): DiskHandle | Promise<DiskHandle>;
  describe(handle: DiskHandle): DiskFacts | Promise<DiskFacts>;
  remove(handle: DiskHandle): void | Promise<void>;
}
