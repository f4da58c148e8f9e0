// Machines as Docker containers, one for each boot: its root is the boot volume, so a container stores nothing. A
// reboot replaces the container.

import { Fault } from '../../../base/fault.ts';
import type {
  Abilities,
  Device,
  MachineEngine,
  MachineEvent,
  MachineFacts,
  MachineHandle,
  MachineSize,
  MachineSpec,
  MachineStream,
  Named,
  NicAddress,
  OpenOptions,
  TimedLines,
} from '../engine.ts';
import type { Loads, Usage } from '../load.ts';
import { connectScript, droppedForUsers } from './boot-script.ts';
import { bounded, screenOf } from './console-store.ts';
import { attached, booted, created, detached, powered, resized } from './desired.ts';
import { DockerNetwork } from './docker-network.ts';
import { execIn } from './exec-stream.ts';
import { type DockerMachine, machineHandle, machineOf, stateOf } from './handles.ts';
import { MachineContainers } from './machine-containers.ts';
import type { MachineTools } from './machine-tools.ts';
import { Observer } from './observer.ts';
import { UsageMeter } from './usage-meter.ts';

export class DockerMachines implements MachineEngine {
  readonly name = 'docker';
  readonly abilities: Abilities;
  readonly network: DockerNetwork;
  readonly #tools: MachineTools;
  readonly #observer: Observer;
  readonly #meter: UsageMeter;
  readonly #containers: MachineContainers;

  constructor(tools: MachineTools) {
    const { api, region, now, real, log, abilities, usageFile: file } = tools;
    this.#tools = tools;
    this.abilities = abilities;
    this.#observer = new Observer(api, region, now, log);
    this.network = new DockerNetwork({ ...tools, observer: this.#observer });
    const traffic = () => this.network.trafficOfMachines();
    this.#meter = new UsageMeter({ api, observer: this.#observer, traffic, file, now, real, log });
    this.#containers = new MachineContainers({
      ...{ ...tools, observer: this.#observer, meter: this.#meter },
      drain: (id) => this.network.drain(id),
    });
  }

  create(spec: MachineSpec): MachineHandle {
    return machineHandle(created(spec, this.#tools.now()));
  }

  start(handle: MachineHandle): MachineHandle {
    const machine = machineOf(handle);
    const state = stateOf(machine);
    return state === 'RUNNING' || state === 'SUSPENDED' ? handle : machineHandle(booted(machine, this.#tools.now()));
  }

  stop(handle: MachineHandle, graceMs: number): MachineHandle {
    const machine = machineOf(handle);
    if (stateOf(machine) === 'SHUTOFF') return handle;
    return machineHandle({ ...powered(machine, 'SHUTOFF', this.#tools.now()), graceMs });
  }

  reset(handle: MachineHandle): MachineHandle {
    return machineHandle(booted(machineOf(handle), this.#tools.now()));
  }

  suspend(handle: MachineHandle): MachineHandle {
    const machine = machineOf(handle);
    if (stateOf(machine) !== 'RUNNING') return handle;
    return machineHandle(powered(machine, 'SUSPENDED', this.#tools.now()));
  }

  resume(handle: MachineHandle): MachineHandle {
    const machine = machineOf(handle);
    if (stateOf(machine) !== 'SUSPENDED') return handle;
    return machineHandle(powered(machine, 'RUNNING', this.#tools.now()));
  }

  attach(handle: MachineHandle, device: Device): MachineHandle {
    return machineHandle(attached(machineOf(handle), device));
  }

  detach(handle: MachineHandle, deviceId: string): MachineHandle {
    return machineHandle(detached(machineOf(handle), deviceId));
  }

  resize(handle: MachineHandle, size: MachineSize): MachineHandle {
    return machineHandle(resized(machineOf(handle), size));
  }

  // The desired state, or CRASHED or SHUTOFF if the machine has ended by itself.
  describe(handle: MachineHandle): MachineFacts {
    const machine = machineOf(handle);
    const { boots, cores, ram, hostname, devices } = machine;
    const [since, desired] = machine.power.at(-1) ?? [0, 'NOSTATE'];
    const seen = this.#observer.seen.get(machine.id);
    const hasEnded = seen?.state === 'exited' && seen.boots === boots && desired === 'RUNNING';
    const shown = devices.map(({ id, kind, boot }) => ({ id, kind, boot }));
    return { state: hasEnded ? 'CRASHED' : desired, since, boots, cores, ram, hostname, devices: shown };
  }

  apply(handle: MachineHandle): Promise<void> {
    return this.#containers.apply(machineOf(handle));
  }

  watch(listener: (event: MachineEvent) => void): () => void {
    return this.#observer.watch(listener);
  }

  noticed(handle: MachineHandle, { boots, state, at }: MachineEvent): MachineHandle | undefined {
    const machine = machineOf(handle);
    const isOld = machine.boots !== boots || !['RUNNING', 'SUSPENDED'].includes(stateOf(machine));
    return isOld || state === 'REBOOTING' ? undefined : machineHandle(powered(machine, state, at));
  }

  async open(handle: MachineHandle, { command, user = 'root', size }: OpenOptions): Promise<MachineStream> {
    const machine = machineOf(handle);
    const seen = this.#observer.seen.get(machine.id) ?? (await this.#found(machine));
    if (seen?.state !== 'running')
      throw new Fault('refused', `Server ${machine.id} does not run. Start it first.`, { code: '200' });
    const inside = command ? ['runuser', '-u', user, '--', ...command] : ['runuser', '-l', user];
    return execIn(this.#tools.api, seen.container, {
      command: ['setpriv', '--bounding-set', droppedForUsers, '--inh-caps', droppedForUsers, ...inside],
      environment: size ? ['TERM=xterm-256color'] : [],
      ...(size && { size }),
    });
  }

  connectCommand(port: number): readonly string[] {
    return ['python3', '-c', connectScript, String(port)];
  }

  addresses(handle: MachineHandle): NicAddress[] {
    const { id: server, devices } = machineOf(handle);
    const ips = this.network.addressesOf(server);
    const nics = devices.filter(({ kind }) => kind === 'nic');
    return nics.map(({ id, mac }) => ({ id, mac, ips: ips.get(mac ?? '') ?? [] }));
  }

  async usage(handle: MachineHandle, _loads: Loads, from: number, to: number): Promise<Usage> {
    const { id, power, cores } = machineOf(handle);
    return this.#meter.usage(id, power, cores, from, to);
  }

  async console(handle: MachineHandle, now: number): Promise<string> {
    return screenOf(await this.consoleLines(handle, now));
  }

  async consoleLines(handle: MachineHandle, now: number): Promise<TimedLines> {
    const machine = machineOf(handle);
    const [kept, current] = await Promise.all([
      this.#tools.consoles.read(machine.id),
      this.#containers.currentLines(machine.id),
    ]);
    const all = [...kept, ...current].sort((a, b) => a.at - b.at);
    return bounded(all.filter(({ at }) => at <= now));
  }

  async adopt(handles: readonly MachineHandle[]): Promise<MachineHandle[]> {
    const ended = new Map<string, MachineEvent>();
    const forget = this.#observer.watch((event) => void ended.set(event.id, event));
    await this.#observer.look();
    forget();
    return handles.map((handle) => {
      const event = ended.get(machineOf(handle).id);
      return (event && this.noticed(handle, event)) ?? handle;
    });
  }

  async destroy(handle: MachineHandle): Promise<void> {
    await this.#containers.destroy(machineOf(handle).id);
    await this.#tools.consoles.remove(machineOf(handle).id);
  }

  async sweep(named: Named): Promise<void> {
    await this.#containers.sweep(named);
  }

  // Shuts all machines of the region down; the next start of the region boots them again.
  async halt(graceMs: number): Promise<void> {
    await this.#containers.halt(graceMs);
  }

  async close(): Promise<void> {
    this.#meter.close();
    this.network.close();
    await this.#observer.close();
  }

  async #found({ id }: DockerMachine): Promise<{ container: string; state: string } | undefined> {
    await this.#observer.look();
    return this.#observer.seen.get(id);
  }
}
