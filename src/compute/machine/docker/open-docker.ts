// Finds and probes the Docker Engine of a region: its socket, its abilities and the limits of a machine.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { Abilities } from '../engine.ts';
import { DockerApi } from './api.ts';

export interface EngineInfo {
  title: string; // "Docker Engine 20.10.24 at /var/run/docker.sock"
  memoryMb: number; // of the host
  abilities: Abilities;
}

interface Version {
  Version: string;
  ApiVersion: string;
  Components?: { Name: string }[];
}

interface Info {
  MemTotal: number;
  MemoryLimit: boolean;
  CpuCfsQuota: boolean;
  OSType: string;
}

const remedy =
  'Install and start Docker (or Podman with its socket), set DOCKER_HOST, or name the socket: --machines ' +
  'docker+unix:///path/to/docker.sock. Simulated machines need no engine: --machines simulated';

const scheme = 'docker+unix://';

// The sockets of Docker and Podman, in the order in which they are tried.
export function socketOf(setting: string, dockerHost: string | undefined): string {
  if (setting.startsWith(scheme)) return setting.slice(scheme.length);
  if (dockerHost !== undefined) {
    if (dockerHost.startsWith('unix://')) return dockerHost.slice('unix://'.length);
    throw new Fault('unavailable', `DOCKER_HOST is ${dockerHost}, but machines need a unix socket. ${remedy}`);
  }
  const usual = ['/var/run/docker.sock', join(homedir(), '.docker/run/docker.sock'), '/run/podman/podman.sock'];
  return usual.find((path) => existsSync(path)) ?? (usual[0] as string);
}

export async function probeDocker(path: string): Promise<EngineInfo> {
  const api = new DockerApi(path);
  try {
    const limitMs = 10_000;
    const version = await api.json<Version>('GET', '/version', { limitMs });
    const info = await api.json<Info>('GET', '/info', { limitMs });
    if (info.OSType !== 'linux')
      throw new Fault('refused', `The engine runs ${info.OSType} containers, but machines need Linux ones.`);
    const isPodman = (version.Components ?? []).some(({ Name }) => /podman/i.test(Name));
    return {
      title: `${isPodman ? 'Podman' : 'Docker Engine'} ${version.Version} at ${path}`,
      memoryMb: Math.floor(info.MemTotal / 1024 / 1024),
      abilities: {
        realTime: true,
        measuresUsage: true,
        terminal: true,
        hotPlugVolumes: false,
        hotPlugNics: true,
        liveResize: !isPodman && info.MemoryLimit && info.CpuCfsQuota, // Podman reports success and changes nothing
        suspend: true,
      },
    };
  } catch (error) {
    throw new Fault('unavailable', `No machine engine: ${(error as Error).message} ${remedy}`, { cause: error });
  }
}
