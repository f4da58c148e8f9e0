// Simulated machines: all state is in their handles; the engine has no process, timer or memory. A handle has the
// changes of the power state, the devices and the last events; console and usage are derived from those.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import type {
  Abilities,
  Device,
  DiskHandle,
  MachineEngine,
  MachineFacts,
  MachineHandle,
  MachineSpec,
  NicAddress,
} from './engine.ts';
import { type Loads, type PowerChange, type Usage, usageOf } from './load.ts';
import { type ConsoleEvent, consoleLines, consoleText, type FirstBootFacts } from './simulated-console.ts';
import { diskOf, type Prepared } from './simulated-disks.ts';

type Attached = {
  id: string;
  kind: Device['kind'];
  boot: boolean;
  image: string | null; // the name of the bootable image on it
  hostname: string; // assigned to its system
  prepared: Prepared | null; // the data that a boot would consume
};

type SimulatedMachine = {
  engine: 'simulated';
  id: string;
  hostname: string;
  cores: number;
  ram: number;
  boots: number;
  power: PowerChange[]; // oldest first; it counts as not running before them
  devices: Attached[];
  taken: string[]; // ids of consumed first-boot data, so that a reboot does not consume it again
  events: ConsoleEvent[];
  lostEvents: boolean; // there were earlier ones
};

const noTerminal = 'Simulated machines have no terminal. Start the region with --machines docker.';
const maxPowerChanges = 128;
const maxEvents = 32;
const maxTaken = 24;

const abilities: Abilities = {
  realTime: false,
  measuresUsage: false,
  terminal: false,
  hotPlugVolumes: true,
  hotPlugNics: true,
  liveResize: true,
  suspend: true,
};

export class SimulatedMachines implements MachineEngine {
  readonly name = 'simulated';
  readonly abilities = abilities;
  #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  apply(handle: MachineHandle): void {
    machineOf(handle);
  }

  // Nothing happens to a simulated machine by itself.
  watch(): () => void {
    return () => undefined;
  }

  noticed(): undefined {}

  async open(): Promise<never> {
    throw new Fault('refused', noTerminal, { code: '200' });
  }

  connectCommand(): never {
    throw new Fault('refused', noTerminal, { code: '200' });
  }

  addresses(handle: MachineHandle): NicAddress[] {
    const nics = machineOf(handle).devices.filter(({ kind }) => kind === 'nic');
    return nics.map(({ id }) => ({ id, mac: null, ips: [] }));
  }

  create({ id, hostname, cores, ram }: MachineSpec): MachineHandle {
    const power: PowerChange[] = [[this.#now(), 'SHUTOFF']];
    const made: SimulatedMachine = {
      engine: 'simulated',
      id,
      hostname: printable(hostname, 63),
      cores,
      ram,
      boots: 0,
      power,
      devices: [],
      taken: [],
      events: [],
      lostEvents: false,
    };
    return packed(made);
  }

  start(handle: MachineHandle): MachineHandle {
    const machine = machineOf(handle);
    const state = stateOf(machine);
    return state === 'RUNNING' || state === 'SUSPENDED' ? handle : packed(this.#boot(machine));
  }

  stop(handle: MachineHandle, graceMs: number): MachineHandle {
    const machine = machineOf(handle);
    const state = stateOf(machine);
    if (state === 'SHUTOFF') return handle;
    const at = this.#timeFor(machine);
    const isClean = state === 'RUNNING' && graceMs > 0;
    return packed(noted(powered(machine, at, 'SHUTOFF'), { at, what: isClean ? 'halted' : 'cut' }));
  }

  reset(handle: MachineHandle): MachineHandle {
    return packed(this.#boot(machineOf(handle)));
  }

  suspend(handle: MachineHandle): MachineHandle {
    const machine = machineOf(handle);
    if (stateOf(machine) !== 'RUNNING') return handle;
    const at = this.#timeFor(machine);
    return packed(noted(powered(machine, at, 'SUSPENDED'), { at, what: 'suspended' }));
  }

  resume(handle: MachineHandle): MachineHandle {
    const machine = machineOf(handle);
    if (stateOf(machine) !== 'SUSPENDED') return handle;
    const at = this.#timeFor(machine);
    return packed(noted(powered(machine, at, 'RUNNING'), { at, what: 'resumed' }));
  }

  attach(handle: MachineHandle, device: Device): MachineHandle {
    const machine = machineOf(handle);
    const attached = attachedOf(device);
    const known = machine.devices.some(({ id }) => id === device.id);
    const others = machine.devices.map((one) => (attached.boot ? { ...one, boot: false } : one));
    const devices = known ? others.map((one) => (one.id === device.id ? attached : one)) : [...others, attached];
    const next = { ...machine, devices };
    return packed(known ? next : this.#plugged(next, 'attached', attached));
  }

  detach(handle: MachineHandle, deviceId: string): MachineHandle {
    const machine = machineOf(handle);
    const found = machine.devices.find(({ id }) => id === deviceId);
    if (!found) return handle;
    const devices = machine.devices.filter((one) => one !== found);
    return packed(this.#plugged({ ...machine, devices }, 'detached', found));
  }

  resize(...[handle, size]: Parameters<MachineEngine['resize']>): MachineHandle {
    const machine = machineOf(handle);
    const hostname = size.hostname === undefined ? machine.hostname : printable(size.hostname, 63);
    return packed({ ...machine, cores: size.cores, ram: size.ram, hostname });
  }

  describe(handle: MachineHandle): MachineFacts {
    const { power, boots, cores, ram, hostname, devices } = machineOf(handle);
    const [since, state] = power.at(-1) ?? [0, 'NOSTATE'];
    const shown = devices.map(({ id, kind, boot }) => ({ id, kind, boot }));
    return { state, since, boots, cores, ram, hostname, devices: shown };
  }

  usage(handle: MachineHandle, loads: Loads, from: number, to: number): Usage {
    return usageOf(machineOf(handle).power, loads, from, to);
  }

  console(handle: MachineHandle, now: number): string {
    const { events, lostEvents } = machineOf(handle);
    return consoleText(events, lostEvents, now);
  }

  consoleLines(handle: MachineHandle, now: number): { at: number; text: string }[] {
    return consoleLines(machineOf(handle).events, now);
  }

  // None of them can have died.
  adopt(handles: readonly MachineHandle[]): MachineHandle[] {
    return handles.map((handle) => packed(machineOf(handle)));
  }

  destroy(handle: MachineHandle): void {
    machineOf(handle);
  }

  sweep(): void {}

  #boot(machine: SimulatedMachine): SimulatedMachine {
    const at = this.#timeFor(machine);
    const from = machine.devices.find((one) => one.boot && one.image !== null);
    const { prepared = null } = from ?? {};
    const isFirst = prepared !== null && !machine.taken.includes(prepared.id);
    const hostname = machine.hostname || from?.hostname || 'localhost';
    const event: ConsoleEvent = {
      at,
      what: 'boot',
      cores: machine.cores,
      ram: machine.ram,
      hostname,
      from: from ? { id: from.id, kind: from.kind, image: from.image ?? '' } : null,
      first: isFirst ? firstOf(prepared, hostname) : null,
    };
    const taken = isFirst ? [...machine.taken, prepared.id].slice(-maxTaken) : machine.taken;
    return noted(powered({ ...machine, taken, boots: machine.boots + 1 }, at, 'RUNNING'), event);
  }

  // A running system logs attached devices; one that doesn't run finds them when it boots.
  #plugged(machine: SimulatedMachine, what: 'attached' | 'detached', { id, kind }: Attached): SimulatedMachine {
    if (stateOf(machine) !== 'RUNNING') return machine;
    return noted(machine, { at: this.#timeFor(machine), what, id, kind });
  }

  // The clocks of two nodes may differ, but no event is earlier than the one before it.
  #timeFor({ power, events }: SimulatedMachine): number {
    return Math.max(this.#now(), power.at(-1)?.[0] ?? 0, events.at(-1)?.at ?? 0);
  }
}

// Default values are omitted: every server's row has such a handle.
const usual = { hostname: '', boots: 0, devices: [], taken: [], events: [], lostEvents: false };
type StoredMachine = Omit<SimulatedMachine, keyof typeof usual> &
  Partial<Pick<SimulatedMachine, 'hostname' | 'boots' | 'taken' | 'events' | 'lostEvents'>> & {
    devices?: (Pick<Attached, 'id' | 'kind'> & Partial<Attached>)[];
  };
const usualDevice = { boot: false, image: null, hostname: '', prepared: null };

function machineOf(handle: MachineHandle): SimulatedMachine {
  if (handle.engine !== 'simulated') throw new Error(`a machine of the engine ${handle.engine} is not simulated`);
  const { devices = [], ...machine } = handle as StoredMachine;
  return { ...usual, ...machine, devices: devices.map((device) => ({ ...usualDevice, ...device })) };
}

function packed(machine: SimulatedMachine): MachineHandle {
  const { engine, id, hostname, cores, ram, boots, power, devices, taken, events, lostEvents } = machine;
  const kept: MachineHandle = { engine, id, cores, ram, power };
  if (hostname !== '') kept.hostname = hostname;
  if (boots > 0) kept.boots = boots;
  if (devices.length > 0) kept.devices = devices.map(packedDevice);
  if (taken.length > 0) kept.taken = taken;
  if (events.length > 0) kept.events = events;
  if (lostEvents) kept.lostEvents = lostEvents;
  return kept;
}

function packedDevice({ id, kind, boot, image, hostname, prepared }: Attached): Values {
  const kept: Values = { id, kind };
  if (boot) kept.boot = boot;
  if (image !== null) kept.image = image;
  if (hostname !== '') kept.hostname = hostname;
  if (prepared !== null) kept.prepared = prepared;
  return kept;
}

const stateOf = ({ power }: SimulatedMachine): PowerChange[1] => power.at(-1)?.[1] ?? 'NOSTATE';

function powered(machine: SimulatedMachine, at: number, state: PowerChange[1]): SimulatedMachine {
  if (stateOf(machine) === state) return machine;
  return { ...machine, power: [...machine.power, [at, state] as PowerChange].slice(-maxPowerChanges) };
}

function noted(machine: SimulatedMachine, event: ConsoleEvent): SimulatedMachine {
  const events = [...machine.events, event];
  const lostEvents = machine.lostEvents || events.length > maxEvents;
  return { ...machine, events: events.slice(-maxEvents), lostEvents };
}

function attachedOf({ id, kind, disk, boot = false }: Device): Attached {
  return { id, kind, boot, ...found(disk) };
}

function found(handle: DiskHandle | undefined): Pick<Attached, 'image' | 'hostname' | 'prepared'> {
  if (!handle) return { image: null, hostname: '', prepared: null };
  const { image, prepared, bootedBy } = diskOf(handle);
  return {
    image: image && printable(image.name, 100),
    hostname: printable(prepared?.hostname ?? '', 63),
    prepared: bootedBy === null ? prepared : null,
  };
}

const firstOf = ({ keys, sshKeys, format, hasPassword }: Prepared, hostname: string): FirstBootFacts => ({
  hostname,
  keys,
  sshKeys,
  format,
  hasPassword,
});
