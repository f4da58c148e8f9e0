// The handlers of the admin socket, one for each operation of operations.ts. The operator may do everything: no
// contract's privileges are checked.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import { listContracts } from '../../identity/accounts/accounts.ts';
import { totalOf } from '../../lab/groups.ts';
import { advanceOf, clockOf, moveClock, plantFaults } from '../../lab/index.ts';
import { loadOf } from '../../lab/machines.ts';
import { sendTraffic } from '../../lab/traffic.ts';
import type { Region } from '../../platform.ts';
import type { RequestEntry, RequestFeed } from '../../surface/http/request-feed.ts';
import type { Ready } from '../region/ready.ts';
import type { SavePoints } from '../savepoint/savepoints.ts';
import { type Exclusively, type Offline, OnlineBackup } from '../state/online-backup.ts';
import { addContractAs, addUserAs, contractsOf, resetSecondFactor } from './accounts.ts';
import type { Operations, Status } from './operations.ts';
import type { Handlers } from './server.ts';
import { deleteTokens, generateToken, homeContract, keepToken, listTokens } from './tokens.ts';

type Served = { [K in keyof Operations]: (body: Operations[K][0]) => Promise<Operations[K][1]> };

export interface RunningRegion {
  region: Region;
  ready: Ready;
}

export interface Process {
  running(): RunningRegion; // throws while the region is offline
  offline: Offline;
  exclusively: Exclusively;
  savePoints: SavePoints;
  stop(): void;
  log: Log;
}

export function operationsOf({ running, offline, exclusively, savePoints, stop, log }: Process): Handlers {
  const { real } = running().region.clock;
  const startedAt = iso(real() - process.uptime() * 1000);
  const region = (): Region => running().region;
  const state = new OnlineBackup(log, exclusively);
  const served: Served = {
    status: () => statusOf(region(), running().ready, startedAt),
    ready: async () => readyNow(running()),
    stop: async () => {
      setImmediate(stop); // the answer leaves first
      return { pid: process.pid };
    },
    reset: () => state.reset(region(), offline),
    'requests/list': async ({ last }) => ({ requests: region().feed.last(Number(last)) }),
    'token/generate': (asked) => generateToken(region(), asked),
    'token/list': (asked) => listTokens(region(), asked),
    'token/delete': (asked) => deleteTokens(region(), asked),
    'token/keep': (asked) => keepToken(region(), asked),
    'contract/add': (asked) => addContractAs(region(), asked),
    'contract/list': () => contractsOf(region()),
    'user/add': (asked) => addUserAs(region(), asked),
    'user/reset-2fa': (asked) => resetSecondFactor(region(), asked),
    'lab/clock': (asked) => labClock(region(), asked),
    'lab/faults': (asked) => labFaults(region(), asked),
    'lab/traffic': (asked) => labTraffic(region(), asked),
    'lab/load': (asked) => labLoad(region(), asked),
    'lab/group': (asked) => labGroup(region(), asked),
    'lab/brokers': (asked) => labBrokers(region(), asked),
    'state/backup': (asked) => state.backUp(region(), asked),
    'state/restore': (asked) => state.restore(region(), asked, offline),
    'state/check': (asked) => state.check(region(), asked),
    'seed/apply': async ({ path }) => (await import('../seed/region-seed.ts')).applySeed(region(), String(path)),
    'seed/once': async ({ path }) => {
      const seeded = await (await import('../seed/region-seed.ts')).seedOnce(region(), String(path));
      return seeded ? { seeded } : {};
    },
    'seed/dump': async ({ asJson }) => (await import('../seed/region-seed.ts')).dumpRegion(region(), asJson),
    'savepoint/create': ({ name, infrastructure }) => savePoints.save(String(name), infrastructure === true),
    'savepoint/restore': ({ name }) => savePoints.bringBack(String(name)),
    'savepoint/export': ({ name, ...asked }) => savePoints.export(name, asked),
    'savepoint/import': (asked) => savePoints.import(asked),
    'savepoint/list': async () => ({ savePoints: savePoints.list() }),
    'savepoint/remove': async ({ name }) => {
      await savePoints.remove(name);
      return { removed: name };
    },
    'state/progress': async () => state.progress(),
  };
  const handlers = Object.entries(served) as [string, (body: object) => Promise<unknown>][];
  const checked = handlers.map(([name, serve]): [string, (body: Json) => Promise<unknown>] => [
    name,
    async (body) => {
      if (!isObject(body)) throw new Fault('refused', 'A JSON object is expected.');
      return serve(body);
    },
  ]);
  return Object.fromEntries([...checked, ['requests/follow', async () => follow(region().feed)]]);
}

const mostWaiting = 10_000; // of a reader that is slower than the requests

// Requests as they come. A reader that is too slow misses the oldest ones.
async function* follow(feed: RequestFeed): AsyncGenerator<RequestEntry> {
  const waiting: RequestEntry[] = [];
  let wake = (): void => {};
  const leave = feed.watch((entry) => {
    if (waiting.push(entry) > mostWaiting) waiting.shift();
    wake();
  });
  try {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift() as RequestEntry;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    leave();
  }
}

function readyNow({ region: { clock, faults }, ready }: RunningRegion): Ready {
  const { owner: _owner, ...rest } = ready;
  return { ...rest, clock: { now: iso(clock.now()), offsetMs: clock.offset() }, faults: faults.list().length };
}

async function statusOf(region: Region, ready: Ready, startedAt: string): Promise<Status> {
  const { event: _event, owner: _owner, clock: _clock, faults: _faults, ...where } = ready;
  const { clock, store, runner, gateway, config } = region;
  return {
    ...where,
    startedAt,
    uptimeS: Math.round(process.uptime()),
    contracts: await withTimeout(
      listContracts(store).then((all) => all.length),
      null,
    ),
    operationsRunning: runner.running,
    connectionsOpen: gateway.figures().open,
    residentBytes: process.memoryUsage.rss(),
    lab: {
      on: config.lab.isServed,
      now: iso(clock.now()),
      offsetMs: clock.offset(),
      faults: region.faults.list().length,
    },
    state: store.engine.figures(),
    nodes: await withTimeout(region.node.list(), []),
    leases: await withTimeout(region.node.leases(), []),
  };
}

// Status matters most when the state does not answer: the rest of it is reported all the same.
function withTimeout<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(otherwise), stateMs);
  asked.then(resolve, () => resolve(otherwise)).finally(() => clearTimeout(timer));
  return promise;
}

const stateMs = 1000;

type Clock = Operations['lab/clock'];
type Faults = Operations['lab/faults'];

async function labClock(region: Region, asked: Clock[0]): Promise<Clock[1]> {
  if (asked.advanceMs === undefined) return clockOf(region.clock) as Clock[1];
  demandLab(region.config.lab.isServed);
  return (await moveClock(region, advanceOf(asked))) as Clock[1];
}

async function labFaults(region: Region, asked: Faults[0]): Promise<Faults[1]> {
  if (asked.faults !== undefined) {
    demandLab(region.config.lab.isServed);
    await plantFaults(region, asked);
  }
  return { faults: region.faults.list() };
}

async function labTraffic(region: Region, { contract, packet }: Operations['lab/traffic'][0]): Promise<Values> {
  demandLab(region.config.lab.isServed);
  return sendTraffic(region.lab.traffic, await contractOf(region, contract), packet as Json);
}

async function labLoad(region: Region, { contract, server, load }: Operations['lab/load'][0]): Promise<Values> {
  demandLab(region.config.lab.isServed);
  const { machines } = region.lab;
  const row = await machines.find(await contractOf(region, contract), String(server));
  if (!row) throw new Fault('missing', `There is no server ${server} in that contract.`);
  const now = region.clock.now();
  return load === undefined ? machines.look(row, now) : machines.setLoad(row, loadOf(load as Json), now);
}

async function labGroup(region: Region, { contract, group, load }: Operations['lab/group'][0]): Promise<Values> {
  demandLab(region.config.lab.isServed);
  const { groups } = region.lab;
  const row = await groups.find(await contractOf(region, contract), String(group));
  if (!row) throw new Fault('missing', `There is no auto scaling group ${group} in that contract.`);
  if (load !== undefined) await groups.setLoad(row, totalOf(load as Json));
  return groups.look(row);
}

async function labBrokers(region: Region, asked: Operations['lab/brokers'][0]): Promise<Values> {
  demandLab(region.config.lab.isServed);
  const { brokers } = region.lab;
  const row = await brokers.find(await contractOf(region, asked.contract), asked.cluster);
  if (!row) throw new Fault('missing', `There is no cluster ${asked.cluster} in that contract.`);
  if (asked.broker !== undefined) await brokers.setServing(row, asked.broker, asked.serving === true);
  return brokers.look(row);
}

async function contractOf({ store, config }: Region, number: number | undefined): Promise<number> {
  return number ?? homeContract(await listContracts(store), config.identity.contract);
}

function demandLab(on: boolean): void {
  if (!on) throw new Fault('forbidden', 'The lab of this region is off: it was started with --no-lab.');
}
