// Makes the container of a machine match its desired state.

import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Fault } from '../../../base/fault.ts';
import type { Named } from '../engine.ts';
import { filters } from './api.ts';
import { shellCommand, untilSshd } from './boot-script.ts';
import { type ConsoleLine, linesOf } from './console-store.ts';
import { containerSpec, shouldRun, sizeLimits } from './container.ts';
import { bootDevice } from './desired.ts';
import { EngineError } from './engine-error.ts';
import { execIn } from './exec-stream.ts';
import { type DockerMachine, stateOf } from './handles.ts';
import type { MachineTools } from './machine-tools.ts';
import { bootLabel, machineLabel, machineName, regionLabel } from './names.ts';
import type { Observer } from './observer.ts';
import type { UsageMeter } from './usage-meter.ts';

export interface ContainerTools extends MachineTools {
  observer: Observer;
  meter: UsageMeter;
  drain: (id: string) => Promise<void>; // ends connections to a machine that ends
}

interface Container {
  Id: string;
  State: { Running: boolean; Paused: boolean; Status: string; ExitCode: number };
  Config: { Labels: Record<string, string> };
  HostConfig: { Memory: number; CpuQuota: number };
}

const sshdLimitS = 30;
const rebootGraceMs = 10_000;
const mib = 1024 * 1024;

export class MachineContainers {
  readonly #tools: ContainerTools;
  readonly #turns = new Map<string, Promise<void>>();
  readonly #ready = new Set<string>(); // containers whose boot has ended

  constructor(tools: ContainerTools) {
    this.#tools = tools;
  }

  apply(machine: DockerMachine): Promise<void> {
    return this.#inTurn(machine.id, () => this.#apply(machine));
  }

  destroy(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const container = await this.#find(id);
      if (container?.State.Running) await this.#tools.drain(id);
      if (container) await this.#remove(id, container, false);
      this.#tools.meter.forget(id);
    });
  }

  // The console lines of the boot that is running or has just ended.
  async currentLines(id: string): Promise<ConsoleLine[]> {
    const container = await this.#find(id);
    return container ? this.#logOf(container.Id) : [];
  }

  async sweep(named: Named): Promise<void> {
    const all = await this.#tools.observer.look();
    const ids = all.map(({ Labels }) => Labels[machineLabel] ?? '');
    if (ids.length === 0) return;
    const kept = await named(ids);
    for (const id of ids)
      if (!kept.has(id)) {
        await this.destroy(id);
        await this.#tools.consoles.remove(id);
      }
  }

  async halt(graceMs: number): Promise<void> {
    const all = await this.#tools.observer.look();
    const ids = all.map(({ Labels }) => Labels[machineLabel] ?? '');
    await Promise.all(
      ids.map((id) =>
        this.#inTurn(id, async () => {
          const container = await this.#find(id);
          if (container) await this.#end(id, container, graceMs);
        }),
      ),
    );
  }

  async #apply(machine: DockerMachine): Promise<void> {
    const found = await this.#find(machine.id);
    if (!shouldRun(machine)) {
      if (found?.State.Running && machine.graceMs > 0) await this.#tools.drain(machine.id);
      if (found) await this.#end(machine.id, found, machine.graceMs);
      return;
    }
    if (!found || !isSized(found, machine)) await this.#demandMemory(machine, found?.Id);
    const isThisBoot = found?.Config.Labels[bootLabel] === String(machine.boots);
    if (found && !isThisBoot) await this.#end(machine.id, found, rebootGraceMs);
    const container = isThisBoot ? (found as Container) : await this.#create(machine);
    await this.#power(machine, container);
  }

  // An ended container is kept: the observer has reported it, and the server becomes SHUTOFF or CRASHED.
  async #power(machine: DockerMachine, container: Container): Promise<void> {
    const { api, meter } = this.#tools;
    const { Id, State } = container;
    if (State.Status === 'created') {
      meter.begin(machine.id);
      try {
        await api.json('POST', `/containers/${Id}/start`);
      } catch (error) {
        this.#tools.observer.expect(Id);
        await api.settle('DELETE', `/containers/${Id}`, { force: true });
        throw error;
      }
      await this.#untilReady(machine, Id);
    } else if (State.Running) {
      if (!isSized(container, machine))
        await api.json('POST', `/containers/${Id}/update`, {
          body: sizeLimits(machine, this.#tools.abilities.liveResize),
        });
      if (State.Paused && stateOf(machine) === 'RUNNING')
        await api.settle('POST', `/containers/${Id}/unpause`, {}, [409]);
      else if (!State.Paused && !this.#ready.has(Id)) await this.#untilReady(machine, Id);
    }
    if (stateOf(machine) === 'SUSPENDED' && !State.Paused)
      await api.settle('POST', `/containers/${Id}/pause`, {}, [409]);
    await this.#tools.observer.look();
  }

  async #create(machine: DockerMachine): Promise<Container> {
    const { api, region, images, abilities, services } = this.#tools;
    const boot = bootDevice(machine);
    const image = boot && boot.images.length > 0 ? await images.resolve(boot.images) : await images.any();
    const isBoundToCores = abilities.liveResize;
    const body = containerSpec({ region, machine, image, isBoundToCores, authority: services?.certificate });
    const create = { query: { name: machineName(region, machine.id) }, body };
    try {
      await api.json('POST', '/containers/create', create);
    } catch (error) {
      // A call of the previous process, which was killed, has created it in the meantime.
      const found = error instanceof EngineError && error.status === 409 ? await this.#find(machine.id) : undefined;
      if (!found) throw error;
      if (found.Config.Labels[bootLabel] === String(machine.boots)) return found;
      await this.#remove(machine.id, found, false);
      await api.json('POST', '/containers/create', create);
    }
    return (await this.#find(machine.id)) as Container;
  }

  // `own`: the container that this one replaces or changes.
  async #demandMemory(machine: DockerMachine, own?: string): Promise<void> {
    const { api, region, memoryMb, mostMachines } = this.#tools;
    const query = { filters: filters({ label: [`${regionLabel}=${region}`, machineLabel] }) };
    const all = await api.json<{ Id: string }[]>('GET', '/containers/json', { query });
    const running = all.filter(({ Id }) => Id !== own);
    if (running.length >= mostMachines)
      throw new Fault('refused', `${running.length} machines already run. Stop one, or raise --machines-max.`);
    const sizes = await Promise.all(
      running.map(async ({ Id }) => (await api.find<Container>(`/containers/${Id}/json`))?.HostConfig.Memory ?? 0),
    );
    const used = sizes.reduce((sum, size) => sum + size / mib, 0);
    if (used + machine.ram <= memoryMb) return;
    throw new Fault(
      'refused',
      `The machines of this region may use ${memoryMb} MB of memory together; ${Math.round(used)} MB are in use and this ` +
        `one needs ${machine.ram} MB. Stop a server, or start the region with a larger --machines-memory.`,
    );
  }

  // Checks inside the machine that init runs and, for an image of the catalogue, that sshd listens.
  async #untilReady(machine: DockerMachine, container: string): Promise<void> {
    const { api, consoles, now } = this.#tools;
    const boot = bootDevice(machine);
    if (boot && boot.images.length > 0) {
      const { duplex, errors, exitCode } = await execIn(api, container, {
        command: shellCommand(untilSshd(sshdLimitS)),
      });
      errors.resume();
      duplex.resume();
      const code = await exitCode;
      const state = (await api.find<Container>(`/containers/${container}/json`))?.State;
      if (!state?.Running && state?.ExitCode !== 129 && state?.ExitCode !== 130)
        throw new Fault(
          'refused',
          `The machine ended during its boot with exit code ${state?.ExitCode ?? '?'}. ${lookAt}`,
        );
      if (code !== 0 && state?.Running)
        await consoles.add(machine.id, [{ at: now(), text: `region: sshd did not listen within ${sshdLimitS} s\n` }]);
    }
    this.#ready.add(container);
  }

  // The text of the console is stored before the container is removed.
  async #end(id: string, container: Container, graceMs: number): Promise<void> {
    const { api, meter, observer } = this.#tools;
    const { Id, State } = container;
    observer.expect(Id);
    if (State.Running) {
      await meter.sample(id, Id);
      if (State.Paused) await api.settle('POST', `/containers/${Id}/unpause`, {}, [404, 409]);
      const seconds = Math.ceil(graceMs / 1000);
      if (seconds > 0)
        await api.json('POST', `/containers/${Id}/stop`, {
          query: { t: seconds },
          limitMs: graceMs + 60_000,
        });
      else await api.settle('POST', `/containers/${Id}/kill`, {}, [404, 409]);
    }
    await this.#remove(id, container, true);
  }

  async #remove(id: string, { Id }: Container, keepsConsole: boolean): Promise<void> {
    const { api, observer, consoles } = this.#tools;
    observer.expect(Id);
    if (keepsConsole) await consoles.add(id, await this.#logOf(Id));
    await api.settle('DELETE', `/containers/${Id}`, { force: true, v: true }, [404, 409]);
    await this.#untilGone(id, Id);
    if (observer.seen.get(id)?.container === Id) observer.seen.delete(id);
    this.#ready.delete(Id);
  }

  // A removal that was started before continues in the engine.
  async #untilGone(id: string, container: string): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      if ((await this.#find(id))?.Id !== container) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Fault('refused', 'The engine did not remove the container of this machine within 10 s.');
  }

  async #logOf(container: string): Promise<ConsoleLine[]> {
    const { api } = this.#tools;
    try {
      const query = { stdout: true, stderr: true, timestamps: true, tail: 2000 };
      const answer = await api.stream('GET', `/containers/${container}/logs`, { query });
      return linesOf(await text(answer.pipe(new PassThrough())));
    } catch (error) {
      if (error instanceof EngineError) return [];
      throw error;
    }
  }

  #find(id: string): Promise<Container | undefined> {
    return this.#tools.api.find<Container>(`/containers/${machineName(this.#tools.region, id)}/json`);
  }

  #inTurn(id: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(id) ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#turns.set(id, turn);
    return turn.finally(() => {
      if (this.#turns.get(id) === turn) this.#turns.delete(id);
    });
  }
}

const lookAt = "See the server's console log.";

const isSized = ({ HostConfig }: Container, { cores, ram }: DockerMachine): boolean =>
  HostConfig.Memory === ram * mib && (HostConfig.CpuQuota === 0 || HostConfig.CpuQuota === Math.round(cores * 100_000));
