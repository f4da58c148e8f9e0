// Lab routes of machines: state, usage and load. The compute product provides machines and loads through a port.
import { Fault, type Problem } from '../base/fault.ts';
import { isObject, type Json, type Values } from '../base/json.ts';
import { missingResource } from '../core/missing-resource.ts';
import { check, decimal, integer, type Properties, type Property, report } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import {
  always,
  pathParameter,
  propertiesSchema,
  textSchema,
  timeSchema,
  wholeSchema,
} from '../surface/docs/openapi.ts';
import { type Exchange, json, type Route } from '../surface/http/exchange.ts';
import type { LabMachines } from '../surface/ports.ts';

export interface MachineLabTools extends LabMachines {
  now(): number;
}

// 100 Gbit/s, in the smallest packets.
const maxBytes = 12_500_000_000;
const maxPackets = 150_000_000;

const rate = (what: string, max: number): Property => integer({ min: 0, max, description: what });
const follows = (other: string): string => `If absent, it is derived from the ${other}, or idle`;

const loadProperties: Properties = {
  cpuPercent: decimal({ min: 0, max: 100, description: 'CPU usage of all cores together', example: 80 }),
  networkInBytesPerSecond: { ...rate(follows('packets'), maxBytes), example: 1_000_000 },
  networkOutBytesPerSecond: rate(follows('packets'), maxBytes),
  networkInPacketsPerSecond: rate(follows('bytes'), maxPackets),
  networkOutPacketsPerSecond: rate(follows('bytes'), maxPackets),
};

const numberSchema: Json = { type: 'number' };
const loadSchema = always({
  cpuPercent: numberSchema,
  networkInBytesPerSecond: wholeSchema,
  networkOutBytesPerSecond: wholeSchema,
  networkInPacketsPerSecond: wholeSchema,
  networkOutPacketsPerSecond: wholeSchema,
});
const machineSchema = always({
  id: textSchema,
  vmState: textSchema,
  since: timeSchema,
  boots: wholeSchema,
  load: loadSchema,
  usage: always({
    from: timeSchema,
    to: timeSchema,
    runningMs: wholeSchema,
    cpuPercent: numberSchema,
    networkInBytes: wholeSchema,
    networkOutBytes: wholeSchema,
    networkInPackets: wholeSchema,
    networkOutPackets: wholeSchema,
  }),
  console: textSchema,
});

export function machineLabRoutes(tools: MachineLabTools): Route[] {
  const shared = {
    parameters: [pathParameter('serverId', 'The id of the server', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')],
    adminOnly: true,
    unaudited: true,
    resolve: (x: Exchange) => resolve(tools, x),
  };
  return [
    {
      ...shared,
      method: 'GET',
      path: '/machines/{serverId}',
      operation: 'lab_machine_get',
      summary: 'Read the machine of a server: its power, console, load, and usage of the last minute',
      replySchema: machineSchema,
      call: async (x) => json(200, await tools.look(serverOf(x), tools.now())),
    },
    {
      ...shared,
      method: 'GET',
      path: '/machines/{serverId}/load',
      operation: 'lab_machine_load_get',
      summary: 'Read the load of a machine',
      replySchema: loadSchema,
      call: async (x) => json(200, await tools.load(serverOf(x), tools.now())),
    },
    {
      ...shared,
      method: 'PUT',
      path: '/machines/{serverId}/load',
      operation: 'lab_machine_load_set',
      summary: 'Set the load of a machine; an empty object makes it idle',
      takesBody: true,
      notedAfter: true,
      bodySchema: propertiesSchema(loadProperties, 'create'),
      replySchema: loadSchema,
      call: async (x) => json(200, await tools.setLoad(serverOf(x), loadOf(x.body), tools.now())),
    },
  ];
}

// A server of another contract is missing, as everywhere.
async function resolve({ find }: MachineLabTools, x: Exchange): Promise<void> {
  const row = await find(x.who.contract, x.params[0] ?? '');
  if (!row) throw missingResource({ name: 'server' }, x.params[0] ?? '');
  x.rows = [row];
}

const serverOf = (x: Exchange): Row => x.rows[0] as Row;

export function loadOf(body: Json | undefined): Values {
  if (!isObject(body)) throw new Fault('refused', '[(root)] An object is expected');
  const { far, near } = byReach(body);
  const { values, problems } = check(loadProperties, near, 'create', '(root)');
  problems.push(...far);
  if (problems.length) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  return values;
}

// A number that is too large to be exact violates every bound, and the message names the bound.
function byReach(body: Values): { far: Problem[]; near: Values } {
  const far: Problem[] = [];
  const isFar = ([name, value]: [string, Json]): boolean =>
    loadProperties[name]?.type === 'integer' && Number.isInteger(value) && !Number.isSafeInteger(value);
  for (const [name, value] of Object.entries(body).filter(isFar)) {
    const { min, max } = loadProperties[name] as Property;
    const bound = Number(value) > 0 ? `above the maximum of ${max}` : `below the minimum of ${min}`;
    report(far, `(root).${name}`, `Attribute value ${value} is ${bound}`, '100');
  }
  return { far, near: Object.fromEntries(Object.entries(body).filter((entry) => !isFar(entry))) };
}
