// The contract suite of machine engines; disks.ts is that of disk engines. It is independent of any engine: time passes
// by `pass`, and a test that an engine can't support is skipped with a reason.
import assert from 'node:assert/strict';
import { uuid } from '../../../base/ids.ts';
import type { Values } from '../../../base/json.ts';
import { type ContractCase, engineContract } from '../../../testing/engine-contract.ts';
import type { Device, DiskEngine, MachineEngine, MachineFacts, MachineHandle } from '../engine.ts';
import { joinUsages, type Usage } from '../load.ts';

export { diskContract } from './disks.ts';

export interface MachineBench {
  machines: MachineEngine;
  disks: DiskEngine;
  now(): number;
  // Lets time pass: moves an injected clock, or waits.
  pass(ms: number): Promise<void>;
  // The engine as a new process opens it.
  reopen(): Promise<MachineEngine>;
  close?(): Promise<void>;
}

type Case = ContractCase<MachineBench>;

const longestBootMs = 300_000;
const graceMs = 60_000;

export function machineContract(
  name: string,
  open: () => Promise<MachineBench>,
  except: Record<string, string> = {}, // title: the reason
): void {
  engineContract(
    name,
    open,
    { power, 'devices and size': devices, console: consoles, usage: usages, handles },
    { except },
  );
}

const spec = { hostname: 'web-1', cores: 2, ram: 2048 };
const image = { from: 'image', id: '0190a1b2-0000-7000-8000-00000000000a', name: 'Debian 12' } as const;

const copied = (handle: MachineHandle): Values => JSON.parse(JSON.stringify(handle)) as Values;

async function systemDisk({ disks }: MachineBench, id = 'system'): Promise<Device> {
  return { id, kind: 'volume', disk: await disks.create(image, 10), boot: true };
}

// Each machine has an id of its own: an engine may know them by it.
const made = async ({ machines }: MachineBench): Promise<MachineHandle> => machines.create({ id: uuid(), ...spec });

async function installed(bench: MachineBench): Promise<MachineHandle> {
  return bench.machines.attach(await made(bench), await systemDisk(bench));
}

const running = async (bench: MachineBench): Promise<MachineHandle> => bench.machines.start(await installed(bench));

const stateOf = async ({ machines }: MachineBench, handle: MachineHandle): Promise<string> => {
  const { state, boots } = await machines.describe(handle);
  return `${state} ${boots}`;
};

// One call after another on the same machine, and what it does after each.
async function follow(bench: MachineBench, calls: [call: Call, state: string][]): Promise<void> {
  let handle = await installed(bench);
  for (const [at, [call, state]] of calls.entries()) {
    handle = await call(handle);
    assert.equal(await stateOf(bench, handle), state, `after ${at + 1} calls`);
  }
}

type Call = (handle: MachineHandle) => MachineHandle | Promise<MachineHandle>;

function power(test: Case): void {
  test('a new machine has no power, no devices and the size it was given', async (bench) => {
    const { machines, now } = bench;
    const before = now();
    const { since, ...facts } = await machines.describe(await made(bench));
    assert.deepEqual(facts, { state: 'SHUTOFF', boots: 0, cores: 2, ram: 2048, hostname: 'web-1', devices: [] });
    assert.ok(since >= before && since <= now());
  });

  test('start boots it once, stop takes the power, start boots it again', async (bench) => {
    const { machines } = bench;
    const start: Call = (one) => machines.start(one);
    await follow(bench, [
      [(one) => machines.stop(one, graceMs), 'SHUTOFF 0'],
      [start, 'RUNNING 1'],
      [start, 'RUNNING 1'],
      [(one) => machines.stop(one, graceMs), 'SHUTOFF 1'],
      [(one) => machines.stop(one, 0), 'SHUTOFF 1'],
      [start, 'RUNNING 2'],
      [(one) => machines.stop(one, 0), 'SHUTOFF 2'],
    ]);
  });

  test('a reset boots whatever it did before', async (bench) => {
    const { machines } = bench;
    const reset: Call = (one) => machines.reset(one);
    await follow(bench, [
      [reset, 'RUNNING 1'],
      [reset, 'RUNNING 2'],
      [(one) => machines.suspend(one), 'SUSPENDED 2'],
      [reset, 'RUNNING 3'],
    ]);
  });

  test('what is suspended goes on without a boot', async (bench) => {
    const { machines } = bench;
    const suspend: Call = (one) => machines.suspend(one);
    const resume: Call = (one) => machines.resume(one);
    await follow(bench, [
      [suspend, 'SHUTOFF 0'],
      [resume, 'SHUTOFF 0'],
      [(one) => machines.start(one), 'RUNNING 1'],
      [suspend, 'SUSPENDED 1'],
      [suspend, 'SUSPENDED 1'],
      [(one) => machines.start(one), 'SUSPENDED 1'],
      [resume, 'RUNNING 1'],
      [resume, 'RUNNING 1'],
      [suspend, 'SUSPENDED 1'],
      [(one) => machines.stop(one, graceMs), 'SHUTOFF 1'],
    ]);
  });

  test('the time of a power state is when it began', async (bench) => {
    const { machines, now, pass } = bench;
    const first = await running(bench);
    const { since } = await machines.describe(first);
    await pass(5000);
    const second = await machines.start(first);
    assert.equal((await machines.describe(second)).since, since);
    const stopping = now();
    const stopped = await machines.describe(await machines.stop(second, 0));
    assert.ok(stopped.since >= stopping && stopped.since <= now());
  });
}

function devices(test: Case): void {
  const shown = async ({ machines }: MachineBench, handle: MachineHandle): Promise<MachineFacts['devices']> =>
    (await machines.describe(handle)).devices;

  test('devices are attached in their order, once each, and detached', async (bench) => {
    const { machines, disks } = bench;
    const data: Device = { id: 'data', kind: 'volume', disk: await disks.create({ from: 'blank' }, 5) };
    const nic: Device = { id: 'nic', kind: 'nic', mac: '02:01:00:00:00:01' };
    let handle = await running(bench);
    for (const device of [data, nic, data]) handle = await machines.attach(handle, device);
    assert.deepEqual(await shown(bench, handle), [
      { id: 'system', kind: 'volume', boot: true },
      { id: 'data', kind: 'volume', boot: false },
      { id: 'nic', kind: 'nic', boot: false },
    ]);
    handle = await machines.detach(handle, 'data');
    handle = await machines.detach(handle, 'data');
    assert.deepEqual(
      (await shown(bench, handle)).map(({ id }) => id),
      ['system', 'nic'],
    );
    assert.equal(await stateOf(bench, handle), 'RUNNING 1');
  });

  test('it boots from one device, which another attaching changes', async (bench) => {
    const { machines } = bench;
    const other = await systemDisk(bench, 'other');
    let handle = await machines.attach(await running(bench), other);
    const boots = async (): Promise<string[]> =>
      (await shown(bench, handle)).filter(({ boot }) => boot).map(({ id }) => id);
    assert.deepEqual(await boots(), ['other']);
    handle = await machines.attach(handle, { ...other, boot: false });
    assert.deepEqual(await boots(), []);
  });

  test('it gets another size and another name', async (bench) => {
    const { machines } = bench;
    const larger = await machines.resize(await running(bench), { cores: 4, ram: 4096 });
    const { cores, ram, hostname, state } = await machines.describe(larger);
    assert.deepEqual([cores, ram, hostname, state], [4, 4096, 'web-1', 'RUNNING']);
    const renamed = await machines.resize(larger, { cores: 4, ram: 4096, hostname: 'web-2' });
    assert.equal((await machines.describe(renamed)).hostname, 'web-2');
  });
}

async function consoleWith({ machines, now, pass }: MachineBench, handle: MachineHandle, sought: RegExp) {
  for (let waited = 0; ; waited += 1000) {
    const text = await machines.console(handle, now());
    if (sought.test(text) || waited > longestBootMs) {
      assert.match(text, sought);
      return text;
    }
    await pass(1000);
  }
}

function consoles(test: Case): void {
  test('a boot ends with a prompt that names the host, and reboots are added', async (bench) => {
    const { machines } = bench;
    assert.equal(await machines.console(await made(bench), bench.now()), '');
    const handle = await running(bench);
    const first = await consoleWith(bench, handle, /web-1 login: $/);
    const second = await consoleWith(bench, await machines.reset(handle), /login: [\s\S]*web-1 login: $/);
    assert.ok(second.startsWith(first));
  });

  test('a machine with nothing to boot from says so', async (bench) => {
    const { machines, disks } = bench;
    await consoleWith(bench, await machines.start(await made(bench)), /no bootable device/i);
    const blank: Device = { id: 'blank', kind: 'volume', disk: await disks.create({ from: 'blank' }, 5), boot: true };
    const other = await machines.attach(await made(bench), blank);
    await consoleWith(bench, await machines.start(other), /no bootable device/i);
    const unused = await machines.attach(await made(bench), { ...(await systemDisk(bench)), boot: false });
    await consoleWith(bench, await machines.start(unused), /no bootable device/i);
  });

  test('it does not grow without end', async (bench) => {
    const { machines, now, pass } = bench;
    let handle = await running(bench);
    const most = 200_000;
    for (let count = 0; count < 100; count++) {
      await pass(2000);
      handle = await machines.reset(handle);
    }
    assert.ok((await machines.console(handle, now())).length < most);
    assert.ok(JSON.stringify(handle).length < most);
    assert.equal((await machines.describe(handle)).boots, 101);
  });
}

function usages(test: Case): void {
  test('only what runs uses something', async (bench) => {
    const { machines, now, pass } = bench;
    const created = now();
    const off = await made(bench);
    await pass(2000);
    const begun = now();
    const ran = await running(bench);
    await pass(10_000);
    const stopped = await machines.stop(ran, 0);
    const ended = now();
    await pass(5000);
    assert.ok(isNothing(await machines.usage(off, [], created, now())));
    const usage = await machines.usage(stopped, [], begun, ended);
    assert.ok(usage.runningMs >= 10_000 && usage.runningMs <= ended - begun, `${usage.runningMs} ms`);
    assert.ok(usage.cpuPercent > 0 && usage.cpuPercent <= 100, `${usage.cpuPercent} %`);
    assert.ok(isNothing(await machines.usage(stopped, [], ended, now())));
    assert.ok(isNothing(await machines.usage(stopped, [], begun, begun)));
  });

  test('adjacent times add up', async (bench) => {
    const { machines, now, pass } = bench;
    const begun = now();
    const handle = await running(bench);
    await pass(10_000);
    const ended = now();
    const middle = Math.floor((begun + ended) / 2);
    const [first, second, all] = [
      await machines.usage(handle, [], begun, middle),
      await machines.usage(handle, [], middle, ended),
      await machines.usage(handle, [], begun, ended),
    ];
    const { cpuPercent, ...rest } = joinUsages(first, second);
    assert.ok(Math.abs(cpuPercent - all.cpuPercent) < 1e-6);
    assert.deepEqual({ ...rest, cpuPercent: all.cpuPercent }, all);
  });
}

const isNothing = ({ runningMs, cpuPercent, networkInBytes, networkOutBytes }: Usage): boolean =>
  runningMs + cpuPercent + networkInBytes + networkOutBytes === 0;

function handles(test: Case): void {
  test('are plain data, and another process goes on with them', async (bench) => {
    const handle = await running(bench);
    const facts = await bench.machines.describe(handle);
    const kept = copied(handle);
    assert.deepEqual(kept, handle);
    const machines = await bench.reopen();
    const [adopted = {}] = await machines.adopt([kept]);
    assert.deepEqual(await machines.describe(adopted), facts);
    assert.equal((await machines.describe(await machines.stop(adopted, 0))).state, 'SHUTOFF');
  });

  test('are adopted in their order, also twice, also none', async (bench) => {
    const { machines } = bench;
    const all = [await running(bench), await made(bench)];
    const once = await machines.adopt(all);
    const states = await Promise.all((await machines.adopt(once)).map(async (one) => stateOf(bench, one)));
    assert.deepEqual(states, ['RUNNING 1', 'SHUTOFF 0']);
    assert.deepEqual(await machines.adopt([]), []);
  });

  test('are not changed by what is done, and the same call has the same effect again', async (bench) => {
    const { machines } = bench;
    const suspended = async (): Promise<MachineHandle> => machines.suspend(await running(bench));
    const calls: [begin: () => Promise<MachineHandle>, Call][] = [
      [() => installed(bench), (one) => machines.start(one)],
      [() => running(bench), (one) => machines.stop(one, graceMs)],
      [() => running(bench), (one) => machines.reset(one)],
      [() => running(bench), (one) => machines.suspend(one)],
      [suspended, (one) => machines.resume(one)],
      [() => running(bench), (one) => machines.attach(one, { id: 'nic', kind: 'nic' })],
      [() => running(bench), (one) => machines.detach(one, 'system')],
      [() => running(bench), (one) => machines.resize(one, { cores: 1, ram: 1024 })],
    ];
    for (const [begin, call] of calls) {
      const handle = await begin();
      const before = copied(handle);
      const facts = async (): Promise<object> => ({ ...(await machines.describe(await call(handle))), since: 0 });
      assert.deepEqual(await facts(), await facts());
      assert.deepEqual(handle, before);
    }
  });

  test('can be destroyed twice, whatever the machine does', async (bench) => {
    const { machines } = bench;
    for (const handle of [await running(bench), await made(bench)]) {
      await machines.destroy(handle);
      await machines.destroy(handle);
    }
  });
}
