// The contract suite of machine engines; disks.ts is that of disk engines. It is independent of any engine: `pass` lets
// time pass, and a test that an engine can't support is skipped with a reason.
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { Fault } from '../../../base/fault.ts';
import { uuid } from '../../../base/ids.ts';
import type { Values } from '../../../base/json.ts';
import { type ContractCase, type ContractOptions, engineContract } from '../../../testing/engine-contract.ts';
import type {
  Device,
  DiskEngine,
  DiskHandle,
  DiskSource,
  MachineEngine,
  MachineFacts,
  MachineHandle,
} from '../engine.ts';
import { joinUsages, type Usage } from '../load.ts';

export { diskContract } from './disks.ts';

export interface MachineBench {
  machines: MachineEngine;
  disks: DiskEngine;
  now(): number;
  // Lets time pass: moves an injected clock, or waits.
  pass(ms: number): Promise<void>;
  manyBoots: number; // how many reboots prove that a console is bounded
  // The engine as a new process opens it.
  reopen(): Promise<MachineEngine>;
  close?(): Promise<void>;
}

type Case = ContractCase<MachineBench>;

const longestBootMs = 300_000;
const graceMs = 60_000;

export function machineContract(name: string, open: () => Promise<MachineBench>, options: ContractOptions = {}): void {
  engineContract(
    name,
    open,
    { power, 'devices and size': devices, console: consoles, usage: usages, terminal: terminals, handles },
    options,
  );
}

const spec = { hostname: 'web-1', cores: 2, ram: 2048 };
const id = '0190a1b2-0000-7000-8000-00000000000a';
const image = { from: 'image', id, name: 'Debian 12', names: ['debian:latest'] } as const;

const copied = (handle: MachineHandle): Values => JSON.parse(JSON.stringify(handle)) as Values;

async function disk({ disks }: MachineBench, source: DiskSource): Promise<DiskHandle> {
  const made = await disks.create(source, 10);
  await disks.apply(made);
  return made;
}

async function systemDisk(bench: MachineBench, id = 'system'): Promise<Device> {
  return { id, kind: 'volume', disk: await disk(bench, image), boot: true };
}

// Applies the handle twice, because a repeated step must change nothing.
async function real({ machines }: MachineBench, handle: MachineHandle | Promise<MachineHandle>) {
  const applied = await handle;
  await machines.apply(applied);
  await machines.apply(applied);
  return applied;
}

// Each machine has its own id: an engine may identify it by that.
const made = async (bench: MachineBench): Promise<MachineHandle> =>
  real(bench, bench.machines.create({ id: uuid(), ...spec }));

async function installed(bench: MachineBench): Promise<MachineHandle> {
  return real(bench, bench.machines.attach(await made(bench), await systemDisk(bench)));
}

const running = async (bench: MachineBench): Promise<MachineHandle> =>
  real(bench, bench.machines.start(await installed(bench)));

const stateOf = async ({ machines }: MachineBench, handle: MachineHandle): Promise<string> => {
  const { state, boots } = await machines.describe(handle);
  return `${state} ${boots}`;
};

type Call = (handle: MachineHandle) => MachineHandle | Promise<MachineHandle>;

// One call after another on the same machine, with its state after each.
async function follow(bench: MachineBench, calls: [call: Call, state: string][]): Promise<void> {
  let handle = await installed(bench);
  for (const [at, [call, state]] of calls.entries()) {
    handle = await real(bench, call(handle));
    assert.equal(await stateOf(bench, handle), state, `after ${at + 1} calls`);
  }
}

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

  test('a reset boots in every state', async (bench) => {
    const { machines } = bench;
    const reset: Call = (one) => machines.reset(one);
    await follow(bench, [
      [reset, 'RUNNING 1'],
      [reset, 'RUNNING 2'],
      [(one) => machines.suspend(one), 'SUSPENDED 2'],
      [reset, 'RUNNING 3'],
    ]);
  });

  test('a suspended machine resumes without a boot', async (bench) => {
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

  test('the time of a power state is its begin', async (bench) => {
    const { machines, now, pass } = bench;
    const first = await running(bench);
    const { since } = await machines.describe(first);
    await pass(5000);
    const second = await real(bench, machines.start(first));
    assert.equal((await machines.describe(second)).since, since);
    const stopping = now();
    const stopped = await machines.describe(await real(bench, machines.stop(second, 0)));
    assert.ok(stopped.since >= stopping && stopped.since <= now());
  });
}

function devices(test: Case): void {
  const shown = async ({ machines }: MachineBench, handle: MachineHandle): Promise<MachineFacts['devices']> =>
    (await machines.describe(handle)).devices;

  test('devices are attached in their order, once each, and detached', async (bench) => {
    const { machines } = bench;
    const data: Device = { id: 'data', kind: 'volume', disk: await disk(bench, { from: 'blank' }) };
    const nic: Device = { id: 'nic', kind: 'nic', mac: '02:01:00:00:00:01' };
    let handle = await running(bench);
    for (const device of [data, nic, data]) handle = await real(bench, machines.attach(handle, device));
    assert.deepEqual(await shown(bench, handle), [
      { id: 'system', kind: 'volume', boot: true },
      { id: 'data', kind: 'volume', boot: false },
      { id: 'nic', kind: 'nic', boot: false },
    ]);
    handle = await real(bench, machines.detach(handle, 'data'));
    handle = await real(bench, machines.detach(handle, 'data'));
    assert.deepEqual(
      (await shown(bench, handle)).map(({ id }) => id),
      ['system', 'nic'],
    );
    assert.equal(await stateOf(bench, handle), 'RUNNING 1');
  });

  test('it boots from one device, which can be changed by attaching another', async (bench) => {
    const { machines } = bench;
    const other = await systemDisk(bench, 'other');
    let handle = await real(bench, machines.attach(await running(bench), other));
    const boots = async (): Promise<string[]> =>
      (await shown(bench, handle)).filter(({ boot }) => boot).map(({ id }) => id);
    assert.deepEqual(await boots(), ['other']);
    handle = await machines.attach(handle, { ...other, boot: false });
    assert.deepEqual(await boots(), []);
  });

  test('its size and name can be changed', async (bench) => {
    const { machines } = bench;
    const larger = await real(bench, machines.resize(await running(bench), { cores: 4, ram: 4096 }));
    const { cores, ram, hostname, state } = await machines.describe(larger);
    assert.deepEqual([cores, ram, hostname, state], [4, 4096, 'web-1', 'RUNNING']);
    const renamed = await real(bench, machines.resize(larger, { cores: 4, ram: 4096, hostname: 'web-2' }));
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
  test('a boot ends with a prompt that names the host, and reboots are appended', async (bench) => {
    const { machines } = bench;
    assert.equal(await machines.console(await made(bench), bench.now()), '');
    const handle = await running(bench);
    const first = await consoleWith(bench, handle, /web-1 login: $/);
    const second = await consoleWith(bench, await real(bench, machines.reset(handle)), /login: [\s\S]*web-1 login: $/);
    assert.ok(second.startsWith(first));
  });

  test('a machine without a bootable device reports that', async (bench) => {
    const { machines } = bench;
    const started = async (...devices: Device[]): Promise<MachineHandle> => {
      let handle = await made(bench);
      for (const device of devices) handle = await machines.attach(handle, device);
      return real(bench, machines.start(handle));
    };
    const blank: Device = { id: 'blank', kind: 'volume', disk: await disk(bench, { from: 'blank' }), boot: true };
    await consoleWith(bench, await started(), /no bootable device/i);
    await consoleWith(bench, await started(blank), /no bootable device/i);
    await consoleWith(bench, await started({ ...(await systemDisk(bench)), boot: false }), /no bootable device/i);
  });

  test('it is bounded', async (bench) => {
    const { machines, now, pass } = bench;
    let handle = await running(bench);
    const most = 200_000;
    for (let count = 0; count < bench.manyBoots; count++) {
      await pass(2000);
      handle = await real(bench, machines.reset(handle));
    }
    assert.ok((await machines.console(handle, now())).length < most);
    assert.ok(JSON.stringify(handle).length < most);
    assert.equal((await machines.describe(handle)).boots, bench.manyBoots + 1);
  });
}

function usages(test: Case): void {
  test('only a running machine has usage', async (bench) => {
    const { machines, now, pass } = bench;
    const created = now();
    const off = await made(bench);
    await pass(2000);
    const begun = now();
    const ran = await running(bench);
    await pass(10_000);
    const stopped = await real(bench, machines.stop(ran, 0));
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

// The behaviour of machines with a terminal, and the refusal of others.
function terminals(test: Case): void {
  test('a process in a machine has input, output and an exit code, or the engine reports that it has none', async (bench) => {
    const { machines } = bench;
    const handle = await running(bench);
    if (!machines.abilities.terminal) {
      await assert.rejects(machines.open(handle, {}), (error) => error instanceof Fault && error.kind === 'refused');
      return;
    }
    const { duplex, errors, exitCode } = await machines.open(handle, {
      command: ['sh', '-c', 'cat; echo >&2 E; exit 3'],
    });
    const bytes = Buffer.from([0, 1, 13, 10, 255, 3, 4]);
    duplex.end(bytes);
    const [sent, errorText, code] = await Promise.all([buffer(duplex), buffer(errors), exitCode]);
    assert.deepEqual([sent, errorText.toString(), code], [bytes, 'E\n', 3]);
  });

  test('a terminal has the requested size', async (bench) => {
    const { machines } = bench;
    if (!machines.abilities.terminal) return;
    const size = { columns: 91, rows: 33 };
    const { duplex, resize, exitCode } = await machines.open(await running(bench), { size });
    await resize({ columns: 92, rows: 34 });
    duplex.write('stty size\nexit\n');
    const text = (await buffer(duplex)).toString();
    assert.match(text, /34 92/);
    assert.equal(await exitCode, 0);
  });
}

function handles(test: Case): void {
  test('are plain data, and another process continues with them', async (bench) => {
    const handle = await running(bench);
    const facts = await bench.machines.describe(handle);
    const kept = copied(handle);
    assert.deepEqual(kept, handle);
    const machines = await bench.reopen();
    const [adopted = {}] = await machines.adopt([kept]);
    assert.deepEqual(await machines.describe(adopted), facts);
    assert.equal(
      (await machines.describe(await real({ ...bench, machines }, machines.stop(adopted, 0)))).state,
      'SHUTOFF',
    );
  });

  test('are adopted in their order, also twice, also an empty list', async (bench) => {
    const { machines } = bench;
    const all = [await running(bench), await made(bench)];
    const once = await machines.adopt(all);
    const states = await Promise.all((await machines.adopt(once)).map(async (one) => stateOf(bench, one)));
    assert.deepEqual(states, ['RUNNING 1', 'SHUTOFF 0']);
    assert.deepEqual(await machines.adopt([]), []);
  });

  test('are not mutated by calls, and the same call has the same effect again', async (bench) => {
    const { machines } = bench;
    const suspended = async (): Promise<MachineHandle> => real(bench, machines.suspend(await running(bench)));
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
      const facts = async (): Promise<object> => ({
        ...(await machines.describe(await real(bench, call(handle)))),
        since: 0,
      });
      assert.deepEqual(await facts(), await facts());
      assert.deepEqual(handle, before);
    }
  });

  test('can be destroyed twice, in every state', async (bench) => {
    const { machines } = bench;
    for (const handle of [await running(bench), await made(bench)]) {
      await machines.destroy(handle);
      await machines.destroy(handle);
    }
  });
}
