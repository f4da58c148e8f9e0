// The region of this process from start to stop. It can be taken offline for work that needs exclusive access to the
// state, such as a restore, and starts again on the same ports. The process, the folder's lock and the admin socket
// stay.
import { machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { hasRoom, leastRoom } from '../../base/free-space.ts';
import type { Log } from '../../base/log.ts';
import { environment } from '../../config/environment.ts';
import { programVersion } from '../../config/program-version.ts';
import type { Config } from '../../config/sections.ts';
import type { StateEngine } from '../../core/state/engine.ts';
import { openState } from '../../core/state/open.ts';
import { type Region, startPlatform } from '../../platform.ts';
import { authorityFile, writePublic } from '../../region-data/data-folder.ts';
import { SavePoints } from '../../region-data/save-points/savepoints.ts';
import { RegionDemo } from '../../seeds/demo/region-demo.ts';
import { RequestFeed } from '../../surface/http/request-feed.ts';
import { operatorAccounts } from '../../surface/operator.ts';
import type { ContractCopies } from '../../surface/ports.ts';
import { openMetrics } from '../../surface/process-figures.ts';
import type { RunningRegion } from '../admin/handlers.ts';
import { type HeldPorts, holdPorts } from './held-ports.ts';
import { readyOf } from './ready.ts';

const streamEndMs = 1000; // before its connection is closed, the client of a stream gets an event that says so

export class Lifecycle {
  readonly savePoints: SavePoints;
  readonly demo = new RegionDemo(() => this.running().region);
  readonly copies: ContractCopies = {
    read: async (...source) => (await this.#openCopies()).read(...source),
    apply: async (...copy) => (await this.#openCopies()).apply(...copy),
  };
  keepsMachines = false; // when the region stops
  isSeeding = false; // it serves the seed's own calls, and is not ready for others
  readonly #log: Log;
  readonly #file: string | undefined;
  readonly #onDead: (cause: unknown) => void; // it was offline and did not start again
  readonly #metrics = openMetrics(programVersion()); // counters survive a restart of the region
  readonly #feed = new RequestFeed(); // followers of the requests continue after a restart
  #config: Config;
  #running: RunningRegion | undefined;
  #offline: Promise<unknown> | undefined;
  #copies: Promise<ContractCopies> | undefined; // loaded when it is used
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
    const region = await startPlatform(this.#config, {
      version,
      ownerPassword: password,
      log,
      metrics,
      feed,
      own: {
        savePoints: this.savePoints,
        demo: this.demo,
        copies: this.copies,
        keepsMachines: () => this.keepsMachines,
        addContract: () => this.running().region.ports.use(operatorAccounts).addTestContract(),
        unready: () => (this.isSeeding ? 'The region is being filled from its seed.' : undefined),
      },
    });
    try {
      writePublic(authorityFile(this.#config.data), region.authority.certificate);
      const contract = await region.ports.use(operatorAccounts).home();
      this.#running = { region, ready: readyOf(region, { version, contract, log: this.#file }) };
      await this.demo.start();
    } catch (error) {
      await region.stop();
      throw error;
    }
  }

  #openCopies(): Promise<ContractCopies> {
    this.#copies ??= import('./contract-copies.ts').then(
      ({ RegionCopies }) => new RegionCopies(() => this.running().region),
    );
    return this.#copies;
  }

  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isWorking)
      throw new Fault(
        'conflict',
        'A backup, a restore or a save point of this region is in progress. Wait until it has ended.',
      );
    this.#isWorking = true;
    try {
      return await work();
    } finally {
      this.#isWorking = false;
    }
  }

  running(): RunningRegion {
    if (!this.#running) throw new Fault('unavailable', 'The region is offline for work on its state. Try again later.');
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

  // `graceMs`: the time that running calls and operations have to end.
  #pause<T>(graceMs: number | undefined, work: () => Promise<T>): Promise<T> {
    const { region } = this.running();
    if (this.#isStopping) throw new Fault('unavailable', 'The region is stopping.');
    if (!hasRoom(this.#config.data, leastRoom))
      throw new Fault('unavailable', 'The disk is full. Make room on it first; nothing was changed.');
    const { port, securePort } = region.gateway;
    const listenerPorts = Object.fromEntries(region.listening.map((one) => [one.name, one.port]));
    this.#config = { ...this.#config, listenerPorts, gateway: { ...this.#config.gateway, port, securePort } };
    this.demo.stop();
    this.#running = undefined;
    const ports = [port, securePort, ...Object.values(listenerPorts)];
    const whole = this.#whileStopped(region, graceMs, ports, work);
    this.#offline = whole;
    return whole;
  }

  async #whileStopped<T>(
    region: Region,
    graceMs: number | undefined,
    ports: readonly number[],
    work: () => Promise<T>,
  ): Promise<T> {
    this.#log.info('offline');
    let held: HeldPorts | undefined;
    const onClosed = async (): Promise<void> => {
      held = await holdPorts(this.#config.gateway.host, ports);
    };
    try {
      await region.stop({ graceMs, onClosed }).catch((error: unknown) => this.#refuse(error));
      return await work();
    } finally {
      await held?.release();
      if (!this.#isStopping) await this.start().catch((error: unknown) => this.#fail(error));
      this.#log.info('online again', { port: this.#config.gateway.port });
    }
  }

  // A write failed, for example on a full disk, so the work can't rely on the files.
  #refuse(cause: unknown): never {
    this.#log.error('did not stop cleanly', { error: cause });
    const why = cause instanceof Fault ? cause.message : 'see its log.';
    throw new Fault('unavailable', `The region could not be stopped for this work, and keeps running: ${why}`, {
      cause,
    });
  }

  #fail(cause: unknown): never {
    this.#onDead(cause);
    const message = 'The region could not start again and has ended. See its log for the reason.';
    throw new Fault('unavailable', message, { cause });
  }

  // Waits for work on the state that is in progress.
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#offline?.catch(() => {});
    this.demo.stop();
    const { drainMs, stopLimitMs: graceMs } = this.#config.gateway;
    await this.#running?.region.stop({ drainMs, graceMs, streamsMs: Math.max(0, graceMs - streamEndMs) });
    this.#running = undefined;
  }
}
