// The region of this process from start to end. It can be taken away from its state and come back, as another one on
// the same ports, for what no region may be running on: the process, the folder's lock and the command line's socket
// stay.
import { machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { type Config, environment } from '../../config.ts';
import type { StateEngine } from '../../core/state/engine.ts';
import { openState } from '../../core/state/open.ts';
import { listContracts } from '../../identity/accounts.ts';
import { startPlatform } from '../../platform.ts';
import type { Metrics } from '../../surface/metrics.ts';
import { openMetrics } from '../../surface/process-figures.ts';
import { authorityFile } from '../account/ca.ts';
import type { Running } from '../account/operator.ts';
import { homeContract } from '../account/operator-tokens.ts';
import { programVersion } from '../program-version.ts';
import { keepPublic } from './folder.ts';
import { readyOf } from './ready.ts';

// It was away and could not come back.
export class NotBack extends Fault {}

export class Life {
  readonly #log: Log;
  readonly #file: string | undefined;
  readonly #metrics = openMetrics(programVersion()); // it goes on counting
  #config: Config;
  #running: Running | undefined;
  #away: Promise<unknown> | undefined;
  #isEnding = false;

  constructor(config: Config, log: Log, file: string | undefined) {
    this.#config = config;
    this.#log = log;
    this.#file = file;
  }

  async begin(): Promise<void> {
    this.#running = await start(this.#config, this.#log, this.#file, this.#metrics);
  }

  running(): Running {
    if (!this.#running) throw new Fault('unavailable', 'The region is away from its state: try again.');
    return this.#running;
  }

  // Does the work on the state while no region runs on it; afterwards one does again, however the work ended.
  async away<T>(work: (state: StateEngine) => Promise<T>): Promise<T> {
    const { region } = this.running();
    if (this.#isEnding) throw new Fault('unavailable', 'The region is stopping.');
    const { port, securePort } = region.gateway;
    this.#config = { ...this.#config, port, securePort };
    this.#running = undefined;
    const whole = this.#through(() => region.stop(), work);
    this.#away = whole;
    return whole;
  }

  async #through<T>(stop: () => Promise<void>, work: (state: StateEngine) => Promise<T>): Promise<T> {
    this.#log.info('away from the state');
    await stop().catch(notBack);
    try {
      const state = await openState(this.#config.state, machineTime);
      try {
        return await work(state);
      } finally {
        await state.close();
      }
    } finally {
      if (!this.#isEnding) await this.begin().catch(notBack);
      this.#log.info('back on the state', { port: this.#config.port });
    }
  }

  // What is being done to the state may end first.
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#away?.catch(() => {});
    await this.#running?.region.stop();
    this.#running = undefined;
  }
}

function notBack(error: unknown): never {
  throw new NotBack('unavailable', 'The region could not start again, and has ended: its log says why.', {
    cause: error,
  });
}

async function start(config: Config, log: Log, file: string | undefined, metrics: Metrics): Promise<Running> {
  const version = programVersion();
  const region = await startPlatform(config, version, environment.ownerPassword(), log, metrics);
  try {
    keepPublic(authorityFile(config.data), region.authority.certificate);
    const contract = homeContract(await listContracts(region.store), config.contract);
    return { region, ready: readyOf(region, { version, contract, log: file }) };
  } catch (error) {
    await region.stop();
    throw error;
  }
}
