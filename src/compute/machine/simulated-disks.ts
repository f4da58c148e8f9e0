// Simulated disks without bytes: a disk is the hash chain of its history, and its content is the last hash. Equal
// histories have equal contents, and a snapshot or clone costs nothing. All state is in the handle. Secrets enter the
// chain only as keyed hashes, so that they can't be guessed from a handle.
import { hash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import type { DiskEngine, DiskFacts, DiskHandle, FirstBoot } from './engine.ts';
import { type UserDataFormat, userDataFormat } from './userdata.ts';

type Link = { content: string; how: 'blank' | 'image' | 'prepared' | 'booted' | 'written' };

export interface SimulatedDiskFacts extends DiskFacts {
  content: string; // the same text for the same content
  lineage: Link[]; // oldest first
}

// The content of a disk without its size: all that is copied and restored.
type Contents = {
  content: string;
  image: { id: string; name: string } | null;
  prepared: Prepared | null;
  bootedBy: string | null;
  lineage: Link[];
};

export type Prepared = {
  id: string; // the resulting content, unique to this data
  under: string; // the content before it
  hostname: string;
  format: UserDataFormat | null;
  keys: string[]; // fingerprints, at most as many as are shown
  sshKeys: number;
  hasPassword: boolean;
};

export type SimulatedDisk = Contents & { engine: 'simulated'; sizeGb: number };

const maxLinks = 16;
const maxKeysShown = 5;

export class SimulatedDisks implements DiskEngine {
  readonly name = 'simulated';
  #key: string;

  // The key is the region's: with another key, equal contents would differ.
  constructor(key: string) {
    this.#key = key;
  }

  create(...[source, sizeGb]: Parameters<DiskEngine['create']>): DiskHandle {
    if (source.from === 'disk') return this.restore(sized(blank, sizeGb), source.disk);
    const image = source.from === 'image' ? { id: source.id, name: source.name } : null;
    if (source.from === 'image') demandRoom(sizeGb, source.sizeGb ?? 0);
    const begun = { ...blank, image, content: this.#hash('', source.from, image?.id ?? '') };
    return packed(sized({ ...begun, lineage: [{ content: begun.content, how: source.from }] }, sizeGb));
  }

  resize(handle: DiskHandle, sizeGb: number): DiskHandle {
    const disk = diskOf(handle);
    demandRoom(sizeGb, disk.sizeGb);
    return packed({ ...disk, sizeGb });
  }

  copy(handle: DiskHandle): DiskHandle {
    return packed(diskOf(handle));
  }

  restore(handle: DiskHandle, from: DiskHandle): DiskHandle {
    const { sizeGb } = diskOf(handle);
    const source = diskOf(from);
    demandRoom(sizeGb, source.sizeGb);
    return packed({ ...source, sizeGb });
  }

  prepare(handle: DiskHandle, data: FirstBoot): DiskHandle {
    const disk = untaken(diskOf(handle));
    const keys = (data.sshKeys ?? []).filter((key) => key.trim() !== '');
    const fields = [data.hostname ?? '', data.passwordHash ?? '', data.userData ?? '', ...keys];
    const next = this.#chained(disk, 'prepared', JSON.stringify(fields));
    const prepared: Prepared = {
      id: next.content,
      under: disk.content,
      hostname: data.hostname ?? '',
      format: formatOf(data.userData),
      keys: keys.slice(0, maxKeysShown).map(fingerprint),
      sshKeys: keys.length,
      hasPassword: data.passwordHash !== undefined,
    };
    return packed({ ...next, prepared, bootedBy: null });
  }

  booted(handle: DiskHandle, machineId: string): DiskHandle {
    const disk = diskOf(handle);
    if (disk.bootedBy === machineId) return handle;
    return packed({ ...this.#chained(disk, 'booted', machineId), bootedBy: machineId });
  }

  // The effect of a running system on its disk, reduced to a mark that changes the content.
  write(handle: DiskHandle, mark: string): DiskHandle {
    return packed(this.#chained(diskOf(handle), 'written', mark));
  }

  describe(handle: DiskHandle): SimulatedDiskFacts {
    const { sizeGb, content, image, prepared, bootedBy, lineage } = diskOf(handle);
    const shown = prepared && {
      hostname: prepared.hostname,
      format: prepared.format,
      sshKeys: prepared.sshKeys,
      hasPassword: prepared.hasPassword,
    };
    return { sizeGb, content, bootable: image !== null, image, prepared: shown, bootedBy, lineage };
  }

  apply(handle: DiskHandle): void {
    diskOf(handle);
  }

  remove(handle: DiskHandle): void {
    diskOf(handle);
  }

  sweep(): void {}

  async prepareImage(): Promise<void> {}

  #chained(disk: SimulatedDisk, how: Link['how'], what: string): SimulatedDisk {
    const content = this.#hash(disk.content, how, what);
    return { ...disk, content, lineage: [...disk.lineage, { content, how }].slice(-maxLinks) };
  }

  #hash(before: string, how: string, what: string): string {
    return hash('sha256', `${this.#key} ${before} ${how} ${what} ${this.#key}`).slice(0, 32);
  }
}

// Absent values are omitted: every volume's row has such a handle.
const packed = (disk: SimulatedDisk): DiskHandle =>
  Object.fromEntries(Object.entries(disk).filter(([, value]) => value !== null));

export function diskOf(handle: DiskHandle): SimulatedDisk {
  if (handle.engine !== 'simulated') throw new Error(`a disk of the engine ${handle.engine} is not simulated`);
  return { image: null, prepared: null, bootedBy: null, ...handle } as SimulatedDisk;
}

const blank: Contents = { content: '', image: null, prepared: null, bootedBy: null, lineage: [] };
const sized = (contents: Contents, sizeGb: number): SimulatedDisk => ({ engine: 'simulated', sizeGb, ...contents });

function demandRoom(sizeGb: number, neededGb: number): void {
  if (sizeGb < neededGb) throw new Fault('refused', `${sizeGb} GB are too small: the content needs ${neededGb} GB.`);
}

// Without the last prepared data, if no boot has consumed it.
function untaken(disk: SimulatedDisk): SimulatedDisk {
  const { prepared, content, lineage } = disk;
  if (prepared?.id !== content) return disk;
  return { ...disk, content: prepared.under, prepared: null, lineage: lineage.slice(0, -1) };
}

function formatOf(userData: string | undefined): UserDataFormat | null {
  if (userData === undefined) return null;
  const found = userDataFormat(userData);
  if ('problem' in found) throw new Fault('refused', found.problem);
  return found.format;
}

// As ssh-keygen -l prints it. Clients can't read the key itself, and its comment is not stored either.
function fingerprint(key: string): string {
  const words = key.trim().split(/\s+/);
  const bytes = Buffer.from(words.find((word) => word.startsWith('AAAA')) ?? key, 'base64');
  return `SHA256:${hash('sha256', bytes, 'base64').replace(/=+$/, '')}`;
}
