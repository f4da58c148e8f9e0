// `GET /reachability`: whether a packet would get from one end to the other, and which rule lets it pass or stops it.
// A read: nothing is sent, no flow is recorded, and no balancer takes its turn. It isn't part of the lab, and is open
// to every caller that may see both ends.
import { isIP } from 'node:net';
import { Fault, type Problem } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { judgedSchema } from '../../surface/docs/traffic-schemas.ts';
import { type Exchange, json, type Parameter, type Route, type Service } from '../../surface/http/exchange.ts';
import { renderPlatformFault } from '../../surface/http/payload.ts';
import { type Protocol, protocols } from './spec.ts';
import type { Traffic } from './traffic.ts';
import type { HttpRequest, Packet } from './verdict.ts';

const usualSourcePort = 49_152;
const maxPort = 65_535;
const echoRequests: Partial<Record<Protocol, number>> = { ICMP: 8, ICMPv6: 128 };

export const reachabilityService = (traffic: Traffic): Service => ({
  name: 'reachability',
  title: 'Reachability',
  description: 'Reports whether a packet would get from one end to the other, hop by hop. Read-only: nothing is sent.',
  prefixes: ['/reachability'],
  hosts: ['api'],
  takesBasic: true,
  routes: [reachabilityRoute(traffic)],
  renderFault: (fault) => renderPlatformFault(fault),
});

const query = (name: string, description: string, more: object = {}): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', ...more },
});
const number = (name: string, description: string, minimum: number, maximum: number): Parameter =>
  query(name, description, { type: 'integer', minimum, maximum });

const reachabilityRoute = (traffic: Traffic): Route => ({
  method: 'GET',
  path: '/',
  operation: 'reachability_get',
  summary: 'Check whether a packet would get from one end to the other, with the decision at each hop',
  parameters: [
    { ...query('from', 'The ID of a NIC, or an address outside the region'), required: true },
    query('fromAddress', 'The source address of the NIC; its first one by default'),
    { ...query('to', 'An address, or the ID of a NIC, whose first address is used'), required: true },
    query('protocol', 'Default: TCP', { enum: [...protocols] }),
    number('port', 'The target port; required for TCP and UDP', 1, maxPort),
    number('sourcePort', `For TCP and UDP. Default: ${usualSourcePort}`, 1, maxPort),
    number('icmpType', 'For ICMP and ICMPv6; an echo request by default', 0, 255),
    number('icmpCode', 'For ICMP and ICMPv6. Default: 0', 0, 255),
    query('httpMethod', 'The method of the HTTP request that application load balancers see'),
    query('httpHost', 'The host of the HTTP request; the target address by default'),
    query(
      'httpPath',
      'The path of the HTTP request, with an optional query. Setting it makes the packet an HTTP request',
    ),
  ],
  replySchema: judgedSchema,
  mayRefuse: true,
  call: async (x) => {
    const packet = await packetOf(traffic, x);
    return json(200, await traffic.trace(x.who, packet));
  },
});

async function packetOf(traffic: Traffic, x: Exchange): Promise<Packet> {
  const problems: Problem[] = [];
  const refuse = (name: string, message: string): void =>
    void problems.push({ code: '100', message: `[(query).${name}] ${message}` });
  const textOf = (name: string): string | undefined => x.search.get(name) || undefined;
  const wholeOf = (name: string, min: number, max: number): number | undefined => {
    const given = textOf(name);
    const value = Number(given);
    if (given === undefined) return undefined;
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    refuse(name, `Expected a whole number from ${min} to ${max}, got '${given.slice(0, 40)}'`);
    return undefined;
  };
  const isEnd = (name: string, end: string): boolean => {
    if (isUuid(end) || isAddress(end)) return true;
    refuse(name, end === '' ? 'Attribute is required' : `'${end.slice(0, 60)}' is not the ID of a NIC or an address`);
    return false;
  };
  const [from = '', to = ''] = [textOf('from'), textOf('to')];
  const ends = [isEnd('from', from), isEnd('to', to)];
  const ip = textOf('fromAddress');
  if (ip !== undefined && !isAddress(ip)) refuse('fromAddress', `'${ip.slice(0, 60)}' is not an IP address`);
  const protocol = protocols.find((one) => one.toLowerCase() === (textOf('protocol') ?? 'TCP').toLowerCase());
  if (!protocol) refuse('protocol', `Expected one of [${protocols.join(', ')}]`);
  const targetPort = wholeOf('port', 1, maxPort);
  const sourcePort = wholeOf('sourcePort', 1, maxPort);
  const icmpType = wholeOf('icmpType', 0, 255);
  const icmpCode = wholeOf('icmpCode', 0, 255);
  const hasPorts = protocol === 'TCP' || protocol === 'UDP';
  if (hasPorts && textOf('port') === undefined) refuse('port', `Attribute is required for protocol ${protocol}`);
  if (problems.length > 0 || !protocol || ends.includes(false))
    throw new Fault('refused', 'The query is not acceptable.', { problems });
  const target = isUuid(to) ? await traffic.addressOfNic(x.who, to) : to;
  const echo = echoRequests[protocol];
  const http = protocol === 'TCP' ? requestOf(textOf, target) : undefined;
  return {
    from: isUuid(from) ? { nicId: from, ...(ip !== undefined && { ip }) } : { ip: from },
    to: target,
    protocol,
    ...(hasPorts && targetPort !== undefined && { targetPort, sourcePort: sourcePort ?? usualSourcePort }),
    ...(echo !== undefined && { icmpType: icmpType ?? echo, icmpCode: icmpCode ?? 0 }),
    ...(http && { http }),
  };
}

function requestOf(textOf: (name: string) => string | undefined, target: string): HttpRequest | undefined {
  const [path, method, host] = [textOf('httpPath'), textOf('httpMethod'), textOf('httpHost')];
  if (path === undefined && method === undefined && host === undefined) return undefined;
  const [before = '/', query = ''] = (path ?? '/').split('?', 2);
  return { method: method ?? 'GET', host: host ?? target, path: before, query, headers: {}, cookies: {} };
}

const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');
