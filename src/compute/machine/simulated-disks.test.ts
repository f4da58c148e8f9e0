// The disk contract over simulated disks, and what only they promise: contents by hash, bounded handles.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diskContract } from './contract/machines.ts';
import { SimulatedDisks } from './simulated-disks.ts';

diskContract('simulated disks', async () => {
  const disks = new SimulatedDisks('key');
  return { disks, write: (handle, mark) => disks.write(handle, mark), reopen: async () => new SimulatedDisks('key') };
});

const disks = new SimulatedDisks('key');
const image = { from: 'image', id: 'd', name: 'Debian 12' } as const;

test('contents depend on the key of the region, so nobody can try guesses on them', () => {
  const made = (key: string) => new SimulatedDisks(key).create(image, 10);
  assert.equal(made('a').content, made('a').content);
  assert.notEqual(made('a').content, made('b').content);
});

test('a handle stays small however often the disk is written to, and knows its image', () => {
  let disk = disks.create(image, 10);
  for (let count = 0; count < 1000; count++) disk = disks.write(disk, String(count));
  assert.ok(JSON.stringify(disk).length < 2000);
  assert.equal(disks.describe(disk).image?.name, 'Debian 12');
});

test('keys are told by the fingerprint that ssh-keygen shows, a few of many', () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@example';
  const disk = disks.prepare(disks.create(image, 10), { sshKeys: [' ', ...Array<string>(9).fill(key)] });
  const { keys, sshKeys } = disk.prepared as { keys: string[]; sshKeys: number };
  assert.equal(sshKeys, 9);
  assert.deepEqual(keys, Array(5).fill('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'));
  assert.ok(!JSON.stringify(disk).includes('ada@example'));
});

test('a handle of another engine is not taken for one of these', () => {
  assert.throws(() => disks.describe({ engine: 'qemu', path: 'x' }), /qemu/);
  assert.throws(() => disks.remove({}), /undefined/);
});
