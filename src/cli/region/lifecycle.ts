// The region of this process from start to stop. It can be taken offline for work that needs the state for itself,
// such as a restore, and starts again on the same ports. The process, the folder's lock and the admin socket stay.
import { machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { environment } from '../../config/environment.ts';
import type { Config } from '../../config/sections.ts';
import type { StateEngine } from '../../core/state/engine.ts';
import { openState } from '../../core/state/open.ts';
import { listContracts } from '../../identity/accounts/accounts.ts';
import { startPlatform } from '../../platform.ts';
import { RequestFeed } from '../../surface/http/request-feed.ts';
import type { Metrics } from '../../surface/metrics.ts';
import { openMetrics } from '../../surface/process-figures.ts';
import { authorityFile } from '../account/ca.ts';
import type { RunningRegion } from '../admin/handlers.ts';
import { homeContract } from '../admin/tokens.ts';
import { programVersion } from '../program-version.ts';
import { writePublic } from './data-folder.ts';
import { readyOf } from './ready.ts';

// The region was offline and could not start again.
export class RestartFailed extends Fault {}

export class Lifecycle {
  readonly #log: Log;
  readonly #file: string | undefined;
  readonly #metrics = openMetrics(programVersion()); // counters survive a restart of the region
  readonly #feed = new RequestFeed(); // who follows the requests goes on after a restart too
  #config: Config;
  #running: RunningRegion | undefined;
  #offline: Promise<unknown> | undefined;
  #isStopping = false;

  constructor(config: Config, log: Log, file: string | undefined) {
    this.#config = config;
    this.#log = log;
    this.#file = file;
  }

  async start(): Promise<void> {
    this.#running = await startRegion(this.#config, this.#log, this.#file, this.#metrics, this.#feed);
  }

  running(): RunningRegion {
    if (!this.#running) throw new Fault('unavailable', 'The region is offline for work on its state: try again.');
    return this.#running;
  }

  // Does the work on the state while no region runs on it. Afterwards the region starts again, even if the work failed.
  async offline<T>(work: (state: StateEngine) => Promise<T>): Promise<T> {
    const { region } = this.running();
    if (this.#isStopping) throw new Fault('unavailable', 'The region is stopping.');
    const { port, securePort } = region.gateway;
    const listenerPorts = Object.fromEntries(region.listening.map((one) => [one.name, one.port]));
    this.#config = { ...this.#config, listenerPorts, gateway: { ...this.#config.gateway, port, securePort } };
    this.#running = undefined;
    const whole = this.#whileStopped(() => region.stop(), work);
    this.#offline = whole;
    return whole;
  }

  async #whileStopped<T>(stop: () => Promise<void>, work: (state: StateEngine) => Promise<T>): Promise<T> {
    this.#log.info('offline');
    await stop().catch(restartFailed);
    try {
      const state = await openState(this.#config.state, machineTime);
      try {
        return await work(state);
      } finally {
        await state.close();
      }
    } finally {
      if (!this.#isStopping) await this.start().catch(restartFailed);
      this.#log.info('online again', { port: this.#config.gateway.port });
    }
  }

  // Waits for work on the state that is in progress.
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#offline?.catch(() => {});
    await this.#running?.region.stop();
    this.#running = undefined;
  }
}

function restartFailed(error: unknown): never {
  throw new RestartFailed('unavailable', 'The region could not start again, and has ended: its log says why.', {
    cause: error,
  });
}

async function startRegion(
  config: Config,
  log: Log,
  file: string | undefined,
  metrics: Metrics,
  feed: RequestFeed,
): Promise<RunningRegion> {
  const version = programVersion();
  const region = await startPlatform(config, version, environment.ownerPassword(), log, metrics, feed);
  try {
    writePublic(authorityFile(config.data), region.authority.certificate);
    const contract = homeContract(await listContracts(region.store), config.identity.contract);
    return { region, ready: readyOf(region, { version, contract, log: file }) };
  } catch (error) {
    await region.stop();
    throw error;
  }
}
