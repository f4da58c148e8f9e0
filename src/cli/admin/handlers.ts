// The handlers of the admin socket, one for each operation of operations.ts. The operator may do everything: no
// contract's privileges are checked.
import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isObject, type Json } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { Region } from '../../platform.ts';
import { type Exclusively, type Offline, RegionWork } from '../../region-data/running-region.ts';
import type { SavePoints } from '../../region-data/save-points/savepoints.ts';
import type { RequestEntry, RequestFeed } from '../../surface/http/request-feed.ts';
import { operatorAccounts, operatorCertificates, operatorLab } from '../../surface/operator.ts';
import type { DemoService, DemoStatus } from '../../surface/ports.ts';
import type { Ready } from '../region/ready.ts';
import type { Operations, Status } from './operations.ts';
import type { Handlers } from './server.ts';

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
  demo: DemoService;
  stop(keepsMachines: boolean): void;
  stopLimitMs: number; // that running calls have to end
  log: Log;
}

export function operationsOf({
  running,
  offline,
  exclusively,
  savePoints,
  demo,
  stop,
  stopLimitMs,
  log,
}: Process): Handlers {
  const { real } = running().region.clock;
  const startedAt = iso(real() - process.uptime() * 1000);
  const region = (): Region => running().region;
  const accounts = () => region().ports.use(operatorAccounts);
  const certificates = () => region().ports.use(operatorCertificates);
  const lab = () => region().ports.use(operatorLab);
  const state = new RegionWork(log, exclusively);
  const contractOf = async (number: number | undefined): Promise<number> => number ?? (await accounts().home());
  const served: Served = {
    status: () => statusOf(region(), running().ready, startedAt),
    ready: async () => readyNow(running()),
    stop: async ({ keepsMachines = false }) => {
      setImmediate(() => stop(keepsMachines)); // the response is sent first
      return { pid: process.pid, limitMs: stopLimitMs };
    },
    reset: () => state.reset(region(), offline),
    'requests/list': async ({ last }) => ({ requests: region().feed.last(Number(last)) }),
    'token/generate': (request) => accounts().generateToken(request),
    'token/list': (request) => accounts().listTokens(request),
    'token/delete': (request) => accounts().deleteTokens(request),
    'token/keep': (request) => accounts().keepToken(request),
    'contract/add': (request) => accounts().addContract(request),
    'contract/list': async () => ({ contracts: await accounts().contracts() }),
    'user/add': (request) => accounts().addUser(request),
    'user/reset-2fa': (request) => accounts().resetSecondFactor(request),
    'certificate/assign': ({ id, to }) => certificates().assign({ id: String(id), to: String(to) }),
    'certificate/unassign': ({ id }) => certificates().unassign({ id: String(id) }),
    'certificate/list': async () => ({ certificates: await certificates().list() }),
    'lab/clock': (request) => lab()['lab/clock'](request),
    'lab/faults': (request) => lab()['lab/faults'](request),
    'lab/traffic': (request) => lab()['lab/traffic'](request),
    'lab/load': (request) => lab()['lab/load'](request),
    'lab/group': (request) => lab()['lab/group'](request),
    'lab/brokers': (request) => lab()['lab/brokers'](request),
    'state/backup': (request) => state.backUp(region(), request),
    'state/restore': (request) => state.restore(region(), request, offline),
    'state/check': (request) => state.check(region(), request.leaveOut ?? []),
    'seed/apply': async ({ path, keepsIds }) =>
      (await import('../../seeds/region-seed.ts')).applySeed(region(), String(path), keepsIds === true),
    'seed/once': async ({ path, keepsIds }) => {
      const { seedOnce } = await import('../../seeds/region-seed.ts');
      const seeded = await seedOnce(region(), String(path), keepsIds === true);
      return seeded ? { seeded } : {};
    },
    'seed/tree': async ({ datacenters, hasBuckets }) =>
      (await import('../../seeds/region-seed.ts')).readTree(region(), {
        datacenters: datacenters?.map((list) => list.map(String)),
        hasBuckets: hasBuckets === true,
      }),
    'seed/dump': async ({ asJson }) => (await import('../../seeds/region-seed.ts')).dumpRegion(region(), asJson),
    'demo/status': async ({ contract }) => demo.status(await contractOf(contract)),
    'demo/begin': async ({ contract, evenIfNotEmpty }) => settledDemo(demo, await contractOf(contract), evenIfNotEmpty),
    'demo/end': async ({ contract }) => settledDemo(demo, await contractOf(contract)),
    'savepoint/create': ({ name, infrastructure }) => savePoints.save(String(name), infrastructure === true),
    'savepoint/restore': ({ name }) => savePoints.bringBack(String(name)),
    'savepoint/export': ({ name, ...request }) => savePoints.export(name, request),
    'savepoint/import': (request) => savePoints.import(request),
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

// Begins or ends the demo of a contract, and waits until that is done.
async function settledDemo(demo: DemoService, contract: number, evenIfNotEmpty?: boolean): Promise<DemoStatus> {
  await (evenIfNotEmpty === undefined ? demo.end(contract) : demo.begin(contract, evenIfNotEmpty));
  const settled = await demo.settled(contract);
  if (settled.state === 'FAILED') throw new Fault('refused', `The demo failed: ${settled.message}`);
  return settled;
}

const mostWaiting = 10_000; // for a reader that is slower than the requests

// Requests in order of arrival. A reader that is too slow misses the oldest ones.
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
  const { clock, store, runner, gateway } = region;
  return {
    ...where,
    startedAt,
    uptimeS: Math.round(process.uptime()),
    contracts: await withTimeout(region.ports.use(operatorAccounts).count(), null),
    operationsRunning: runner.running,
    connectionsOpen: gateway.figures().open,
    residentBytes: process.memoryUsage.rss(),
    lab: {
      on: isLabServed(region),
      now: iso(clock.now()),
      offsetMs: clock.offset(),
      faults: region.faults.list().length,
    },
    state: store.engine.figures(),
    nodes: await withTimeout(region.node.list(), []),
    leases: await withTimeout(region.node.leases(), []),
  };
}

// Status matters most when the state does not answer, so the rest of it is reported anyway.
function withTimeout<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(otherwise), stateMs);
  answer.then(resolve, () => resolve(otherwise)).finally(() => clearTimeout(timer));
  return promise;
}

const stateMs = 1000;

const isLabServed = ({ services }: Region): boolean => services().some(({ name }) => name === 'lab');
