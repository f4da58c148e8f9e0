// Simulated disks without bytes: a disk is the hash chain of its history, and its content is the last hash. Equal
// histories have equal contents, and a snapshot or clone costs nothing. All state is in the handle. Secrets enter the
// chain only as keyed hashes, so that they can't be guessed from a handle.
import { hash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import type { DiskEngine, DiskFacts, DiskHandle, FirstBoot } from './engine.ts';
import { type UserDataFormat, userDataFormat } from './userdata.ts';

type Link = DiskFacts['lineage'][number];

// What a disk holds, apart from how large it is: all that is copied and restored.
type Contents = {
  content: string;
  image: { id: string; name: string } | null;
  prepared: Prepared | null;
  bootedBy: string | null;
  lineage: Link[];
};

export type Prepared = {
  id: string; // the content that it made, which no other data makes
  under: string; // the content before it
  hostname: string;
  format: UserDataFormat | null;
  keys: string[]; // fingerprints, not more than are shown
  sshKeys: number;
  hasPassword: boolean;
};

export type SimulatedDisk = Contents & { engine: 'simulated'; sizeGb: number };

const maxLinks = 16;
const maxKeysShown = 5;

export class SimulatedDisks implements DiskEngine {
  #key: string;

  // The key is the region's: with another one, equal contents of before and after differ.
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
    const told = [data.hostname ?? '', data.passwordHash ?? '', data.userData ?? '', ...keys];
    const next = this.#chained(disk, 'prepared', JSON.stringify(told));
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

  // What a system does to its disk, as far as a simulation can: some mark, and the content is another one.
  write(handle: DiskHandle, mark: string): DiskHandle {
    return packed(this.#chained(diskOf(handle), 'written', mark));
  }

  describe(handle: DiskHandle): DiskFacts {
    const { sizeGb, content, image, prepared, bootedBy, lineage } = diskOf(handle);
    const shown = prepared && {
      hostname: prepared.hostname,
      format: prepared.format,
      sshKeys: prepared.sshKeys,
      hasPassword: prepared.hasPassword,
    };
    return { sizeGb, content, bootable: image !== null, image, prepared: shown, bootedBy, lineage };
  }

  remove(handle: DiskHandle): void {
    diskOf(handle);
  }

  #chained(disk: SimulatedDisk, how: Link['how'], what: string): SimulatedDisk {
    const content = this.#hash(disk.content, how, what);
    return { ...disk, content, lineage: [...disk.lineage, { content, how }].slice(-maxLinks) };
  }

  #hash(before: string, how: string, what: string): string {
    return hash('sha256', `${this.#key} ${before} ${how} ${what} ${this.#key}`).slice(0, 32);
  }
}

// What it does not have is left out of it: every volume's row has one of these.
const packed = (disk: SimulatedDisk): DiskHandle =>
  Object.fromEntries(Object.entries(disk).filter(([, value]) => value !== null));

export function diskOf(handle: DiskHandle): SimulatedDisk {
  if (handle.engine !== 'simulated') throw new Error(`a disk of the engine ${handle.engine} is not simulated`);
  return { image: null, prepared: null, bootedBy: null, ...handle } as SimulatedDisk;
}

const blank: Contents = { content: '', image: null, prepared: null, bootedBy: null, lineage: [] };
const sized = (contents: Contents, sizeGb: number): SimulatedDisk => ({ engine: 'simulated', sizeGb, ...contents });

function demandRoom(sizeGb: number, neededGb: number): void {
  if (sizeGb < neededGb) throw new Fault('refused', `${sizeGb} GB are too few: the content takes ${neededGb} GB.`);
}

// Without what was prepared last, where no boot has taken it.
function untaken(disk: SimulatedDisk): SimulatedDisk {
  const { prepared, content, lineage } = disk;
  if (prepared?.id !== content) return disk;
  return { ...disk, content: prepared.under, prepared: null, lineage: lineage.slice(0, -1) };
}

function formatOf(userData: string | undefined): UserDataFormat | null {
  if (userData === undefined) return null;
  const told = userDataFormat(userData);
  if ('problem' in told) throw new Fault('refused', told.problem);
  return told.format;
}

// As ssh-keygen -l tells it. The key itself is write-only to clients, and not kept with its comment either.
function fingerprint(key: string): string {
  const words = key.trim().split(/\s+/);
  const bytes = Buffer.from(words.find((word) => word.startsWith('AAAA')) ?? key, 'base64');
  return `SHA256:${hash('sha256', bytes, 'base64').replace(/=+$/, '')}`;
}
