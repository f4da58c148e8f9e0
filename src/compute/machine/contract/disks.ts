// The contract suite of disk engines. Writing to a disk is specific to an engine, so `write` is passed in.
import assert from 'node:assert/strict';
import { Fault } from '../../../base/fault.ts';
import type { Values } from '../../../base/json.ts';
import { type ContractCase, engineContract } from '../../../testing/engine-contract.ts';
import type { DiskEngine, DiskHandle, FirstBoot } from '../engine.ts';

export interface DiskBench {
  disks: DiskEngine;
  // Puts a mark on the disk, as a machine would.
  write(handle: DiskHandle, mark: string): DiskHandle | Promise<DiskHandle>;
  // The engine as a new process opens it.
  reopen(): Promise<DiskEngine>;
  close?(): Promise<void>;
}

type Case = ContractCase<DiskBench>;

export function diskContract(
  name: string,
  open: () => Promise<DiskBench>,
  except: Record<string, string> = {}, // title: the reason
): void {
  engineContract(name, open, { contents, snapshots, sizes, 'first boot': firstBoots, handles }, { except });
}

const debian = { from: 'image', id: 'd', name: 'Debian 12' } as const;
const ubuntu = { from: 'image', id: 'u', name: 'Ubuntu 24.04' } as const;
const blank = { from: 'blank' } as const;
const userData = Buffer.from('#cloud-config\npassword: Planted-user-data\n').toString('base64');
const data: FirstBoot = {
  hostname: 'web-1',
  sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPlantedKey ada@example', 'ssh-rsa AAAAB3NzaC1yc2E='],
  passwordHash: '$6$salt$PlantedPasswordHash',
  userData,
};

const contentOf = async ({ disks }: DiskBench, handle: DiskHandle): Promise<string> =>
  (await disks.describe(handle)).content;
const isRefused = (error: unknown): boolean => error instanceof Fault && error.kind === 'refused';
const copied = (handle: DiskHandle): Values => JSON.parse(JSON.stringify(handle)) as Values;

function contents(test: Case): void {
  test('a disk of an image boots and knows it, a blank one does not', async ({ disks }) => {
    const made = await disks.describe(await disks.create(debian, 10));
    assert.deepEqual([made.bootable, made.image, made.sizeGb], [true, { id: 'd', name: 'Debian 12' }, 10]);
    assert.deepEqual([made.prepared, made.bootedBy], [null, null]);
    const empty = await disks.describe(await disks.create(blank, 10));
    assert.deepEqual([empty.bootable, empty.image], [false, null]);
  });

  test('equal content is told by equal text', async (bench) => {
    const { disks } = bench;
    const first = await contentOf(bench, await disks.create(debian, 10));
    assert.equal(await contentOf(bench, await disks.create(debian, 20)), first);
    assert.notEqual(await contentOf(bench, await disks.create(ubuntu, 10)), first);
    const empty = await contentOf(bench, await disks.create(blank, 10));
    assert.equal(await contentOf(bench, await disks.create(blank, 30)), empty);
    assert.notEqual(empty, first);
  });

  test('what is written makes another content, the same after the same writes', async (bench) => {
    const { disks, write } = bench;
    const disk = await disks.create(debian, 10);
    const [once, other] = [await write(disk, 'a'), await write(disk, 'b')];
    const twice = await write(once, 'b');
    const all = await Promise.all([disk, once, other, twice].map((one) => contentOf(bench, one)));
    assert.equal(new Set(all).size, 4);
    const again = await write(await write(await disks.create(debian, 10), 'a'), 'b');
    assert.equal(await contentOf(bench, again), all[3]);
  });

  test('the lineage ends with the content, oldest first', async (bench) => {
    const { disks, write } = bench;
    const disk = await write(await disks.prepare(await disks.create(debian, 10), data), 'a');
    const { lineage, content } = await disks.describe(disk);
    assert.deepEqual(
      lineage.map(({ how }) => how),
      ['image', 'prepared', 'written'],
    );
    assert.equal(lineage.at(-1)?.content, content);
  });
}

function snapshots(test: Case): void {
  test('[CORE-17] a snapshot keeps the content while the disk goes on, and puts it back', async (bench) => {
    const { disks, write } = bench;
    const disk = await write(await disks.create(debian, 10), 'before');
    const snapshot = await disks.copy(disk);
    const then = await contentOf(bench, snapshot);
    assert.equal(then, await contentOf(bench, disk));
    const later = await disks.booted(await write(disk, 'after'), 'machine');
    assert.notEqual(await contentOf(bench, later), then);
    assert.equal(await contentOf(bench, snapshot), then);
    const restored = await disks.restore(later, snapshot);
    assert.equal(await contentOf(bench, restored), then);
    assert.equal(await contentOf(bench, await disks.restore(restored, snapshot)), then);
    assert.equal((await disks.describe(restored)).bootedBy, null);
  });

  test('[CORE-17] a snapshot seeds new disks, each on its own, also when its disk is gone', async (bench) => {
    const { disks, write } = bench;
    const disk = await write(await disks.create(debian, 10), 'before');
    const snapshot = await disks.copy(disk);
    const then = await contentOf(bench, disk);
    await disks.remove(disk);
    const [first, second] = [
      await disks.create({ from: 'disk', disk: snapshot }, 10),
      await disks.create({ from: 'disk', disk: snapshot }, 20),
    ];
    assert.notEqual(await contentOf(bench, await write(first, 'own')), then);
    for (const one of [second, snapshot]) assert.equal(await contentOf(bench, one), then);
    const { image, sizeGb } = await disks.describe(second);
    assert.deepEqual([image?.id, sizeGb], ['d', 20]);
  });
}

function sizes(test: Case): void {
  test('a disk grows and keeps its content', async (bench) => {
    const { disks } = bench;
    const disk = await disks.create(debian, 10);
    const larger = await disks.resize(disk, 15);
    assert.equal((await disks.describe(larger)).sizeGb, 15);
    assert.equal(await contentOf(bench, larger), await contentOf(bench, disk));
    assert.equal((await disks.describe(await disks.resize(larger, 15))).sizeGb, 15);
  });

  test('nothing is cut off: what is too small is refused', async ({ disks }) => {
    const disk = await disks.create(debian, 10);
    const small = await disks.create(blank, 5);
    const refused = async (call: () => unknown): Promise<void> => assert.rejects(async () => await call(), isRefused);
    await refused(() => disks.resize(disk, 9));
    await refused(() => disks.create({ from: 'disk', disk }, 9));
    await refused(() => disks.create({ ...debian, sizeGb: 4 }, 3));
    await refused(() => disks.restore(small, disk));
    assert.equal((await disks.describe(small)).sizeGb, 5);
  });

  test('a restored disk keeps its own size', async ({ disks }) => {
    const restored = await disks.restore(await disks.create(blank, 20), await disks.create(debian, 10));
    const { sizeGb, bootable } = await disks.describe(restored);
    assert.deepEqual([sizeGb, bootable], [20, true]);
  });
}

function firstBoots(test: Case): void {
  test('[CORE-14] what is prepared is told, and nothing secret of it can be read', async (bench) => {
    const { disks } = bench;
    const disk = await disks.create(debian, 10);
    const prepared = await disks.prepare(disk, data);
    assert.deepEqual((await disks.describe(prepared)).prepared, {
      hostname: 'web-1',
      format: 'cloud-config',
      sshKeys: 2,
      hasPassword: true,
    });
    assert.notEqual(await contentOf(bench, prepared), await contentOf(bench, disk));
    const kept = JSON.stringify([prepared, await disks.describe(prepared)]);
    for (const secret of ['Planted-user-data', 'PlantedPasswordHash', 'PlantedKey', userData, userData.slice(12, 40)])
      assert.ok(!kept.includes(secret), secret);
  });

  test('nothing at all can be prepared', async ({ disks }) => {
    const { prepared } = await disks.describe(await disks.prepare(await disks.create(debian, 10), {}));
    assert.deepEqual(prepared, { hostname: '', format: null, sshKeys: 0, hasPassword: false });
  });

  test('the same data makes the same content, other data another, and replaces it', async (bench) => {
    const { disks } = bench;
    const disk = await disks.create(debian, 10);
    const content = async (given: FirstBoot): Promise<string> => contentOf(bench, await disks.prepare(disk, given));
    const first = await content(data);
    assert.equal(await content({ ...data }), first);
    const others = [{ passwordHash: 'x' }, { hostname: 'x' }, { sshKeys: [] }, { userData: 'IyE=' }];
    const all = await Promise.all(others.map((other) => content({ ...data, ...other })));
    assert.equal(new Set([first, ...all]).size, 5);
    const replaced = await disks.prepare(await disks.prepare(disk, { hostname: 'x' }), data);
    assert.equal(await contentOf(bench, replaced), first);
    assert.equal(await contentOf(bench, await disks.prepare(replaced, data)), first);
  });

  test('a boot takes it: another content, once for each machine', async (bench) => {
    const { disks } = bench;
    const disk = await disks.prepare(await disks.create(debian, 10), data);
    const booted = await disks.booted(disk, 'A');
    assert.equal((await disks.describe(booted)).bootedBy, 'A');
    assert.notEqual(await contentOf(bench, booted), await contentOf(bench, disk));
    assert.equal(await contentOf(bench, await disks.booted(booted, 'A')), await contentOf(bench, booted));
    assert.notEqual(await contentOf(bench, await disks.booted(disk, 'B')), await contentOf(bench, booted));
    const again = await disks.prepare(booted, data);
    assert.equal((await disks.describe(again)).bootedBy, null);
    assert.notEqual(await contentOf(bench, again), await contentOf(bench, disk));
  });

  test('[CORE-14] user data of no known format is kept; what is no base64 is refused', async ({ disks }) => {
    const disk = await disks.create(debian, 10);
    const kept = await disks.prepare(disk, { userData: 'aGVsbG8=' });
    assert.equal((await disks.describe(kept)).prepared?.format, 'unhandled');
    await assert.rejects(async () => await disks.prepare(disk, { userData: '#cloud-config' }), isRefused);
  });
}

function handles(test: Case): void {
  test('are plain data, and another process goes on with them', async (bench) => {
    const disk = await bench.disks.prepare(await bench.disks.create(debian, 10), data);
    const kept = copied(disk);
    assert.deepEqual(kept, disk);
    const disks = await bench.reopen();
    assert.deepEqual(await disks.describe(kept), await bench.disks.describe(disk));
    assert.deepEqual(await disks.describe(await disks.prepare(kept, data)), await bench.disks.describe(disk));
  });

  test('are not changed by what is done, and the same call has the same effect again', async (bench) => {
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
