// For tests: a small surface with the given routes, open to everybody, behind a gateway or a bare server.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Fields } from '../base/log.ts';
import { createSeal, newSealKey } from '../base/seal.ts';
import { BodyMemory } from '../core/body-memory.ts';
import type { Route, Service } from '../surface/http/exchange.ts';
import { HostNames } from '../surface/http/host-names.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import { createHandler } from '../surface/http/pipeline.ts';
import { RequestFeed } from '../surface/http/request-feed.ts';
import { Router } from '../surface/http/router.ts';
import type { Surface } from '../surface/http/stages.ts';

export type TestRoute = Pick<Route, 'method' | 'path' | 'call'> & Partial<Route>;

export interface TestSurface {
  surface: Surface;
  errors: [message: string, fields: Fields | undefined][];
  answered: number[]; // statuses, as they are counted
}

// `bodyBytes`: for the bodies of all calls together.
export function testSurface(
  routes: readonly TestRoute[],
  more: Partial<Service> = {},
  bodyBytes = 64 * 1024 * 1024,
): TestSurface {
  const service: Service = {
    name: 'test',
    title: 'Test',
    description: '',
    prefixes: ['/test'],
    hosts: [],
    takesBasic: false,
    routes: routes.map((route) => ({ operation: `test_${route.path}`, summary: '', open: true, ...route })),
    renderFault: (fault) => renderPlatformFault(fault),
    ...more,
  };
  const errors: TestSurface['errors'] = [];
  const answered: number[] = [];
  const surface = {
    table: { services: [service], domains: [], names: new HostNames([], []), regions: [] },
    claiming: [],
    routers: new Map([[service, new Router(service.routes)]]),
    failures: { left: () => 1, take: () => 1 },
    contracts: { take: () => 1, perMinute: 1, burst: 1 },
    connections: { claim: () => true },
    bodyMemory: new BodyMemory(bodyBytes),
    reads: { note() {}, alone() {}, firstThisHour: () => true },
    metrics: { request: (_service: string, _operation: string, status: number) => answered.push(status) },
    log: { info() {}, warn() {}, error: (...said: [string, Fields?]) => errors.push([said[0], said[1]]) },
    feed: new RequestFeed(),
    publicUrl: undefined,
    seal: createSeal(newSealKey()),
  } as unknown as Surface;
  return { surface, errors, answered };
}

export async function serve(t: TestContext, { surface }: TestSurface): Promise<number> {
  const handle = createHandler(surface);
  const server = createServer((req, res) => handle(req, res, false));
  server.on('checkContinue', (req, res) => handle(req, res, false));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}
