// The region of this process from start to stop. It can be taken offline for work that needs the state for itself,
// such as a restore, and starts again on the same ports. The process, the folder's lock and the admin socket stay.
import { machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { hasRoom, leastRoom } from '../../base/free-space.ts';
import type { Log } from '../../base/log.ts';
import { environment } from '../../config/environment.ts';
import type { Config } from '../../config/sections.ts';
import type { StateEngine } from '../../core/state/engine.ts';
import { openState } from '../../core/state/open.ts';
import { listContracts } from '../../identity/accounts/accounts.ts';
import { startPlatform } from '../../platform.ts';
import { RequestFeed } from '../../surface/http/request-feed.ts';
import { openMetrics } from '../../surface/process-figures.ts';
import { authorityFile } from '../account/ca.ts';
import { addTestContract } from '../admin/accounts.ts';
import type { RunningRegion } from '../admin/handlers.ts';
import { homeContract } from '../admin/tokens.ts';
import { programVersion } from '../program-version.ts';
import { SavePoints } from '../savepoint/savepoints.ts';
import { writePublic } from './data-folder.ts';
import { readyOf } from './ready.ts';

export class Lifecycle {
  readonly savePoints: SavePoints;
  isSeeding = false; // it serves the seed's own calls, and is not ready for others
  readonly #log: Log;
  readonly #file: string | undefined;
  readonly #onDead: (cause: unknown) => void; // it was offline and did not start again
  readonly #metrics = openMetrics(programVersion()); // counters survive a restart of the region
  readonly #feed = new RequestFeed(); // who follows the requests goes on after a restart too
  #config: Config;
  #running: RunningRegion | undefined;
  #offline: Promise<unknown> | undefined;
  #isStopping = false;
  #isWorking = false; // a backup, a restore or a save point

  constructor(config: Config, log: Log, file: string | undefined, onDead: (cause: unknown) => void) {
    this.#config = config;
    this.#log = log;
    this.#file = file;
    this.#onDead = onDead;
    const now = (): number => this.running().region.clock.now();
    const exclusively = <T>(work: () => Promise<T>): Promise<T> => this.exclusively(work);
    const whileStopped = <T>(graceMs: number, work: () => Promise<T>): Promise<T> => this.#pause(graceMs, work);
    this.savePoints = new SavePoints(config, { now, exclusively, whileStopped }, log);
  }

  async start(): Promise<void> {
    const version = programVersion();
    const password = environment.ownerPassword();
    const [log, metrics, feed] = [this.#log, this.#metrics, this.#feed];
    const region = await startPlatform(this.#config, version, password, log, metrics, feed, {
      savePoints: this.savePoints,
      addContract: () => addTestContract(this.running().region),
      unready: () => (this.isSeeding ? 'The region is being filled from its seed.' : undefined),
    });
    try {
      writePublic(authorityFile(this.#config.data), region.authority.certificate);
      const contract = homeContract(await listContracts(region.store), this.#config.identity.contract);
      this.#running = { region, ready: readyOf(region, { version, contract, log: this.#file }) };
    } catch (error) {
      await region.stop();
      throw error;
    }
  }

  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isWorking)
      throw new Fault('conflict', 'A backup, a restore or a save point of this region is under way: wait for its end.');
    this.#isWorking = true;
    try {
      return await work();
    } finally {
      this.#isWorking = false;
    }
  }

  running(): RunningRegion {
    if (!this.#running) throw new Fault('unavailable', 'The region is offline for work on its state: try again.');
    return this.#running;
  }

  // Does the work on the state while no region runs on it. Afterwards the region starts again, even if the work failed.
  offline<T>(work: (state: StateEngine) => Promise<T>): Promise<T> {
    return this.#pause(undefined, async () => {
      const state = await openState(this.#config.state, machineTime);
      try {
        return await work(state);
      } finally {
        await state.close();
      }
    });
  }

  // `graceMs`: so long calls and operations that are under way have to end.
  #pause<T>(graceMs: number | undefined, work: () => Promise<T>): Promise<T> {
    const { region } = this.running();
    if (this.#isStopping) throw new Fault('unavailable', 'The region is stopping.');
    if (!hasRoom(this.#config.data, leastRoom))
      throw new Fault('unavailable', 'The disk is full: make room on it first. Nothing was changed.');
    const { port, securePort } = region.gateway;
    const listenerPorts = Object.fromEntries(region.listening.map((one) => [one.name, one.port]));
    this.#config = { ...this.#config, listenerPorts, gateway: { ...this.#config.gateway, port, securePort } };
    this.#running = undefined;
    const whole = this.#whileStopped(() => region.stop(graceMs), work);
    this.#offline = whole;
    return whole;
  }

  async #whileStopped<T>(stop: () => Promise<void>, work: () => Promise<T>): Promise<T> {
    this.#log.info('offline');
    try {
      await stop().catch((error: unknown) => this.#refuse(error));
      return await work();
    } finally {
      if (!this.#isStopping) await this.start().catch((error: unknown) => this.#fail(error));
      this.#log.info('online again', { port: this.#config.gateway.port });
    }
  }

  // Something could not be written down, such as on a full disk: the files are not what the work may rely on.
  #refuse(cause: unknown): never {
    this.#log.error('did not stop cleanly', { error: cause });
    const why = cause instanceof Fault ? cause.message : 'its log says why.';
    throw new Fault('unavailable', `The region could not be stopped for this, and goes on: ${why}`, { cause });
  }

  #fail(cause: unknown): never {
    this.#onDead(cause);
    const message = 'The region could not start again, and has ended: its log says why.';
    throw new Fault('unavailable', message, { cause });
  }

  // Waits for work on the state that is in progress.
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#offline?.catch(() => {});
    await this.#running?.region.stop();
    this.#running = undefined;
  }
}
