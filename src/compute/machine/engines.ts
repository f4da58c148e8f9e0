// The engines of machines and disks, chosen by the setting `machines`.
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import { environment } from '../../config/environment.ts';
import type { MachineNetwork } from '../network/machine-network.ts';
import { DockerApi } from './docker/api.ts';
import { ConsoleStore } from './docker/console-store.ts';
import { DockerDisks } from './docker/docker-disks.ts';
import { DockerMachines } from './docker/docker-machines.ts';
import { Images } from './docker/images.ts';
import { type EngineInfo, probeDocker, socketOf } from './docker/open-docker.ts';
import type { Abilities, DiskEngine, MachineEngine } from './engine.ts';
import type { RegionServices } from './region-services.ts';
import { SimulatedDisks } from './simulated-disks.ts';
import { SimulatedMachines } from './simulated-machines.ts';

export interface Engines {
  machines: MachineEngine;
  disks: DiskEngine;
  title: string; // the name and version of the engine
  network?: MachineNetwork; // of real machines
  halt(graceMs: number): Promise<void>; // shuts all machines down; the next start boots them again
  absence?: Fault; // this node can't reach the engine, so another node must keep the machines
  facts?: string; // for other nodes, which may not reach it
}

export interface MachineSettings {
  engine: string; // simulated, docker or docker+unix:///path
  memoryMb: number | undefined; // for all machines; absent: a share of the host's
  mostMachines: number;
  takesMachines: boolean; // from the node that kept them
}

export interface EngineTools {
  settings: MachineSettings;
  region: () => Promise<string>; // names the region's objects on an engine that others share
  key: string; // of the region, for hashes of disks
  services: RegionServices;
  seal: Seal;
  folder: string; // for files of the engine
  facts: string | undefined; // of the engine of another node
  now: () => number;
  real: () => number;
  log: Log;
}

export async function openSimulated({ now, key }: EngineTools): Promise<Engines> {
  const machines = new SimulatedMachines(now);
  return { machines, disks: new SimulatedDisks(key), title: 'simulated', halt: async () => undefined };
}

export async function openDocker(tools: EngineTools): Promise<Engines> {
  const { settings, region, services, seal, folder, now, real, log } = tools;
  const socket = socketOf(settings.engine, environment.dockerHost());
  const { absence, ...info } = await infoOf(socket, tools.facts);
  const { title, memoryMb, abilities } = info;
  const api = new DockerApi(socket);
  const images = new Images(api);
  const id = await region();
  const limitMb = settings.memoryMb ?? Math.floor(memoryMb * usualShare);
  const consoles = new ConsoleStore(join(folder, 'consoles'));
  const machines = new DockerMachines({
    api,
    images,
    region: id,
    services,
    abilities,
    consoles,
    usageFile: join(folder, 'usage.json'),
    now,
    real,
    log,
    memoryMb: limitMb,
    mostMachines: settings.mostMachines,
  });
  const disks = new DockerDisks({ api, images, region: id, seal });
  return {
    machines,
    disks,
    title,
    network: machines.network,
    halt: (graceMs) => machines.halt(graceMs),
    facts: JSON.stringify(info),
    ...(absence && { absence }),
  };
}

// `facts` describe the engine of another node: a node without an engine forwards its calls to it.
async function infoOf(socket: string, facts: string | undefined): Promise<EngineInfo & { absence?: Fault }> {
  try {
    return await probeDocker(socket);
  } catch (error) {
    if (facts === undefined || !(error instanceof Fault)) throw error;
    return { ...(JSON.parse(facts) as EngineInfo), absence: error };
  }
}

const usualShare = 0.8; // of the host's memory

// A region never mixes engines: the handles in its rows belong to one of them.
export const otherEngine = (kept: string, wanted: string): Fault =>
  new Fault(
    'refused',
    `This data folder has servers or disks of the machine engine "${kept}", but this start requests "${wanted}". Start ` +
      `with --machines ${kept}, delete those servers, volumes and snapshots first, or name another --data.`,
  );

// The abilities of the engine, for `up`, `status` and the console.
export function abilityTable({ realTime, ...abilities }: Abilities): [what: string, value: string][] {
  const yes = (value: boolean): string => (value ? 'yes' : 'no');
  return [
    ['time', realTime ? 'real' : "the region's clock"],
    ['packets', realTime ? 'real' : 'simulated'],
    ['usage', abilities.measuresUsage ? 'measured' : 'set by the lab'],
    ['terminal', yes(abilities.terminal)],
    ['volumes attached live', abilities.hotPlugVolumes ? 'yes' : 'at the next boot'],
    ['NICs attached live', abilities.hotPlugNics ? 'yes' : 'at the next boot'],
    ['live resize', yes(abilities.liveResize)],
    ['suspend', yes(abilities.suspend)],
  ];
}
