// The lab: functions that no real cloud offers. It moves the clock forward, injects faults into steps of operations,
// sets the load of machines, traces packets and stops brokers. Functions that affect other contracts (the clock,
// crashes, faults for all contracts) are for the owner of the region's first contract and for the operator; other users
// inject faults into their own contract.
import type { Clock } from '../base/clock.ts';
import { iso } from '../base/clock.ts';
import { Fault, type Problem } from '../base/fault.ts';
import { isObject, type Json } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { Model } from '../core/model.ts';
import { demandKnown, type PlantedFault, type PlantedFaults } from '../core/operation/planted-faults.ts';
import type { Runner } from '../core/operation/runner.ts';
import type { Reconcilers } from '../core/reconciler.ts';
import { advanceClock, followClock } from '../core/region-clock.ts';
import { integer, list, type Properties, shape, text } from '../core/schema.ts';
import type { Store } from '../core/store.ts';
import { always, propertiesSchema, timeSchema, wholeSchema } from '../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route, type Service } from '../surface/http/exchange.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import type { LabBrokers, LabGroups, LabMachines, LabTraffic, RegionProcess } from '../surface/ports.ts';
import { checked } from './body.ts';
import { brokerLabRoutes } from './brokers.ts';
import { contractRoutes } from './contracts.ts';
import { copyRoutes } from './copies.ts';
import { demoRoutes } from './demo.ts';
import { groupLabRoutes } from './groups.ts';
import { idleRoute } from './idle.ts';
import { machineLabRoutes } from './machines.ts';
import { savePointRoutes } from './savepoints.ts';
import { trafficLabRoutes } from './traffic.ts';

// The right to move the clock and to inject faults for all; the operator has it too.
export interface LabTools {
  store: Store;
  clock: Clock;
  model: Model;
  faults: PlantedFaults;
  reconcilers: Reconcilers;
}

const yearMs = 366 * 86_400_000;

const clockProperties: Properties = {
  advanceMs: integer({ required: true, min: 0, max: 10 * yearMs, example: 60_000 }),
};
const faultsProperties: Properties = {
  faults: list(
    shape({
      kind: text({ required: true, description: 'The kind of resource, such as datacenter, or *' }),
      step: text({ required: true, description: 'The step, such as create.provision, remove.commit or change.*' }),
      mode: text({ required: true, oneOf: ['fail', 'stall', 'crash'] }),
      times: integer({ default: 1, min: 1, max: 1_000_000 }),
      when: text({
        default: 'before',
        oneOf: ['before', 'after'],
        description: 'Before or after the work of the step',
      }),
      message: text({ default: 'A fault that the lab injected' }),
      contract: integer({
        omitNull: true,
        min: 1,
        description: "The affected operations: those of every contract, or of the caller's own contract if absent",
      }),
    }),
    { required: true, max: 100, example: [{ kind: 'ipblock', step: 'create.reserve', mode: 'fail' }] },
  ),
};

const clockSchema = always({ now: timeSchema, offsetMs: wholeSchema });
const plantedSchema = propertiesSchema(faultsProperties, 'read');

interface LabServiceTools extends LabTools {
  machines: LabMachines;
  traffic: LabTraffic;
  groups: LabGroups | undefined; // of a product that the region may not have
  own: RegionProcess | undefined;
  log: Log;
  runner: Runner;
  brokers: LabBrokers | undefined; // the same
  firstContract(): Promise<number>;
}

export function labService(tools: LabServiceTools): Service {
  return {
    name: 'lab',
    title: 'Lab',
    description:
      'Moves the clock, injects faults, loads machines, sends packets and stops brokers. For tests; off with --no-lab.',
    prefixes: ['/lab'],
    hosts: [],
    takesBasic: true,
    routes: [
      ...routes(tools),
      ...machineLabRoutes({ ...tools.machines, now: tools.clock.now }),
      ...trafficLabRoutes(tools.traffic),
      ...(tools.groups ? groupLabRoutes(tools.groups) : []),
      ...savePointRoutes(tools.own?.savePoints, (x) => demandFirstOwner(tools, x, 'Save points')),
      ...contractRoutes(tools.own, (x) => demandFirstOwner(tools, x, 'Contracts for tests')),
      ...copyRoutes(tools.own?.copies, (x) => demandFirstOwner(tools, x, 'Copies of other contracts'), tools.log),
      ...(tools.own?.demo ? demoRoutes(tools.own.demo) : []),
      idleRoute(tools.runner),
      ...(tools.brokers ? brokerLabRoutes(tools.brokers) : []),
    ],
    renderFault: (fault) => renderPlatformFault(fault),
  };
}

// Another node may have moved the clock or injected faults: this node follows.
export function followLab({ store, clock, faults, reconcilers }: LabTools, log: Log): void {
  const follow = async (): Promise<void> => {
    await faults.load();
    if (await followClock(store, clock)) await reconcilers.runDue();
  };
  follow().catch((error: unknown) => log.warn('lab not followed', { error }));
}

export async function moveClock({ store, clock, reconcilers }: LabTools, ms: number): Promise<object> {
  await advanceClock(store, clock, ms);
  await reconcilers.runDue();
  return clockOf(clock);
}

export const clockOf = (clock: Clock): object => ({ now: iso(clock.now()), offsetMs: clock.offset() });

// `contract`: for this contract only. Absent: for all of them.
export async function plantFaults({ faults, model }: LabTools, body: unknown, contract?: number): Promise<void> {
  // The required right depends on the body, so it is checked before the rest of the body.
  if (contract !== undefined && isObject(body)) demandOwn(body.faults, contract);
  const planted = checked(faultsProperties, body).faults as PlantedFault[];
  if (contract !== undefined) demandOwn(planted, contract);
  demandAllKnown(model, planted);
  if (contract === undefined) return faults.plant(planted);
  await faults.plant(
    planted.map((one) => ({ ...one, contract })),
    contract,
  );
}

function demandOwn(planted: unknown, contract: number): void {
  const isOutside = (one: unknown): boolean =>
    isObject(one) && ((one.contract ?? contract) !== contract || one.mode === 'crash');
  if (Array.isArray(planted) && planted.some(isOutside))
    throw new Fault('forbidden', `Crashes and faults for other contracts ${forFirstOwner}`);
}

const forFirstOwner = "are only for the owner of the region's first contract and for its operator (cumulet lab).";

// All faults that name unknown resources or steps, each with its place in the list.
function demandAllKnown(model: Model, planted: readonly PlantedFault[]): void {
  const problems = planted.flatMap((one, index): Problem[] => {
    try {
      demandKnown(model, [one]);
      return [];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return [{ message: error.message.replace('[(root).faults]', `[(root).faults.[${index}]]`) }];
    }
  });
  if (problems.length) throw new Fault('refused', problems[0]?.message ?? '', { problems });
}

export const advanceOf = (body: unknown): number => Number(checked(clockProperties, body).advanceMs);

const isFirstOwner = async ({ firstContract }: LabServiceTools, { who }: Exchange): Promise<boolean> =>
  who.role === 'owner' && who.contract === (await firstContract());

async function demandFirstOwner(tools: LabServiceTools, x: Exchange, what: string): Promise<void> {
  if (!(await isFirstOwner(tools, x))) throw new Fault('forbidden', `${what} ${forFirstOwner}`);
}

function routes(tools: LabServiceTools): Route[] {
  const { clock, faults } = tools;
  // The contract that this caller's faults are for; undefined: all.
  const scopeOf = async (x: Exchange): Promise<number | undefined> =>
    (await isFirstOwner(tools, x)) ? undefined : x.who.contract;
  const route = (
    method: string,
    path: string,
    operation: string,
    summary: string,
    replySchema: Json,
    call: (x: Exchange) => Promise<Reply> | Reply,
  ): Route => ({
    method,
    path,
    operation,
    summary,
    adminOnly: true,
    unaudited: true,
    takesBody: method === 'PUT',
    notedAfter: method === 'PUT',
    ...(method === 'PUT' && {
      bodySchema: propertiesSchema(path === '/clock' ? clockProperties : faultsProperties, 'create'),
    }),
    replySchema,
    call,
  });
  return [
    {
      ...route('GET', '/clock', 'lab_clock_get', 'Read the platform’s time', clockSchema, () =>
        json(200, clockOf(clock)),
      ),
      adminOnly: false, // the agent's tools of every user need it
    },
    {
      ...route('PUT', '/clock', 'lab_clock_advance', 'Move the clock forward', clockSchema, async (x) =>
        json(200, await moveClock(tools, advanceOf(x.body))),
      ),
      resolve: (x) => demandFirstOwner(tools, x, 'Changes of the clock'),
    },
    route('GET', '/faults', 'lab_faults_get', 'List the injected faults', plantedSchema, async (x) =>
      json(200, { faults: faults.list(await scopeOf(x)) }),
    ),
    route('PUT', '/faults', 'lab_faults_plant', 'Replace the injected faults', plantedSchema, async (x) => {
      const scope = await scopeOf(x);
      await plantFaults(tools, x.body, scope);
      return json(200, { faults: faults.list(scope) });
    }),
  ];
}
