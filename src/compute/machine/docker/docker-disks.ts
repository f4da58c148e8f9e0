// Disks as Docker volumes. A volume's content is never replaced: new content (a copy, a restore) is a new volume with a
// new id, so undoing a change needs only the previous handle. Volumes that no handle names are removed.
import { Fault } from '../../../base/fault.ts';
import { uuid } from '../../../base/ids.ts';
import type { Values } from '../../../base/json.ts';
import type { Seal } from '../../../base/seal.ts';
import type { DiskEngine, DiskFacts, DiskHandle, DiskSource, FirstBoot, ImageProgress, Named } from '../engine.ts';
import { type UserDataFormat, userDataFormat } from '../userdata.ts';
import { type DockerApi, filters } from './api.ts';
import { diskAt, fillBlank, fillFromDisk, fillFromImage } from './boot-script.ts';
import { mountOf } from './container.ts';
import { EngineError } from './engine-error.ts';
import { type DockerDisk, diskHandle, diskOf } from './handles.ts';
import type { Images } from './images.ts';
import { diskLabel, regionLabel, volumeName } from './names.ts';
import { runWork } from './work-container.ts';

export interface DiskTools {
  api: DockerApi;
  images: Images;
  region: string;
  seal: Seal; // for the data of first boots
}

export class DockerDisks implements DiskEngine {
  readonly name = 'docker';
  readonly #tools: DiskTools;
  readonly #complete = new Set<string>(); // volumes that this process has filled or found complete
  readonly #turns = new Map<string, Promise<void>>();

  constructor(tools: DiskTools) {
    this.#tools = tools;
  }

  create(source: DiskSource, sizeGb: number): DiskHandle {
    const fresh = { engine: 'docker', volume: uuid(), sizeGb, prepared: null, seed: null, bootedBy: null } as const;
    if (source.from === 'disk')
      return this.restore(diskHandle({ ...fresh, source: { from: 'blank' }, ...blank }), source.disk);
    if (source.from === 'blank') return diskHandle({ ...fresh, source: { from: 'blank' }, ...blank });
    demandRoom(sizeGb, source.sizeGb ?? 0);
    const image = { id: source.id, name: source.name };
    return diskHandle({ ...fresh, source: { from: 'image' }, images: [...(source.names ?? [])], image });
  }

  resize(handle: DiskHandle, sizeGb: number): DiskHandle {
    const disk = diskOf(handle);
    demandRoom(sizeGb, disk.sizeGb);
    return diskHandle({ ...disk, sizeGb });
  }

  // An unused seed is copied with the content.
  copy(handle: DiskHandle): DiskHandle {
    const disk = diskOf(handle);
    return diskHandle({ ...disk, volume: uuid(), source: { from: 'disk', volume: disk.volume }, seed: null });
  }

  restore(handle: DiskHandle, from: DiskHandle): DiskHandle {
    const { sizeGb } = diskOf(handle);
    demandRoom(sizeGb, diskOf(from).sizeGb);
    return diskHandle({ ...diskOf(this.copy(from)), sizeGb });
  }

  prepare(handle: DiskHandle, data: FirstBoot): DiskHandle {
    const keys = (data.sshKeys ?? []).filter((key) => key.trim() !== '');
    const id = uuid();
    const prepared = {
      id,
      hostname: data.hostname ?? '',
      format: formatOf(data.userData),
      sshKeys: keys.length,
      hasPassword: data.passwordHash !== undefined,
    };
    const seed = this.#tools.seal.close(seedOf(id, data, keys));
    return diskHandle({ ...diskOf(handle), prepared, seed, bootedBy: null });
  }

  booted(handle: DiskHandle, machineId: string): DiskHandle {
    return diskHandle({ ...diskOf(handle), bootedBy: machineId });
  }

  describe(handle: DiskHandle): DiskFacts {
    const { sizeGb, image, prepared, bootedBy } = diskOf(handle);
    if (!prepared) return { sizeGb, bootable: image !== null, image, prepared, bootedBy };
    const { id: _, ...shown } = prepared;
    return { sizeGb, bootable: image !== null, image, prepared: shown, bootedBy };
  }

  async apply(handle: DiskHandle): Promise<void> {
    const disk = diskOf(handle);
    await this.#inTurn(disk.volume, async () => {
      if (this.#complete.has(disk.volume)) return;
      await this.#fill(disk);
      this.#complete.add(disk.volume);
    });
  }

  async prepareImage(name: string, report: (progress: ImageProgress) => void): Promise<void> {
    await this.#tools.images.resolve([name], report);
  }

  async remove(handle: DiskHandle): Promise<void> {
    await this.#remove(diskOf(handle).volume);
  }

  async sweep(named: Named): Promise<void> {
    const { api, region } = this.#tools;
    const { Volumes } = await api.json<{ Volumes: { Labels: Record<string, string> | null }[] | null }>(
      'GET',
      '/volumes',
      {
        query: { filters: filters({ label: [`${regionLabel}=${region}`, diskLabel] }) },
      },
    );
    const ids = (Volumes ?? []).map(({ Labels }) => Labels?.[diskLabel] ?? '').filter((id) => id !== '');
    if (ids.length === 0) return;
    const kept = await named(ids);
    for (const id of ids) if (!kept.has(id) && !this.#turns.has(id)) await this.#remove(id);
  }

  // A volume that a container still uses is removed by a later sweep.
  async #remove(id: string): Promise<void> {
    const { api, region } = this.#tools;
    this.#complete.delete(id);
    await api.settle('DELETE', `/volumes/${volumeName(region, id)}`, undefined, [404, 409]);
  }

  // The script ends at once if the content is complete, as after a restart of the region.
  async #fill(disk: DockerDisk): Promise<void> {
    const { api, region, images, seal } = this.#tools;
    const { volume, source } = disk;
    const image = source.from === 'image' ? await images.resolve(disk.images) : await images.any();
    await api.json('POST', '/volumes/create', {
      body: { Name: volumeName(region, volume), Labels: { [regionLabel]: region, [diskLabel]: volume } },
    });
    const mounts: Values[] = [mountOf(region, volume, diskAt)];
    let release = async (): Promise<void> => undefined;
    if (source.from === 'disk') {
      if (!(await api.find(`/volumes/${volumeName(region, source.volume)}`)))
        throw new Fault('refused', 'The Docker Engine no longer has the content of the source disk.');
      mounts.push(mountOf(region, source.volume, '/source', true));
      release = await this.#frozen(source.volume);
    }
    const script = { image: fillFromImage, disk: fillFromDisk, blank: fillBlank }[source.from];
    const input = disk.seed === null ? '' : seal.open(disk.seed);
    try {
      await runWork(api, { region, id: volume, image, script, mounts, input });
    } finally {
      await release();
    }
  }

  // Pauses the machine that writes to a volume while its content is copied, so that the copy is consistent.
  async #frozen(volume: string): Promise<() => Promise<void>> {
    const { api, region } = this.#tools;
    const users = await api.json<{ Id: string }[]>('GET', '/containers/json', {
      query: {
        filters: JSON.stringify({
          volume: [volumeName(region, volume)],
          status: ['running'],
          label: [`${regionLabel}=${region}`],
        }),
      },
    });
    const paused: string[] = [];
    for (const { Id } of users) {
      try {
        await api.json('POST', `/containers/${Id}/pause`);
        paused.push(Id);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error; // it has just ended, or the engine can't pause
      }
    }
    return async () => {
      for (const id of paused) await api.settle('POST', `/containers/${id}/unpause`, undefined, [404, 409, 500]);
    };
  }

  async #inTurn(volume: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(volume) ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#turns.set(volume, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(volume) === turn) this.#turns.delete(volume);
    }
  }
}

const blank = { images: [] as string[], image: null };

function demandRoom(sizeGb: number, neededGb: number): void {
  if (sizeGb < neededGb) throw new Fault('refused', `${sizeGb} GB are too small: the content needs ${neededGb} GB.`);
}

function formatOf(userData: string | undefined): UserDataFormat | null {
  if (userData === undefined) return null;
  const found = userDataFormat(userData);
  if ('problem' in found) throw new Fault('refused', found.problem);
  return found.format;
}

// A line for each file, as the scripts that fill disks read them. cloud-init runs once for each instance-id.
function seedOf(id: string, { hostname, passwordHash, userData }: FirstBoot, keys: readonly string[]): string {
  const meta = [`instance-id: ${id}`, ...(hostname ? [`local-hostname: ${hostname}`] : [])].join('\n');
  const files: [name: string, content: Buffer][] = [['meta-data', Buffer.from(`${meta}\n`)]];
  if (keys.length > 0) files.push(['keys', Buffer.from(`${keys.map((key) => key.trim()).join('\n')}\n`)]);
  if (passwordHash !== undefined) files.push(['password', Buffer.from(passwordHash)]);
  if (userData !== undefined) files.push(['user-data', Buffer.from(userData, 'base64')]);
  return files.map(([name, content]) => `${name} ${content.toString('base64')}\n`).join('');
}
