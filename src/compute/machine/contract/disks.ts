// The contract suite of disk engines. Each engine writes to a disk in its own way, so `write` is passed in.
import assert from 'node:assert/strict';
import { Fault } from '../../../base/fault.ts';
import type { Values } from '../../../base/json.ts';
import { type ContractCase, type ContractOptions, engineContract } from '../../../testing/engine-contract.ts';
import type { DiskEngine, DiskHandle, FirstBoot } from '../engine.ts';

export interface DiskBench {
  disks: DiskEngine;
  // Writes a mark to the disk, like a machine. Only the returned handle is used from then on.
  write(handle: DiskHandle, mark: string): DiskHandle | Promise<DiskHandle>;
  // The same text for the same content.
  content(handle: DiskHandle): string | Promise<string>;
  // The engine as a new process opens it.
  reopenDisks(): Promise<DiskEngine>;
  close?(): Promise<void>;
}

type Case = ContractCase<DiskBench>;

export function diskContract(name: string, open: () => Promise<DiskBench>, options: ContractOptions = {}): void {
  engineContract(name, open, { contents, snapshots, sizes, 'first boot': firstBoots, handles }, options);
}

const debian = { from: 'image', id: 'd', name: 'Debian 12', names: ['debian:latest'] } as const;
const ubuntu = { from: 'image', id: 'u', name: 'Ubuntu 24.04', names: ['ubuntu:latest'] } as const;
const blank = { from: 'blank' } as const;
const userData = Buffer.from('#cloud-config\npassword: Planted-user-data\n').toString('base64');
const data: FirstBoot = {
  hostname: 'web-1',
  sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPlantedKey ada@example', 'ssh-rsa AAAAB3NzaC1yc2E='],
  passwordHash: '$6$salt$PlantedPasswordHash',
  userData,
};

// Creates the real disk.
async function real({ disks }: DiskBench, handle: DiskHandle): Promise<DiskHandle> {
  await disks.apply(handle);
  await disks.apply(handle);
  return handle;
}

const isRefused = (error: unknown): boolean => error instanceof Fault && error.kind === 'refused';
const copied = (handle: DiskHandle): Values => JSON.parse(JSON.stringify(handle)) as Values;

function contents(test: Case): void {
  test('a disk of an image boots and knows its image, a blank one does not', async ({ disks }) => {
    const made = await disks.describe(await disks.create(debian, 10));
    assert.deepEqual([made.bootable, made.image, made.sizeGb], [true, { id: 'd', name: 'Debian 12' }, 10]);
    assert.deepEqual([made.prepared, made.bootedBy], [null, null]);
    const empty = await disks.describe(await disks.create(blank, 10));
    assert.deepEqual([empty.bootable, empty.image], [false, null]);
  });

  test('a write changes the content', async (bench) => {
    const { disks } = bench;
    const disk = await real(bench, await disks.create(debian, 10));
    const fresh = await bench.content(disk);
    const once = await bench.write(disk, 'a');
    const first = await bench.content(once);
    const second = await bench.content(await bench.write(once, 'b'));
    assert.equal(new Set([fresh, first, second]).size, 3);
  });

  test('disks of one image have the same content, and a write to one does not change the other', async (bench) => {
    const { disks } = bench;
    const [one, other] = [await disks.create(debian, 10), await disks.create(debian, 20)];
    for (const disk of [one, other]) await real(bench, disk);
    const fresh = await bench.content(other);
    assert.equal(await bench.content(one), fresh);
    assert.notEqual(await bench.content(await bench.write(one, 'a')), fresh);
    assert.equal(await bench.content(other), fresh);
  });
}

function snapshots(test: Case): void {
  test('[CORE-17] a snapshot keeps the content while the disk changes, and restores it', async (bench) => {
    const { disks } = bench;
    const disk = await bench.write(await real(bench, await disks.create(debian, 10)), 'before');
    const snapshot = await real(bench, await disks.copy(disk));
    const then = await bench.content(snapshot);
    assert.equal(then, await bench.content(disk));
    const later = await bench.write(disk, 'after');
    assert.notEqual(await bench.content(later), then);
    assert.equal(await bench.content(snapshot), then);
    const restored = await real(bench, await disks.restore(later, snapshot));
    assert.equal(await bench.content(restored), then);
    assert.equal(await bench.content(await real(bench, await disks.restore(restored, snapshot))), then);
    assert.equal((await disks.describe(restored)).bootedBy, null);
  });

  test('[CORE-17] a snapshot is the source of independent new disks, also when its disk is removed', async (bench) => {
    const { disks } = bench;
    const disk = await bench.write(await real(bench, await disks.create(debian, 10)), 'before');
    const snapshot = await real(bench, await disks.copy(disk));
    const then = await bench.content(disk);
    await disks.remove(disk);
    const [first, second] = [
      await real(bench, await disks.create({ from: 'disk', disk: snapshot }, 10)),
      await real(bench, await disks.create({ from: 'disk', disk: snapshot }, 20)),
    ];
    assert.notEqual(await bench.content(await bench.write(first, 'own')), then);
    for (const one of [second, snapshot]) assert.equal(await bench.content(one), then);
    const { image, sizeGb } = await disks.describe(second);
    assert.deepEqual([image?.id, sizeGb], ['d', 20]);
  });
}

function sizes(test: Case): void {
  test('a disk grows and keeps its content', async (bench) => {
    const { disks } = bench;
    const disk = await bench.write(await real(bench, await disks.create(debian, 10)), 'a');
    const before = await bench.content(disk);
    const larger = await real(bench, await disks.resize(disk, 15));
    assert.equal((await disks.describe(larger)).sizeGb, 15);
    assert.equal(await bench.content(larger), before);
    assert.equal((await disks.describe(await disks.resize(larger, 15))).sizeGb, 15);
  });

  test('nothing is truncated: a size that is too small is refused', async ({ disks }) => {
    const disk = await disks.create(debian, 10);
    const small = await disks.create(blank, 5);
    const refused = async (call: () => unknown): Promise<void> => assert.rejects(async () => await call(), isRefused);
    await refused(() => disks.resize(disk, 9));
    await refused(() => disks.create({ from: 'disk', disk }, 9));
    await refused(() => disks.create({ ...debian, sizeGb: 4 }, 3));
    await refused(() => disks.restore(small, disk));
    assert.equal((await disks.describe(small)).sizeGb, 5);
  });

  test('a restored disk keeps its own size', async (bench) => {
    const { disks } = bench;
    const source = await real(bench, await disks.create(debian, 10));
    const restored = await real(bench, await disks.restore(await disks.create(blank, 20), source));
    const { sizeGb, bootable } = await disks.describe(restored);
    assert.deepEqual([sizeGb, bootable], [20, true]);
  });
}

function firstBoots(test: Case): void {
  test("[CORE-14] prepared data is described, and its secrets can't be read", async ({ disks }) => {
    const prepared = await disks.prepare(await disks.create(debian, 10), data);
    assert.deepEqual((await disks.describe(prepared)).prepared, {
      hostname: 'web-1',
      format: 'cloud-config',
      sshKeys: 2,
      hasPassword: true,
    });
    const kept = JSON.stringify([prepared, await disks.describe(prepared)]);
    for (const secret of ['Planted-user-data', 'PlantedPasswordHash', 'PlantedKey', userData, userData.slice(12, 40)])
      assert.ok(!kept.includes(secret), secret);
  });

  test('empty data can be prepared', async ({ disks }) => {
    const { prepared } = await disks.describe(await disks.prepare(await disks.create(debian, 10), {}));
    assert.deepEqual(prepared, { hostname: '', format: null, sshKeys: 0, hasPassword: false });
  });

  test('a boot consumes it, and new data can be prepared', async ({ disks }) => {
    const disk = await disks.prepare(await disks.create(debian, 10), data);
    const booted = await disks.booted(disk, 'A');
    assert.equal((await disks.describe(booted)).bootedBy, 'A');
    assert.equal((await disks.describe(await disks.booted(booted, 'A'))).bootedBy, 'A');
    const again = await disks.prepare(booted, { ...data, hostname: 'x' });
    const { bootedBy, prepared } = await disks.describe(again);
    assert.deepEqual([bootedBy, prepared?.hostname], [null, 'x']);
  });

  test('[CORE-14] user data of an unknown format is kept; invalid base64 is refused', async ({ disks }) => {
    const disk = await disks.create(debian, 10);
    const kept = await disks.prepare(disk, { userData: 'aGVsbG8=' });
    assert.equal((await disks.describe(kept)).prepared?.format, 'unhandled');
    await assert.rejects(async () => await disks.prepare(disk, { userData: '#cloud-config' }), isRefused);
  });
}

function handles(test: Case): void {
  test('are plain data, and another process continues with them', async (bench) => {
    const disk = await bench.disks.prepare(await bench.disks.create(debian, 10), data);
    const kept = copied(disk);
    assert.deepEqual(kept, disk);
    const disks = await bench.reopenDisks();
    assert.deepEqual(await disks.describe(kept), await bench.disks.describe(disk));
    assert.deepEqual(await disks.describe(await disks.prepare(kept, data)), await bench.disks.describe(disk));
  });

  test('are not mutated by calls, and the same call has the same effect again', async (bench) => {
    const { disks } = bench;
    const disk = await disks.prepare(await disks.create(debian, 10), { hostname: 'x' });
    const other = await disks.create(ubuntu, 5);
    const before = copied(disk);
    const calls = [
      () => disks.resize(disk, 20),
      () => disks.copy(disk),
      () => disks.restore(disk, other),
      () => disks.prepare(disk, data),
      () => disks.booted(disk, 'A'),
      () => disks.create({ from: 'disk', disk }, 10),
    ];
    for (const call of calls) {
      assert.deepEqual(await disks.describe(await call()), await disks.describe(await call()));
      assert.deepEqual(disk, before);
    }
  });

  test('can be removed twice', async ({ disks }) => {
    const disk = await disks.create(blank, 10);
    await disks.remove(disk);
    await disks.remove(disk);
  });
}
