// The machine contract over simulated machines, and their own guarantees: the console line by line, a reproducible
// past, small handles.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { machineContract } from './contract/machines.ts';
import type { DiskHandle, FirstBoot, MachineHandle } from './engine.ts';
import { loadFrom, withLoad } from './load.ts';
import { SimulatedDisks } from './simulated-disks.ts';
import { SimulatedMachines } from './simulated-machines.ts';

const begin = Date.UTC(2026, 0, 2, 3, 4, 5);

function bench() {
  let time = begin;
  const now = (): number => time;
  const pass = (ms: number): void => {
    time += ms;
  };
  return { machines: new SimulatedMachines(now), disks: new SimulatedDisks('key'), now, pass };
}

machineContract('simulated machines', async () => {
  const { pass, now, ...engines } = bench();
  return {
    ...engines,
    now,
    manyBoots: 100,
    pass: async (ms) => pass(ms),
    reopen: async () => new SimulatedMachines(now),
  };
});

const image = { from: 'image', id: 'd', name: 'Debian-12-server' } as const;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function booted(on: ReturnType<typeof bench>, disk: DiskHandle, kind: 'volume' | 'cdrom' = 'volume'): MachineHandle {
  const made = on.machines.create({ id: 's', hostname: 'web-1', cores: 2, ram: 4096 });
  return on.machines.start(on.machines.attach(made, { id: 'V', kind, disk, boot: true }));
}

suite('the console of a simulated machine', () => {
  test('[CORE-14] shows the first boot line by line, and that later ones have nothing new', () => {
    const on = bench();
    const { machines, disks } = on;
    const data: FirstBoot = {
      sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@example'],
      passwordHash: '$6$salt$hash',
      userData: base64('#cloud-config\n'),
    };
    let handle = booted(on, disks.prepare(disks.create(image, 10), data));
    on.pass(60_000);
    const first = `2026-01-02T03:04:05.000Z power on
[     0.000] firmware: 2 cores, 4096 MB of memory
[     0.100] firmware: booting from volume V
[     0.300] kernel: Debian-12-server starts on 2 processors
[     0.500] cloud-init: first boot with this data
[     0.550] cloud-init: the hostname is web-1
[     0.600] cloud-init: password set for root
[     0.650] cloud-init: 1 SSH key installed for root
[     0.650] cloud-init:   SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU
[     0.800] cloud-init: user data is cloud config (#cloud-config): its modules ran
[     0.900] cloud-init: done

Debian-12-server web-1 ttyS0

web-1 login: `;
    assert.equal(machines.console(handle, on.now()), first);
    handle = machines.stop(handle, 1000);
    on.pass(1000);
    handle = machines.start(handle);
    on.pass(60_000);
    const second = `
[    60.000] system: all services ended
[    60.000] kernel: power down

2026-01-02T03:05:06.000Z power on
[     0.000] firmware: 2 cores, 4096 MB of memory
[     0.100] firmware: booting from volume V
[     0.300] kernel: Debian-12-server starts on 2 processors
[     0.600] cloud-init: nothing new to do

Debian-12-server web-1 ttyS0

web-1 login: `;
    assert.equal(machines.console(handle, on.now()), first + second);
    assert.equal(machines.console(handle, begin + 59_000), first, 'unchanged');
  });

  test('[CORE-14] names each format of user data', () => {
    const formats = {
      '#cloud-config\n': /user data is cloud config \(#cloud-config\)/,
      '#!/bin/sh\n': /user data is a script \(#!\)/,
      'Content-Type: text/x-shellscript\n': /user data is a script \(Content-Type: text\/x-shellscript\)/,
      '#include\n': /user data is a list of addresses \(#include\)/,
      '#upstart-job\n': /user data is an Upstart job/,
      hello: /user data is of an unknown format\n.*cloud-init: warning: unhandled user data\n/,
    };
    for (const [text, sought] of Object.entries(formats)) {
      const on = bench();
      const handle = booted(on, on.disks.prepare(on.disks.create(image, 10), { userData: base64(text) }));
      assert.match(on.machines.console(handle, begin + 2000), sought);
    }
  });

  test('appears line by line, waits while it is suspended and ends with the power', () => {
    const on = bench();
    const { machines } = on;
    let handle = booted(on, on.disks.create(image, 10));
    assert.match(machines.console(handle, begin + 200), /booting from volume V\n$/);
    on.pass(200);
    handle = machines.suspend(handle);
    on.pass(10_000);
    assert.match(machines.console(handle, on.now()), /\[ {5}0\.200\] kernel: suspended\n$/);
    handle = machines.resume(handle);
    assert.match(machines.console(handle, on.now() + 50), /\[ {4}10\.200\] kernel: resumed\n$/);
    assert.match(machines.console(handle, on.now() + 100), /Debian-12-server starts on 2 processors\n$/);
    on.pass(100);
    const cut = machines.stop(handle, 0);
    assert.match(
      machines.console(cut, on.now() + 60_000),
      /starts on 2 processors\n$/,
      'no line after the power was cut',
    );
    assert.match(machines.console(machines.stop(handle, 1), on.now()), /kernel: power down\n$/);
    assert.match(machines.console(handle, on.now() + 60_000), /login: $/);
  });

  test('shows devices that are attached while it runs', () => {
    const on = bench();
    const { machines } = on;
    let handle = booted(on, on.disks.create(image, 10));
    on.pass(700);
    handle = machines.attach(handle, { id: 'N', kind: 'nic' });
    on.pass(2000);
    handle = machines.attach(handle, { id: 'N', kind: 'nic', mac: '02:01:00:00:00:02' });
    handle = machines.detach(handle, 'N');
    const text = machines.console(handle, on.now());
    assert.match(text, /0\.700\] kernel: NIC N attached\n\nDebian/);
    assert.match(text, /web-1 login: \n\[ {5}2\.700\] kernel: NIC N detached\n$/);
    assert.equal(text.match(/attached/g)?.length, 1);
  });

  test('of an installer waits, and the hostname of a boot stays until the next', () => {
    const on = bench();
    const { machines } = on;
    const installer = booted(on, on.disks.create(image, 1), 'cdrom');
    assert.match(machines.console(installer, begin + 2000), /booting from CD-ROM V\n[\s\S]*installer: waits[\s\S]*\n$/);
    let handle = booted(on, on.disks.create(image, 10));
    handle = machines.resize(handle, { cores: 1, ram: 1024, hostname: 'web-2\u0007' });
    assert.match(machines.console(handle, begin + 2000), /2 cores, 4096 MB[\s\S]*web-1 login: $/);
    on.pass(5000);
    assert.match(machines.console(machines.reset(handle), on.now() + 2000), /1 core, 1024 MB[\s\S]*\nweb-2\? login: $/);
  });

  test('forgets old lines, and shows that', () => {
    const on = bench();
    let handle = booted(on, on.disks.create(image, 10));
    for (let count = 0; count < 32; count++) {
      on.pass(2000);
      handle = on.machines.reset(handle);
    }
    const text = on.machines.console(handle, on.now());
    assert.ok(text.startsWith('(earlier lines were dropped)\n'));
    assert.equal(text.match(/power on/g)?.length, 32);
  });
});

suite('a first boot', () => {
  test('is consumed once by a machine, whatever disk handle the caller keeps', () => {
    const on = bench();
    const { machines, disks } = on;
    const disk = disks.prepare(disks.create(image, 10), { hostname: 'other' });
    const device = { id: 'V', kind: 'volume', disk, boot: true } as const;
    const firsts = (handle: MachineHandle): number =>
      machines.console(handle, on.now() + 2000).match(/first boot/g)?.length ?? 0;
    let handle = machines.start(
      machines.attach(machines.create({ id: 's', hostname: '', cores: 1, ram: 256 }), device),
    );
    assert.match(machines.console(handle, begin + 2000), /the hostname is other[\s\S]*other login: $/);
    on.pass(5000);
    handle = machines.reset(machines.attach(machines.detach(handle, 'V'), device));
    assert.equal(firsts(handle), 1);
    const second = machines.create({ id: 't', hostname: '', cores: 1, ram: 256 });
    assert.equal(firsts(machines.start(machines.attach(second, device))), 1, 'another machine');
    const taken = { ...device, disk: disks.booted(disk, 's') };
    const third = machines.start(machines.attach(second, taken));
    assert.equal(firsts(third), 0, 'it was already consumed');
    assert.match(machines.console(third, on.now() + 2000), /\nother login: $/);
    on.pass(5000);
    const fresh = { ...device, disk: disks.prepare(taken.disk, { hostname: 'new' }) };
    assert.equal(firsts(machines.reset(machines.attach(handle, fresh))), 2, 'new data');
  });
});

suite('the past of a simulated machine', () => {
  test('can be computed by every node from the handle and the loads', () => {
    const on = bench();
    const { machines } = on;
    let handle = booted(on, on.disks.create(image, 10));
    let loads = withLoad([], loadFrom({ cpuPercent: 100, networkInBytesPerSecond: 1_000_000 }), begin + 30_000);
    on.pass(60_000);
    handle = machines.stop(handle, 0);
    on.pass(3_600_000);
    handle = machines.start(handle);
    loads = withLoad(loads, loadFrom({}), on.now());
    const later = new SimulatedMachines(() => 0);
    const minute = later.usage(
      JSON.parse(JSON.stringify(handle)),
      JSON.parse(JSON.stringify(loads)),
      begin,
      begin + 60_000,
    );
    assert.deepEqual(minute, machines.usage(handle, loads, begin, begin + 60_000));
    assert.equal(minute.cpuPercent, 50.25);
    assert.equal(minute.networkInBytes, 30 * 200 + 30 * 1_000_000);
    assert.equal(later.usage(handle, loads, begin + 120_000, begin + 180_000).cpuPercent, 0);
    assert.equal(later.usage(handle, loads, on.now(), on.now() + 60_000).cpuPercent, 0.5);
  });

  test('never moves back if the clock of another node is behind', () => {
    const on = bench();
    const handle = booted(on, on.disks.create(image, 10));
    const behind = new SimulatedMachines(() => begin - 5000);
    const stopped = behind.stop(handle, 1000);
    assert.equal(behind.describe(stopped).since, begin);
    assert.equal(behind.usage(stopped, [], begin - 60_000, begin + 60_000).runningMs, 0);
  });

  test('is bounded: old times count as not running', () => {
    const on = bench();
    const { machines } = on;
    let handle = booted(on, on.disks.create(image, 10));
    for (let count = 0; count < 500; count++) {
      on.pass(1000);
      handle = count % 2 === 0 ? machines.stop(handle, 0) : machines.start(handle);
    }
    assert.equal(machines.usage(handle, [], on.now() - 60_000, on.now()).runningMs, 30_000);
    assert.equal(machines.usage(handle, [], begin, begin + 60_000).runningMs, 0);
    assert.ok(JSON.stringify(handle).length < 12_000, `${JSON.stringify(handle).length} bytes`);
  });
});

test('a handle of another engine is refused', () => {
  const { machines } = bench();
  assert.throws(() => machines.describe({ engine: 'qemu', pid: 1 }), /qemu/);
  assert.throws(() => machines.adopt([{}]), /undefined/);
});
