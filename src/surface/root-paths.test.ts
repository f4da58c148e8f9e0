// Which product a path at the root is meant for, where two of them have it.
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import { actorOf, type Caller, keyCaller, type Privilege } from '../core/access.ts';
import { rowOf } from '../core/state/engine.ts';
import { Exchange, type Route, type Service } from './http/exchange.ts';
import { Router } from './http/router.ts';
import { authorize } from './http/stages.ts';
import { rootService } from './root-paths.ts';

const hasLogs = (body: Json | undefined): boolean => JSON.stringify(body ?? {}).includes('"logs"');

// A product whose routes answer with its name.
const product = (
  name: string,
  privilege: Privilege,
  own: string[],
  ids: string[],
  fits: (body: Json | undefined) => boolean,
): Service => {
  const route = (method: string, path: string): Route => ({
    method,
    path: path.replace('{id}', `{${name}Id}`),
    operation: `${name}_${method}`,
    summary: '',
    privilege,
    takesBody: method !== 'GET',
    call: () => ({ status: 200, body: name }),
  });
  return {
    name,
    title: name,
    description: '',
    prefixes: [`/${name}`],
    hosts: [],
    takesBasic: false,
    routes: [
      route('GET', '/pipelines'),
      route('POST', '/pipelines'),
      route('GET', '/pipelines/{id}'),
      route('PUT', '/central'),
      route('GET', '/elsewhere'),
      ...own.map((method) => route(method, '/pipelines/{id}')),
    ],
    atRoot: {
      parts: ['pipelines', 'central'],
      agent: `sdk-go-${name}`,
      fits,
      has: async (_, id) => ids.includes(id),
    },
    renderFault: () => ({ status: 500 }),
  };
};

const monitoring = product('monitoring', 'accessAndManageMonitoring', ['PUT'], ['m1'], (body) => !hasLogs(body));
const logging = product('logging', 'accessAndManageLogging', ['PATCH'], ['l1'], hasLogs);
const shared = rootService([monitoring, logging]);
const router = new Router(shared.routes);

const administrator = actorOf(rowOf({ contract: 1, place: 'users', id: 'u', meta: '{}' }));
const nobody = keyCaller(1, 'u', 'a user without privileges');

// As the stages do it: rights first, then the body.
async function serviceFor(method: string, path: string, body?: Json, agent = 'curl/8', caller = administrator) {
  const req = { method, headers: { 'user-agent': agent } } as unknown as IncomingMessage;
  const x = new Exchange(req, {} as ServerResponse, false);
  const { route, params } = router.match(method, path);
  Object.assign(x, { route, params, caller });
  await authorize(x);
  Object.assign(x, { body });
  const reply = await (x.route as Route).call(x);
  assert.equal(x.service?.name, reply.body, 'from then on it is a call of that service');
  return reply.body;
}

const fails = (kind: string, says: RegExp) => (error: unknown) =>
  error instanceof Fault && error.kind === kind && says.test(error.message);

test('by a method that one of them has, or by the client', async () => {
  assert.equal(await serviceFor('PUT', '/pipelines/x', {}), 'monitoring');
  assert.equal(await serviceFor('PATCH', '/pipelines/x', {}), 'logging');
  for (const name of ['monitoring', 'logging'])
    assert.equal(await serviceFor('GET', '/pipelines', undefined, `terraform ionos-cloud-sdk-go-${name}/v2`), name);
});

test('by the body, or by the owner of the id', async () => {
  assert.equal(await serviceFor('POST', '/pipelines', { properties: { name: 'x', logs: [] } }), 'logging');
  assert.equal(await serviceFor('POST', '/pipelines', { properties: { name: 'x' } }), 'monitoring');
  assert.equal(await serviceFor('GET', '/pipelines/m1'), 'monitoring');
  assert.equal(await serviceFor('GET', '/pipelines/l1'), 'logging');
  await assert.rejects(serviceFor('GET', '/pipelines/x1'), fails('missing', /does not exist/));
});

test('a caller without the rights of any of them is refused before the body is read', async () => {
  const refused = async (method: string, path: string, caller: Caller) => {
    const req = { method, headers: {} } as unknown as IncomingMessage;
    const { route, params } = router.match(method, path);
    const x = Object.assign(new Exchange(req, {} as ServerResponse, false), { route, params, caller });
    await assert.rejects(async () => authorize(x), fails('forbidden', /privilege/));
  };
  for (const path of ['/pipelines', '/pipelines/m1', '/pipelines/l1'])
    await refused(path === '/pipelines' ? 'POST' : 'GET', path, nobody);
  const logger = { ...nobody, privileges: new Set<Privilege>(['accessAndManageLogging']) };
  await refused('GET', '/pipelines/m1', logger);
  const sent = { properties: { name: 'x', logs: [] } };
  assert.equal(await serviceFor('POST', '/pipelines', sent, undefined, logger), 'logging');
  const other = serviceFor('POST', '/pipelines', { properties: { name: 'x' } }, undefined, logger);
  await assert.rejects(other, fails('forbidden', /privilege/));
});

test('an ambiguous call is refused, and the error names the prefixes', async () => {
  await assert.rejects(serviceFor('GET', '/pipelines'), fails('conflict', /\/monitoring, \/logging/));
});

test('where there is one only, it is meant', async () => {
  const alone = new Router(rootService([monitoring]).routes).match('GET', '/pipelines');
  const req = { method: 'GET', headers: {} } as unknown as IncomingMessage;
  const x = Object.assign(new Exchange(req, {} as ServerResponse, false), {
    route: alone.route,
    caller: administrator,
  });
  await authorize(x);
  const reply = await (x.route as Route).call(x);
  assert.equal(reply.body, 'monitoring');
  assert.deepEqual(shared.roots, ['pipelines', 'central']);
  assert.throws(() => router.match('GET', '/elsewhere'), fails('missing', /no \/elsewhere/));
});
