// Lab routes of traffic: sends packets through the network of the caller's resources, and shows the verdict hop by hop.
// The compute product evaluates them through a port.
import { isIP } from 'node:net';
import { Fault, type Problem } from '../base/fault.ts';
import { randomHex } from '../base/ids.ts';
import { isObject, type Json, type Values } from '../base/json.ts';
import { missingResource } from '../core/missing-resource.ts';
import { check, flag, integer, type Properties, report, shape, text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import { wholeNumber } from '../surface/core-dialect/query.ts';
import { pathParameter, propertiesSchema } from '../surface/docs/openapi.ts';
import { flowsSchema, verdictSchema } from '../surface/docs/traffic-schemas.ts';
import { type Exchange, json, type Route } from '../surface/http/exchange.ts';
import type { LabTraffic } from '../surface/ports.ts';

const maxPackets = 1_000_000_000;
const maxFlows = 1000;
const maxNames = 100;
const defaultSourcePort = 49_152;
const maxPort = 65_535;
const defaultBytes = 60;
const echoRequests: Record<string, number> = { ICMP: 8, ICMPv6: 128 };
const realProtocols = ['TCP', 'UDP', 'ICMP', 'ICMPv6'];
const mapNames = ['headers', 'cookies'] as const;

const port = (description: string) => integer({ min: 1, max: maxPort, description });

const packetProperties = (protocols: readonly string[]): Properties => ({
  from: shape(
    {
      nicId: text({ max: 64, description: 'A NIC of the contract …' }),
      address: text({ max: 60, description: '… and one of its addresses; or, without a NIC, an address outside' }),
    },
    { required: true, example: { address: '203.0.113.7' } },
  ),
  to: shape(
    { address: text({ required: true, max: 60 }), port: port('Required for TCP and UDP') },
    { required: true, example: { address: '198.18.0.1', port: 80 } },
  ),
  protocol: text({ required: true, oneOf: protocols, anyCase: true, example: 'TCP' }),
  sourcePort: port(`For TCP and UDP; ${defaultSourcePort} by default`),
  icmpType: integer({ min: 0, max: 255, description: 'For ICMP and ICMPv6; an echo request by default' }),
  icmpCode: integer({ min: 0, max: 255, description: 'For ICMP and ICMPv6; 0 by default' }),
  http: shape(
    {
      method: text({ max: 32, default: 'GET' }),
      host: text({ max: 255, description: 'The target address by default' }),
      path: text({ default: '/' }),
      query: text({ default: '', description: 'Without the question mark' }),
    },
    { description: 'For TCP: the request that application load balancers see' },
  ),
  packets: integer({
    min: 1,
    max: maxPackets,
    default: 1,
    description: 'The number of packets that it counts as in the flows',
  }),
  bytes: integer({
    min: 1,
    max: 1000 * maxPackets,
    description: `Bytes of all packets together; ${defaultBytes} each by default`,
  }),
  count: integer({
    min: 1,
    max: 1000,
    default: 1,
    description: 'The number of times that it is sent; each packet is evaluated again',
  }),
  sourcePortStep: integer({
    min: 0,
    max: 64,
    default: 0,
    description: 'The increment of the source port per packet; with 1, each packet is a separate flow',
  }),
  real: flag({
    default: false,
    description:
      'With real machines: sends a real packet (a TCP connection, a datagram or an echo request). `real` of the ' +
      'answer is its outcome, and the verdict is what the simulated network predicts',
  }),
});

export function trafficLabRoutes(tools: LabTraffic): Route[] {
  const shared = { adminOnly: true, unaudited: true };
  return [
    {
      ...shared,
      method: 'POST',
      path: '/traffic',
      operation: 'lab_traffic_send',
      summary: 'Send a packet, and see its path hop by hop; several packets are grouped by their outcomes',
      takesBody: true,
      bodySchema: withMaps(propertiesSchema(packetProperties(tools.protocols), 'create')),
      replySchema: verdictSchema,
      call: async (x) => json(200, await sendTraffic(tools, x.who.contract, x.body)),
    },
    {
      ...shared,
      method: 'GET',
      path: '/flows/{datacenterId}',
      operation: 'lab_flows_list',
      summary: 'List the flows through the NICs, gateways and load balancers of a datacenter, oldest first',
      parameters: [
        pathParameter('datacenterId', 'The id of the datacenter', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'),
        number('since', 'The first position; use `next` of the previous answer', 0),
        number('limit', `The maximum number of flows; ${maxFlows} by default`, 1, maxFlows),
      ],
      replySchema: flowsSchema,
      resolve: (x) => resolve(tools, x),
      call: async (x) => {
        const [since = 0, limit = maxFlows] = together(
          () => wholeNumber(x, 'since', 0, 0, Number.MAX_SAFE_INTEGER),
          () => wholeNumber(x, 'limit', maxFlows, 1, maxFlows),
        );
        return json(200, await tools.flows(x.rows[0] as Row, since, limit));
      },
    },
  ];
}

// The verdict of one packet, or the summary of several.
export async function sendTraffic(tools: LabTraffic, contract: number, body: Json | undefined): Promise<Values> {
  const { packet, repeat, isReal } = packetOf(tools.protocols, body);
  if (isReal) return (await tools.sendReal(contract, packet)) as Values;
  const judged = await tools.send(contract, packet, repeat);
  return (repeat.count === 1 ? judged[0] : summary(judged)) as Values;
}

const number = (name: string, description: string, minimum: number, maximum?: number) => ({
  name,
  in: 'query' as const,
  description,
  schema: { type: 'integer', minimum, ...(maximum !== undefined && { maximum }) },
});

// Returns all of them, or reports all problems.
function together(...reads: (() => number)[]): number[] {
  const problems: Problem[] = [];
  const numbers = reads.map((read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      problems.push(...error.problems);
      return 0;
    }
  });
  if (problems.length) throw new Fault('refused', 'The query is not acceptable.', { problems });
  return numbers;
}

// A datacenter of another contract is missing, as everywhere.
async function resolve({ find }: LabTraffic, x: Exchange): Promise<void> {
  const row = await find(x.who.contract, x.params[0] ?? '');
  if (!row) throw missingResource({ name: 'datacenter' }, x.params[0] ?? '');
  x.rows = [row];
}

// Groups packets by outcome, in the order in which each outcome was first seen. Source ports make no difference; those
// of the first packet are shown.
type Judged = Awaited<ReturnType<LabTraffic['send']>>[number];

function summary(judged: readonly Judged[]): object {
  const outcomes = new Map<string, { count: number; outcome: Judged }>();
  for (const outcome of judged) {
    const key = JSON.stringify(outcome, (name, value: unknown) => (name === 'sourcePort' ? undefined : value));
    const seen = outcomes.get(key);
    if (seen) seen.count++;
    else outcomes.set(key, { count: 1, outcome });
  }
  const accepted = judged.filter(({ verdict }) => verdict === 'ACCEPTED').length;
  return {
    sent: judged.length,
    accepted,
    rejected: judged.length - accepted,
    outcomes: [...outcomes.values()].map(({ count, outcome }) => ({ count, ...outcome })),
  };
}

// Headers and cookies are objects of any names, which our property schemas can't describe.
function withMaps(schema: Values): Values {
  const properties = schema.properties as Values;
  const http = properties.http as Values;
  const map = { type: ['object', 'null'], additionalProperties: { type: 'string' }, maxProperties: maxNames };
  const more = Object.fromEntries(mapNames.map((name) => [name, map]));
  return {
    ...schema,
    properties: { ...properties, http: { ...http, properties: { ...(http.properties as Values), ...more } } },
  };
}

interface Sending {
  packet: Values;
  repeat: { count: number; sourcePortStep: number };
  isReal: boolean;
}

function packetOf(protocols: readonly string[], body: Json | undefined): Sending {
  if (!isObject(body)) throw new Fault('refused', '[(root)] An object is expected');
  const { http, maps, problems } = takeMaps(body.http);
  const properties = packetProperties(protocols);
  const checked = check(properties, http === undefined ? body : { ...body, http }, 'create', '(root)');
  problems.push(...checked.problems);
  checkPacket(checked.values, protocols, problems);
  if (problems.length) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  const repeat = { count: Number(checked.values.count), sourcePortStep: Number(checked.values.sourcePortStep) };
  return { packet: sentPacket(checked.values, maps), repeat, isReal: checked.values.real === true };
}

// Headers and cookies are checked here, the rest of the request by the schema.
function takeMaps(http: Json | undefined): { http: Json | undefined; maps: Values; problems: Problem[] } {
  const problems: Problem[] = [];
  if (!isObject(http)) return { http, maps: {}, problems };
  const { headers, cookies, ...rest } = http;
  const maps: Values = {};
  for (const [name, value] of Object.entries({ headers, cookies })) {
    const at = `(root).http.${name}`;
    maps[name] = value ?? {};
    if (!isObject(maps[name])) report(problems, at, 'An object of names and values is expected', '100');
    else if (Object.keys(maps[name]).length > maxNames) report(problems, at, `Expected at most ${maxNames}`, '100');
    else
      for (const [key, one] of Object.entries(maps[name]))
        if (typeof one !== 'string' || one.length > 4096 || key.length > 255)
          report(problems, `${at}.${key.slice(0, 80)}`, 'Expected a string of at most 4096 characters', '100');
  }
  return { http: rest, maps, problems };
}

// Reported together with the schema's problems, so types may still be wrong.
function checkPacket(
  { from, to, protocol, sourcePort, http, ...rest }: Values,
  protocols: readonly string[],
  problems: Problem[],
): void {
  const tell: Tell = (name, message) => report(problems, `(root).${name}`, message, '100');
  if (isObject(from) && from.nicId === null && from.address === null) tell('from', 'A nicId or an address is expected');
  for (const [name, end] of Object.entries({ from, to }))
    if (isObject(end) && typeof end.address === 'string' && !isAddress(end.address))
      tell(`${name}.address`, `'${end.address.slice(0, 60)}' is not an IP address`);
  if (typeof protocol !== 'string' || !protocols.includes(protocol)) return;
  const hasPorts = protocol === 'TCP' || protocol === 'UDP';
  const targetPort = isObject(to) ? to.port : undefined;
  if (hasPorts && targetPort === null) tell('to.port', `A ${protocol} packet goes to a port`);
  if (!hasPorts && typeof targetPort === 'number') tell('to.port', `${protocol} has no ports`);
  if (!hasPorts && sourcePort !== null) tell('sourcePort', `${protocol} has no ports`);
  for (const name of ['icmpType', 'icmpCode'])
    if (rest[name] !== null && echoRequests[protocol] === undefined)
      tell(name, `Attribute is only allowed for ICMP and ICMPv6, but the protocol is ${protocol}`);
  const { count, sourcePortStep: portStep } = rest;
  if (rest.real === true) checkReal(protocol, isObject(to) ? String(to.address) : '', rest, tell);
  if (!hasPorts && Number(portStep) > 0) tell('sourcePortStep', `${protocol} has no ports`);
  const lastPort = Number(sourcePort ?? defaultSourcePort) + (Number(count) - 1) * Number(portStep);
  if (lastPort > maxPort) tell('sourcePortStep', `The last source port would be ${lastPort}`);
  if (http !== null && protocol !== 'TCP')
    tell('http', `Attribute is only allowed for TCP, but the protocol is ${protocol}`);
}

type Tell = (name: string, message: string) => void;

function checkReal(protocol: string, target: string, rest: Values, tell: Tell): void {
  const echo = echoRequests[protocol];
  if (!realProtocols.includes(protocol)) tell('real', `A real packet is one of [${realProtocols.join(', ')}]`);
  if (Number(rest.count) > 1) tell('count', 'Only one real packet is sent at a time');
  if ((rest.icmpType ?? echo) !== echo) tell('icmpType', 'A real packet is an echo request');
  if ((rest.icmpCode ?? 0) !== 0) tell('icmpCode', 'A real packet is an echo request');
  const version = isIP(target);
  if ((protocol === 'ICMP' && version === 6) || (protocol === 'ICMPv6' && version === 4))
    tell('protocol', 'A real ICMP packet goes to an IPv4 address, and an ICMPv6 packet to an IPv6 address');
}

// Of real packets each has another one: it must not belong to an earlier connection.
const usualSourcePort = (isReal: boolean): number =>
  defaultSourcePort + (isReal ? Number.parseInt(randomHex(2), 16) % (maxPort - defaultSourcePort) : 0);

const isAddress = (address: string): boolean => isIP(address) !== 0 && !address.includes('%');

function sentPacket({ from, to, protocol, http, ...rest }: Values, maps: Values): Values {
  const { nicId, address } = from as { nicId: string | null; address: string | null };
  const target = to as { address: string; port: number | null };
  const packets = Number(rest.packets);
  const echo = echoRequests[String(protocol)];
  return {
    from: nicId === null ? { ip: address } : { nicId, ...(address !== null && { ip: address }) },
    to: target.address,
    protocol: protocol as string,
    ...(target.port !== null && {
      targetPort: target.port,
      sourcePort: rest.sourcePort ?? usualSourcePort(rest.real === true),
    }),
    ...(echo !== undefined && { icmpType: rest.icmpType ?? echo, icmpCode: rest.icmpCode ?? 0 }),
    ...(isObject(http) && { http: { ...http, host: http.host ?? target.address, ...maps } }),
    packets,
    bytes: rest.bytes ?? packets * defaultBytes,
  };
}
