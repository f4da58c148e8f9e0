// The actual state of the region's machines: a mirror of their containers, kept up to date by the engine's events and
// lists. A container that ends unexpectedly is reported once.
import type { Log } from '../../../base/log.ts';
import type { MachineEvent } from '../engine.ts';
import { type DockerApi, filters, jsonLines } from './api.ts';
import { bootLabel, machineLabel, regionLabel } from './names.ts';

export interface Seen {
  container: string;
  boots: number;
  state: 'created' | 'running' | 'paused' | 'exited';
}

interface Listed {
  Id: string;
  State: string;
  Labels: Record<string, string>;
}

interface EngineEvent {
  Action: string;
  Actor: { ID: string; Attributes: Record<string, string> };
}

interface Inspected {
  State: { ExitCode: number; OOMKilled: boolean; FinishedAt: string };
}

const reconnectMs = 500;
// How a process in a container ends: 128 plus the signal.
const codes: Readonly<Record<number, [MachineEvent['state'], string]>> = {
  0: ['SHUTOFF', 'its system shut down'],
  129: ['REBOOTING', 'its system requested a reboot'],
  130: ['SHUTOFF', 'its system shut down'],
  137: ['CRASHED', 'it was killed from outside'],
  143: ['SHUTOFF', 'it was terminated from outside'],
};

export class Observer {
  readonly seen = new Map<string, Seen>(); // by the id of the server
  readonly #api: DockerApi;
  readonly #region: string;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #listeners = new Set<(event: MachineEvent) => void>();
  readonly #running = new Set<() => void>(); // listeners
  readonly #expected = new Set<string>(); // containers that the region itself ends
  readonly #reported = new Set<string>();
  readonly #stopped = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(api: DockerApi, region: string, now: () => number, log: Log) {
    this.#api = api;
    this.#region = region;
    this.#now = now;
    this.#log = log;
  }

  watch(listener: (event: MachineEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#watching ??= this.#follow();
    return () => void this.#listeners.delete(listener);
  }

  // Called when a container runs that did not run before.
  onRunning(listener: () => void): void {
    this.#running.add(listener);
  }

  // The region ends this container: no report.
  expect(container: string): void {
    this.#expected.add(container);
  }

  // Reads the containers of the region, and reports those that ended unnoticed.
  async look(): Promise<Listed[]> {
    const all = await this.#api.json<Listed[]>('GET', '/containers/json', {
      query: { all: true, filters: filters({ label: [`${regionLabel}=${this.#region}`, machineLabel] }) },
    });
    const ids = new Set<string>();
    for (const { Id, State, Labels } of all) {
      const id = Labels[machineLabel] ?? '';
      ids.add(id);
      this.#note(id, Id, Number(Labels[bootLabel]), State);
      if (State === 'exited' || State === 'dead') await this.#ended(Id, Labels);
    }
    for (const [id, { container, boots, state }] of this.seen)
      if (!ids.has(id)) {
        this.seen.delete(id);
        if (state !== 'exited' && !this.#expected.has(container) && !this.#reported.has(container))
          this.#report(container, {
            id,
            boots,
            state: 'CRASHED',
            at: this.#now(),
            reason: 'it was removed from outside',
          });
      }
    return all;
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#watching;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        const query = { filters: filters({ type: ['container'], label: [`${regionLabel}=${this.#region}`] }) };
        const answer = await this.#api.stream('GET', '/events', { query, signal });
        await this.look(); // for the time without a connection
        for await (const event of jsonLines<EngineEvent>(answer)) await this.#take(event);
      } catch (error) {
        if (!signal.aborted) this.#log.warn('the event stream of the machine engine was interrupted', { error });
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, reconnectMs));
    }
  }

  async #take({ Action, Actor: { ID, Attributes } }: EngineEvent): Promise<void> {
    const id = Attributes[machineLabel];
    if (id === undefined) return;
    const states: Record<string, string> = { start: 'running', unpause: 'running', pause: 'paused', die: 'exited' };
    const state = states[Action];
    if (state !== undefined) this.#note(id, ID, Number(Attributes[bootLabel]), state);
    if (Action === 'die') await this.#ended(ID, Attributes);
    if (Action === 'destroy' && this.seen.get(id)?.container === ID) await this.look();
  }

  #note(id: string, container: string, boots: number, text: string): void {
    const state = text === 'running' || text === 'paused' || text === 'created' ? text : 'exited';
    const before = this.seen.get(id);
    this.seen.set(id, { container, boots, state });
    if (state !== 'running' || (before?.state === 'running' && before.container === container)) return;
    for (const listener of this.#running) listener();
  }

  async #ended(container: string, labels: Record<string, string>): Promise<void> {
    if (this.#expected.has(container) || this.#reported.has(container)) return;
    const found = await this.#api.find<Inspected>(`/containers/${container}/json`);
    if (this.#expected.has(container) || this.#reported.has(container)) return; // in the meantime
    const { ExitCode = 137, OOMKilled = false } = found?.State ?? {};
    const [state, reason] = OOMKilled
      ? (['CRASHED', 'it ran out of memory'] as const)
      : (codes[ExitCode] ?? (['CRASHED', `its init ended with exit code ${ExitCode}`] as const));
    const [id, boots] = [labels[machineLabel] ?? '', Number(labels[bootLabel])];
    this.#report(container, { id, boots, state, at: this.#now(), reason });
  }

  #report(container: string, event: MachineEvent): void {
    this.#reported.add(container);
    for (const listener of this.#listeners) listener(event);
  }
}
