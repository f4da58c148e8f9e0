// The stages of a request's life, each a function. Their order is the array in pipeline.ts.
import { isIPv6, type Socket } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import { demandAdmin, demandPrivilege } from '../../core/access.ts';
import { type Entry, entryOf } from '../../core/audit/audit-log.ts';
import type { ReadLog } from '../../core/audit/read-log.ts';
import type { BodyMemory } from '../../core/body-memory.ts';
import { targetOf } from '../../core/operation/request.ts';
import type { SpanSink } from '../../core/tracing/span.ts';
import type { Metrics } from '../metrics.ts';
import { type AddressTable, firstPart, locate, underPrefix } from './address.ts';
import { takeBody } from './body.ts';
import type { Exchange, FindCaller, Service } from './exchange.ts';
import { forward, forwardedIn } from './forward.ts';
import type { Connections } from './listener.ts';
import { type AbsoluteTarget, refusal } from './proxy.ts';
import type { RequestFeed } from './request-feed.ts';
import type { Router } from './router.ts';
import { begun } from './streams.ts';
import type { Throttle } from './throttle.ts';

export interface Surface {
  table: AddressTable;
  routers: ReadonlyMap<Service, Router>;
  claiming: readonly Service[]; // those of the table that have `claims`
  findCaller: FindCaller; // for services without their own strategy
  contracts: Throttle;
  failures: Throttle; // by address: calls without valid credentials
  connections: Pick<Connections, 'claim'>;
  bodyMemory: BodyMemory;
  reads: ReadLog;
  metrics: Metrics;
  feed: RequestFeed;
  log: Log;
  publicUrl: string | undefined;
  seal: Seal; // of messages between nodes
  spans?: SpanSink | undefined; // absent: traces are not exported
  absoluteTarget(url: string): AbsoluteTarget | 'refused' | undefined;
}

export type Stage = (x: Exchange, surface: Surface) => Promise<void> | void;

export function requestId(x: Exchange): void {
  x.id = uuid();
}

export function address(x: Exchange, surface: Surface): void {
  let url = x.req.url ?? '/';
  x.forwarded = forwardedIn(x.req, surface.seal);
  let secure = x.forwarded?.secure ?? x.secure;
  x.host = x.req.headers.host || hereOf(x.req.socket);
  if (url.charCodeAt(0) !== 0x2f) {
    const target = surface.absoluteTarget(url);
    if (target === 'refused' || !target) throw new Fault('forbidden', refusal, { code: 'proxy-target' });
    url = target.path;
    x.host = target.host;
    secure = target.secure;
  }
  const cut = url.indexOf('?');
  x.query = cut < 0 ? '' : url.slice(cut + 1);
  const path = cut < 0 ? url : url.slice(0, cut);
  const service = x.service ?? claimant(x, surface); // already known if it has its own port
  // A node that forwards a call decides itself what its answer needs.
  x.sharesOrigin = !x.service && !service?.claimsHost?.(x.host) && !x.forwarded;
  const located = service
    ? (underPrefix(service, path, undefined, '') ?? { service, region: undefined, path, prefix: '' })
    : locate(surface.table, x.host, path);
  if (!located)
    throw new Fault('missing', `There is no ${path} at ${x.host}: no product that is built in this region has it.`);
  x.service = located.service;
  x.region = located.region;
  x.path = located.path;
  x.prefix = located.prefix;
  if (x.forwarded) x.secure = secure;
  x.base = x.forwarded?.base ?? (surface.publicUrl ?? `${secure ? 'https' : 'http'}://${x.host}`) + located.prefix;
}

// Only of services that recognise their calls by something else than the path.
function claimant(x: Exchange, { claiming }: Surface): Service | undefined {
  const { forwarded } = x;
  return claiming.find((service) => (forwarded ? service.name === forwarded.service : service.claims?.(x)));
}

// Without a Host header, links lead to the address that was called.
function hereOf({ localAddress, localPort }: Socket): string {
  if (localAddress === undefined || localPort === undefined) return 'localhost';
  const address = localAddress.replace(/^::ffff:/, '');
  return `${isIPv6(address) ? `[${address}]` : address}:${localPort}`;
}

export function addressThrottle(x: Exchange, surface: Surface): void {
  if (surface.failures.left(x.address) < 1)
    throw new Fault('throttled', 'Too many calls without valid credentials came from this address.', {
      retryAfterS: 10,
    });
}

export function route(x: Exchange, surface: Surface): void {
  demandBuilt(x);
  if (x.service?.findRoute) {
    x.route = x.service.findRoute(x);
    return;
  }
  const router = surface.routers.get(x.service as Service) as Router;
  const match = router.match(x.method, x.path, x.prefix);
  x.route = match.route;
  x.params = match.params;
  x.rest = match.rest;
}

function demandBuilt({ service, path, prefix }: Exchange): void {
  if (!service?.notBuilt) return;
  const part = firstPart(path);
  const missing = Object.hasOwn(service.notBuilt, part) ? service.notBuilt[part] : undefined;
  if (missing !== undefined)
    throw new Fault('missing', `There is no ${prefix}${path} here: ${missing} is not built in this region.`);
}

export function authenticate(x: Exchange, surface: Surface): Promise<void> | void {
  if (x.route?.open) return;
  const findCaller = x.service?.authentication?.findCaller ?? surface.findCaller;
  const failed = (error: unknown): never => {
    if (error instanceof Fault && error.kind === 'unauthenticated') surface.failures.take(x.address);
    throw error;
  };
  let found: ReturnType<FindCaller>;
  try {
    found = findCaller(x);
  } catch (error) {
    return failed(error);
  }
  if (found instanceof Promise)
    return found.then((caller) => {
      x.caller = caller;
    }, failed);
  x.caller = found;
}

export function contractThrottle(x: Exchange, surface: Surface): void {
  if (!x.caller) return;
  const { contracts } = surface;
  if (!surface.connections.claim(x.req.socket, x.caller.contract)) {
    x.res?.setHeader('Connection', 'close');
    throw new Fault('throttled', 'The contract has more connections open than its share.', { retryAfterS: 10 });
  }
  const left = contracts.take(x.caller.contract);
  const remaining = String(Math.max(0, Math.floor(left)));
  const { perMinute, burst } = contracts;
  x.rate = ['X-RateLimit-Limit', `${perMinute}`, 'X-RateLimit-Burst', `${burst}`, 'X-RateLimit-Remaining', remaining];
  if (left < 0)
    throw new Fault('throttled', `The contract's limit of ${contracts.perMinute} calls a minute is used up.`, {
      retryAfterS: -left,
    });
}

export function authorize(x: Exchange): Promise<void> | void {
  const { route } = x;
  if (route?.adminOnly) demandAdmin(x.who);
  if (route?.privilege) demandPrivilege(x.who, route.privilege);
  return route?.resolve?.(x);
}

// Where another node keeps the data that the handler needs, that node answers.
export function keeper(x: Exchange, surface: Surface): Promise<void> | void {
  const home = x.route?.keptBy;
  if (!home || home.isHere) return;
  return forward(x, home, surface).then((reply) => {
    x.reply = reply;
  });
}

export const body: Stage = takeBody;

export async function call(x: Exchange, surface: Surface): Promise<void> {
  x.reply = await x.route?.call(x);
  if (x.reply?.stream && x.method !== 'HEAD') x.reply = { ...x.reply, stream: await begun(x.reply.stream) };
  if (isRead(x) || x.caller?.kind === 'key' || x.route?.auditOnce) noteRead(x, surface);
  if (x.route?.notedAfter) await noteChange(x, surface);
}

const isRead = ({ method }: Exchange): boolean => method === 'GET' || method === 'HEAD';

// Calls with a key and uploads leave one entry an hour: they come every few seconds.
export function noteRead(x: Exchange, surface: Surface): void {
  const { route, caller } = x;
  if (!route || !caller || route.unaudited) return;
  const isHourly = route.auditOnce || caller.kind === 'key';
  if (isHourly && !surface.reads.firstThisHour(caller, route.operation)) return;
  const type = isRead(x) ? 'Retrieval' : 'Provision';
  surface.reads.note(caller, x.address, route.operation, x.path, () => entryFor(x, type));
}

// Written before the answer is sent, in a separate commit after the change.
function noteChange(x: Exchange, surface: Surface): Promise<void> | undefined {
  return x.caller && surface.reads.change(x.caller, entryFor(x, 'Provision', { message: x.text.slice(0, 500) }));
}

function entryFor(x: Exchange, type: string, more: Partial<Entry> = {}): Entry {
  const last = x.rows.at(-1);
  const action = x.route?.operation ?? '';
  const targets = last ? [targetOf(last, action)] : [];
  return entryOf(x.requestInfo, type, targets, more);
}

// A refused change has an entry too. Throttled and unavailable calls share entries: they come in floods, and an entry
// for each would make that worse.
export function noteRefusal(x: Exchange, surface: Surface, status: number, fault: Fault): void {
  if (!x.caller || !x.route || isRead(x)) return;
  const messages = fault.problems
    .slice(0, 5)
    .map(({ code, message }) => ({ errorCode: code ?? String(status), message }));
  const make = (): Entry => entryFor(x, 'Error', { error: { status, messages } });
  const { operation } = x.route;
  const isHourly = x.caller.kind === 'key' || x.route.auditOnce;
  if (isHourly && !surface.reads.firstThisHour(x.caller, `${operation} ${status}`)) return;
  if (status === 429 || status >= 500) surface.reads.note(x.caller, x.address, operation, x.path, make);
  else surface.reads.alone(x.caller, x.address, operation, x.path, make);
}
