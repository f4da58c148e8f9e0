// For tests: the Docker engines on a socket, as contract suites open them, and the content of a disk.

import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../../../base/clock.ts';
import { randomHex } from '../../../base/ids.ts';
import { silent } from '../../../base/log.ts';
import { createSeal, newSealKey } from '../../../base/seal.ts';
import type { DiskBench } from '../contract/disks.ts';
import type { MachineBench } from '../contract/machines.ts';
import type { DiskHandle } from '../engine.ts';
import { DockerApi } from './api.ts';
import { diskAt } from './boot-script.ts';
import { ConsoleStore } from './console-store.ts';
import { mountOf } from './container.ts';
import { DockerDisks } from './docker-disks.ts';
import { DockerMachines } from './docker-machines.ts';
import { diskOf } from './handles.ts';
import { Images } from './images.ts';
import { probeDocker } from './open-docker.ts';
import { runWork } from './work-container.ts';

const nothing: ReadonlySet<string> = new Set();

export async function dockerBench(socket: string): Promise<DiskBench & MachineBench> {
  const { abilities, memoryMb } = await probeDocker(socket);
  const api = new DockerApi(socket);
  const images = new Images(api);
  const region = randomHex(6);
  const seal = createSeal(newSealKey());
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-consoles-'));
  const { now, real } = createClock();
  const shared = { api, images, region, abilities, now, real, log: silent, memoryMb, mostMachines: 100 };
  const opened: DockerMachines[] = [];
  const machines = (): DockerMachines => {
    const engine = new DockerMachines({
      ...shared,
      consoles: new ConsoleStore(folder),
      usageFile: join(folder, 'usage.json'),
    });
    opened.push(engine);
    return engine;
  };
  const disks = new DockerDisks({ api, images, region, seal });
  const within = (handle: DiskHandle, script: string): Promise<string> =>
    inDisk(api, images, region, diskOf(handle).volume, script);
  const first = machines();
  return {
    machines: first,
    disks,
    now,
    manyBoots: 2,
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    write: async (handle, mark) => {
      await within(handle, `echo '${mark}' >> ${diskAt}/rootfs/marks`);
      return handle;
    },
    content: (handle) => within(handle, contentScript),
    reopenDisks: async () => new DockerDisks({ api, images, region, seal }),
    reopen: async () => machines(),
    close: async () => {
      await first.sweep(async () => nothing);
      await disks.sweep(async () => nothing);
      for (const engine of opened) await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// The names, modes, owners and contents of all files.
const contentScript = `cd ${diskAt}/rootfs && { find . -type f -exec md5sum {} + | sort; find . -printf '%p %m %u %l\\n' | sort; } | md5sum`;

const inDisk = async (
  api: DockerApi,
  images: Images,
  region: string,
  volume: string,
  script: string,
): Promise<string> =>
  runWork(api, {
    region,
    id: randomHex(6),
    image: await images.any(),
    script,
    mounts: [mountOf(region, volume, diskAt)],
  });

export async function loadImage(socket: string, archive: string, names: readonly string[]): Promise<void> {
  await new Images(new DockerApi(socket)).load(createReadStream(archive), names, () => undefined);
}
