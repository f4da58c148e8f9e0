// The disk contract over simulated disks, and their own guarantees: contents by hash, bounded handles.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diskContract } from './contract/machines.ts';
import type { DiskHandle, FirstBoot } from './engine.ts';
import { SimulatedDisks } from './simulated-disks.ts';

diskContract('simulated disks', async () => {
  const disks = new SimulatedDisks('key');
  return {
    disks,
    write: (handle, mark) => disks.write(handle, mark),
    content: (handle) => disks.describe(handle).content,
    reopenDisks: async () => new SimulatedDisks('key'),
  };
});

const disks = new SimulatedDisks('key');
const image = { from: 'image', id: 'd', name: 'Debian 12' } as const;

test("contents depend on the key of the region, so guesses can't be verified", () => {
  const made = (key: string) => new SimulatedDisks(key).create(image, 10);
  assert.equal(made('a').content, made('a').content);
  assert.notEqual(made('a').content, made('b').content);
});

test('a handle stays small after any number of writes, and knows its image', () => {
  let disk = disks.create(image, 10);
  for (let count = 0; count < 1000; count++) disk = disks.write(disk, String(count));
  assert.ok(JSON.stringify(disk).length < 2000);
  assert.equal(disks.describe(disk).image?.name, 'Debian 12');
});

test('keys are shown by the fingerprint of ssh-keygen, up to a maximum', () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@example';
  const disk = disks.prepare(disks.create(image, 10), { sshKeys: [' ', ...Array<string>(9).fill(key)] });
  const { keys, sshKeys } = disk.prepared as { keys: string[]; sshKeys: number };
  assert.equal(sshKeys, 9);
  assert.deepEqual(keys, Array(5).fill('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'));
  assert.ok(!JSON.stringify(disk).includes('ada@example'));
});

test('equal histories have equal contents', () => {
  const contentOf = (handle: DiskHandle): string => disks.describe(handle).content;
  const disk = disks.create(image, 10);
  const ubuntu = disks.create({ from: 'image', id: 'u', name: 'Ubuntu 24.04' }, 10);
  assert.notEqual(contentOf(ubuntu), contentOf(disk));
  assert.equal(contentOf(disks.create({ from: 'blank' }, 10)), contentOf(disks.create({ from: 'blank' }, 30)));
  const [once, other] = [disks.write(disk, 'a'), disks.write(disk, 'b')];
  const twice = disks.write(once, 'b');
  assert.equal(new Set([disk, once, other, twice].map(contentOf)).size, 4);
  assert.equal(contentOf(disks.write(disks.write(disks.create(image, 10), 'a'), 'b')), contentOf(twice));
});

test('the lineage ends with the content, oldest first', () => {
  const disk = disks.write(disks.prepare(disks.create(image, 10), { hostname: 'x' }), 'a');
  const { lineage, content } = disks.describe(disk);
  assert.deepEqual(
    lineage.map(({ how }) => how),
    ['image', 'prepared', 'written'],
  );
  assert.equal(lineage.at(-1)?.content, content);
});

test('the same first-boot data results in the same content, and other data replaces it', () => {
  const data = { hostname: 'web-1', sshKeys: ['ssh-rsa AAAAB3NzaC1yc2E='], passwordHash: '$6$x', userData: 'I2Nsb3Vk' };
  const disk = disks.create(image, 10);
  const contentOf = (given: FirstBoot): string => disks.describe(disks.prepare(disk, given)).content;
  const first = contentOf(data);
  assert.equal(contentOf({ ...data }), first);
  const others = [{ passwordHash: 'x' }, { hostname: 'x' }, { sshKeys: [] }, { userData: 'IyE=' }];
  assert.equal(new Set([first, ...others.map((other) => contentOf({ ...data, ...other }))]).size, 5);
  const replaced = disks.prepare(disks.prepare(disk, { hostname: 'x' }), data);
  assert.equal(disks.describe(replaced).content, first);
  assert.equal(disks.describe(disks.prepare(replaced, data)).content, first);
});

test('a boot changes the content, once for each machine', () => {
  const contentOf = (handle: DiskHandle): string => disks.describe(handle).content;
  const disk = disks.prepare(disks.create(image, 10), { hostname: 'x' });
  const booted = disks.booted(disk, 'A');
  assert.notEqual(contentOf(booted), contentOf(disk));
  assert.equal(contentOf(disks.booted(booted, 'A')), contentOf(booted));
  assert.notEqual(contentOf(disks.booted(disk, 'B')), contentOf(booted));
  assert.notEqual(contentOf(disks.prepare(booted, { hostname: 'x' })), contentOf(disk));
});

test('a handle of another engine is refused', () => {
  assert.throws(() => disks.describe({ engine: 'qemu', path: 'x' }), /qemu/);
  assert.throws(() => disks.remove({}), /undefined/);
});
