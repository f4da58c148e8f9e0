// What every engine of machines and of disks must do, and nothing of how. Handles are plain data that the caller keeps
// in the row of the server or volume: a restarted process, or another node, goes on with them. Whether something is
// allowed is decided above. A method that is called again with the same handle has the same effect, because the step
// that called it is repeated after a crash.
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

export interface MachineEngine {
  // Without power and without devices.
  create(spec: MachineSpec): MachineHandle | Promise<MachineHandle>;
  // What runs or is suspended stays as it is.
  start(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  // Asks the system to end and takes the power away after that time; with no time, at once.
  stop(handle: MachineHandle, graceMs: number): MachineHandle | Promise<MachineHandle>;
  // It boots anew, whatever it did before.
  reset(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  // Only what runs is suspended, and only what is suspended goes on, without a boot.
  suspend(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  resume(handle: MachineHandle): MachineHandle | Promise<MachineHandle>;
  // A device that is there already is replaced: so a machine learns of another boot device or another content.
  attach(handle: MachineHandle, device: Device): MachineHandle | Promise<MachineHandle>;
  detach(handle: MachineHandle, deviceId: string): MachineHandle | Promise<MachineHandle>;
  resize(handle: MachineHandle, size: MachineSize): MachineHandle | Promise<MachineHandle>;
  describe(handle: MachineHandle): MachineFacts | Promise<MachineFacts>;
  // What it used in that time. `loads` is what the lab set; an engine that measures does not look at it.
  usage(handle: MachineHandle, loads: Loads, from: number, to: number): Usage | Promise<Usage>;
  // The text of its screen at that moment, what was long ago left out.
  console(handle: MachineHandle, now: number): string | Promise<string>;
  // After a restart: each handle as the machine is now (what died meanwhile is CRASHED), in the same order. Machines of
  // the engine that nobody hands in are ended.
  adopt(handles: readonly MachineHandle[]): MachineHandle[] | Promise<MachineHandle[]>;
  destroy(handle: MachineHandle): void | Promise<void>;
}

export type DiskSource =
  | { from: 'blank' }
  | { from: 'image'; id: string; name: string; sizeGb?: number }
  | { from: 'disk'; disk: DiskHandle }; // a snapshot or another volume

// What a system finds at its first boot.
export interface FirstBoot {
  hostname?: string; // where the machine has none
  sshKeys?: readonly string[];
  passwordHash?: string; // as in /etc/shadow
  userData?: string; // base64, of a format that userdata.ts knows
}

export interface DiskFacts {
  sizeGb: number;
  content: string; // the same text for the same content
  bootable: boolean;
  image: { id: string; name: string } | null; // what it all began with
  prepared: { hostname: string; format: UserDataFormat | null; sshKeys: number; hasPassword: boolean } | null;
  bootedBy: string | null; // the machine that took what was prepared
  lineage: { content: string; how: 'blank' | 'image' | 'prepared' | 'booted' | 'written' }[]; // oldest first
}

export interface DiskEngine {
  create(source: DiskSource, sizeGb: number): DiskHandle | Promise<DiskHandle>;
  // Disks grow: a smaller size is refused, here as in `create` and `restore`, since it would cut content off.
  resize(handle: DiskHandle, sizeGb: number): DiskHandle | Promise<DiskHandle>;
  // A disk of its own with the content of this moment: a snapshot, a clone.
  copy(handle: DiskHandle): DiskHandle | Promise<DiskHandle>;
  // The content becomes that of the other disk; the size stays.
  restore(handle: DiskHandle, from: DiskHandle): DiskHandle | Promise<DiskHandle>;
  // Hands data to the first boot, instead of what was prepared and not taken. Nothing of it can be read in the handle.
  prepare(handle: DiskHandle, data: FirstBoot): DiskHandle | Promise<DiskHandle>;
  // A machine has booted from it and taken what was prepared.
  booted(handle: DiskHandle, machineId: string): DiskHandle | Promise<DiskHandle>;
  describe(handle: DiskHandle): DiskFacts | Promise<DiskFacts>;
  remove(handle: DiskHandle): void | Promise<void>;
}
