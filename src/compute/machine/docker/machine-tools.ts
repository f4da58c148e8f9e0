// The dependencies of the Docker machine engine.
import type { Log } from '../../../base/log.ts';
import type { Abilities } from '../engine.ts';
import type { RegionServices } from '../region-services.ts';
import type { DockerApi } from './api.ts';
import type { ConsoleStore } from './console-store.ts';
import type { Images } from './images.ts';

export interface MachineTools {
  api: DockerApi;
  images: Images;
  region: string;
  services?: RegionServices; // absent: machines reach none
  abilities: Abilities;
  consoles: ConsoleStore;
  usageFile: string; // of the measured usage, while the region is stopped
  now: () => number;
  real: () => number;
  log: Log;
  memoryMb: number; // for all machines of the region
  mostMachines: number;
}
