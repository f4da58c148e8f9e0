// The handles of machines and disks that run on Docker.
import type { Values } from '../../../base/json.ts';
import type { Device, DiskFacts, DiskHandle, MachineHandle } from '../engine.ts';
import type { PowerChange } from '../load.ts';

export type DockerDisk = {
  engine: 'docker';
  volume: string; // the id of the stored bytes; new content has a new id
  sizeGb: number;
  source: { from: 'blank' } | { from: 'image' } | { from: 'disk'; volume: string };
  images: string[]; // the names of the image of its first content, which its machines start with
  image: DiskFacts['image'];
  prepared: (NonNullable<DiskFacts['prepared']> & { id: string }) | null;
  seed: string | null; // the data of the first boot, encrypted with the region's key
  bootedBy: string | null;
};

export type DockerDevice = Pick<Device, 'id' | 'kind'> & {
  boot: boolean;
  mac: string | null;
  volume: string | null;
  images: string[];
};

export type DockerMachine = {
  engine: 'docker';
  id: string;
  hostname: string;
  cores: number;
  ram: number;
  boots: number;
  graceMs: number; // of the last stop
  power: PowerChange[]; // oldest first, bounded
  devices: DockerDevice[];
};

export const stateOf = ({ power }: DockerMachine): PowerChange[1] => power.at(-1)?.[1] ?? 'NOSTATE';

export const machineHandle = (machine: DockerMachine): MachineHandle => machine as Values;
export const diskHandle = (disk: DockerDisk): DiskHandle => disk as Values;

export function machineOf(handle: MachineHandle): DockerMachine {
  if (handle.engine !== 'docker') throw new Error(`a machine of the engine ${handle.engine} does not run on docker`);
  return handle as DockerMachine;
}

export function diskOf(handle: DiskHandle): DockerDisk {
  if (handle.engine !== 'docker') throw new Error(`a disk of the engine ${handle.engine} is not stored by docker`);
  return handle as DockerDisk;
}
