// The desired state of a machine: how each call changes its handle. Nothing here touches the engine.
import type { Device, MachineSize, MachineSpec } from '../engine.ts';
import type { PowerState } from '../load.ts';
import { type DockerDevice, type DockerMachine, diskOf, stateOf } from './handles.ts';

const maxPowerChanges = 128;

export const created = ({ id, hostname, cores, ram }: MachineSpec, now: number): DockerMachine => ({
  engine: 'docker',
  id,
  hostname,
  cores,
  ram,
  boots: 0,
  graceMs: 0,
  power: [[now, 'SHUTOFF']],
  devices: [],
});

// The clocks of two nodes may differ, but no change is earlier than the one before it.
export function powered(machine: DockerMachine, state: PowerState, now: number): DockerMachine {
  if (stateOf(machine) === state) return machine;
  const at = Math.max(now, machine.power.at(-1)?.[0] ?? 0);
  return {
    ...machine,
    power: [...machine.power, [at, state] as DockerMachine['power'][number]].slice(-maxPowerChanges),
  };
}

export const booted = (machine: DockerMachine, now: number): DockerMachine => ({
  ...powered(machine, 'RUNNING', now),
  boots: machine.boots + 1,
});

export function attached(machine: DockerMachine, { id, kind, disk, boot = false, mac }: Device): DockerMachine {
  const { volume = null, images = [] } = disk ? diskOf(disk) : {};
  const device: DockerDevice = { id, kind, boot, mac: mac ?? null, volume, images };
  const others = machine.devices.map((one) => (boot ? { ...one, boot: false } : one));
  const isKnown = others.some((one) => one.id === id);
  const devices = isKnown ? others.map((one) => (one.id === id ? device : one)) : [...others, device];
  return { ...machine, devices };
}

export const detached = (machine: DockerMachine, deviceId: string): DockerMachine => ({
  ...machine,
  devices: machine.devices.filter(({ id }) => id !== deviceId),
});

export const resized = (machine: DockerMachine, { cores, ram, hostname }: MachineSize): DockerMachine => ({
  ...machine,
  cores,
  ram,
  hostname: hostname ?? machine.hostname,
});

// The boot volume of the machine, if it has one.
export const bootDevice = ({ devices }: DockerMachine): DockerDevice | undefined =>
  devices.find(({ boot, volume }) => boot && volume !== null);
