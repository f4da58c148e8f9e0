// The demo of the region of this process, which may stop and start again. The code of the demo is loaded when there is
// one, or when a caller asks for it.
import type { DemoService, DemoStatus } from '../../surface/ports.ts';
import type { SeededRegion } from '../region-seed.ts';
import type { Demo } from './demo.ts';
import { DemoRecords } from './demo-record.ts';

export class RegionDemo implements DemoService {
  readonly #region: () => SeededRegion; // throws while the region is offline
  #demo: { region: SeededRegion; opened: Promise<Demo> } | undefined;

  constructor(region: () => SeededRegion) {
    this.#region = region;
  }

  // At each start of the region. Other nodes may start a demo later.
  async start(): Promise<void> {
    const region = this.#region();
    const follow = async (): Promise<void> => {
      if (this.#demo || (await new DemoRecords(region.store).all()).size > 0) await (await this.#open()).follow();
    };
    const report = (error: unknown): void => region.log.warn('demo not followed', { error });
    region.store.engine.watch('lab', () => void follow().catch(report));
    await follow();
  }

  stop(): void {
    this.#demo?.opened.then(
      (demo) => demo.close(),
      () => {},
    );
    this.#demo = undefined;
  }

  async status(contract: number): Promise<DemoStatus> {
    return (await this.#open()).status(contract);
  }

  async begin(contract: number, evenIfNotEmpty: boolean): Promise<DemoStatus> {
    return (await this.#open()).begin(contract, evenIfNotEmpty);
  }

  async end(contract: number): Promise<DemoStatus> {
    return (await this.#open()).end(contract);
  }

  async settled(contract: number): Promise<DemoStatus> {
    return (await this.#open()).settled(contract);
  }

  #open(): Promise<Demo> {
    const region = this.#region();
    if (this.#demo?.region !== region) {
      const opened = import('./demo.ts').then(async ({ Demo: Opened }) => {
        const demo = new Opened(region);
        await demo.resume();
        return demo;
      });
      this.#demo = { region, opened };
    }
    return this.#demo.opened;
  }
}
