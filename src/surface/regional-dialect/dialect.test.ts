// The regional dialect on a resource whose changes take time: what no product declares yet, but the dialect offers.
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import { regional } from '../../core/dialect.ts';
import { RecentCache } from '../../core/recent-cache.ts';
import { type Resource, resource, step } from '../../core/resource.ts';
import { integer, text } from '../../core/schema.ts';
import { openWorkbench, type Workbench } from '../../core/testing.ts';
import { until } from '../../testing/waiting.ts';
import { LongAnswers } from '../core-dialect/long-answer.ts';
import { Exchange, type Reply, type Service } from '../http/exchange.ts';
import { Router } from '../http/router.ts';
import type { Machinery } from '../machinery.ts';
import { PageCache } from '../page-cache.ts';
import { routesOf } from '../resource-routes.ts';
import { renderRegionalFault } from './body.ts';

// Its changes wait until the gate is opened.
function gated(): { widget: Resource; open(): void; close(): void } {
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const widget = resource({
    name: 'widget',
    rights: { create: 'none' },
    plural: 'widgets',
    root: 'widgets-service/',
    dialect: regional,
    properties: { name: text({ required: true }), size: integer({ default: 1 }) },
    lifecycle: {
      create: [step('provision', () => gate.promise)],
      change: [step('resize', () => gate.promise)],
      remove: [step('release', () => gate.promise)],
    },
  });
  const close = (): void => {
    gate = Promise.withResolvers<void>();
  };
  return { widget, open: () => gate.resolve(), close };
}

interface Answer {
  status: number;
  id: string;
  href: string;
  items: Answer[];
  metadata: Record<string, unknown>;
  properties: Record<string, unknown>;
}

function callerOn(bench: Workbench, ...resources: Resource[]) {
  const { store, model, runner, now, caller } = bench;
  const drawing = { pages: new PageCache(store), drawn: new RecentCache<Reply>(), long: new LongAnswers() };
  const machinery: Machinery = {
    store,
    model,
    runner,
    now,
    ...drawing,
    bounds: async () => () => undefined,
    regions: { home: 'de-txl' },
  };
  const router = new Router(routesOf(machinery, resources));
  return async (method: string, path: string, body?: Json): Promise<Answer> => {
    const req = { method, headers: {}, socket: {} } as unknown as IncomingMessage;
    const x = new Exchange(req, {} as ServerResponse, false);
    const { route, params } = router.match(method, path);
    const service = { name: 'widgets', renderFault: renderRegionalFault } as unknown as Service;
    const written = { text: JSON.stringify(body ?? null), body };
    Object.assign(x, { id: uuid(), route, params, service, caller, path, base: 'http://here/widgets', ...written });
    try {
      await route.resolve?.(x);
      const { status, body: text = '' } = await route.call(x);
      return { status, ...(JSON.parse(String(text) || '{}') as Omit<Answer, 'status'>) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const nothing = { id: '', href: '', items: [], metadata: {} };
      return { status: renderRegionalFault(error).status, ...nothing, properties: { message: error.message } };
    }
  };
}

const untilAvailable = (call: ReturnType<typeof callerOn>, path: string): Promise<Answer> =>
  until(
    `${path} is available`,
    () => call('GET', path),
    ({ metadata }) => metadata.status === 'AVAILABLE',
  );
const untilGone = (call: ReturnType<typeof callerOn>, path: string): Promise<Answer> =>
  until(
    `${path} is gone`,
    () => call('GET', path),
    ({ status }) => status === 404,
  );

test('a PATCH is wrapped, keeps what it does not send, and is PROVISIONING until its steps are done', async () => {
  const { widget, open, close } = gated();
  await using bench = await openWorkbench([widget], () => undefined);
  const call = callerOn(bench, widget);
  const made = await call('POST', '/widgets', { properties: { name: 'first', size: 7 } });
  assert.deepEqual([made.status, made.metadata.status], [202, 'PROVISIONING']);
  const path = `/widgets/${made.id}`;
  await untilAvailable(call, path);
  close();
  const changed = await call('PATCH', path, { properties: { name: 'second' } });
  assert.deepEqual([changed.status, changed.metadata.status], [202, 'PROVISIONING']);
  assert.deepEqual(changed.properties, { name: 'second', size: 7 });
  assert.equal((await call('GET', path)).metadata.status, 'PROVISIONING');
  open();
  assert.deepEqual((await untilAvailable(call, path)).properties, { name: 'second', size: 7 });
  const bare = await call('PATCH', path, { name: 'third' });
  assert.equal(bare.status, 422);
  assert.match(String(bare.properties.message), /not acceptable/);
});

test('a change during another change is refused with 409', async () => {
  const { widget, open, close } = gated();
  await using bench = await openWorkbench([widget], () => undefined);
  const call = callerOn(bench, widget);
  close();
  const { id } = await call('POST', '/widgets', { properties: { name: 'slow' } });
  const path = `/widgets/${id}`;
  const put = (): Promise<Answer> => call('PUT', path, { properties: { name: 'other' } });
  assert.equal((await put()).status, 409, 'while it is made');
  open();
  await untilAvailable(call, path);
  close();
  assert.equal((await put()).status, 202);
  assert.equal((await put()).status, 409, 'while it is changed');
  assert.equal((await call('DELETE', path)).status, 202, 'a removal comes after it');
  assert.equal((await put()).status, 409, 'while it is removed');
  assert.equal((await call('GET', path)).metadata.status, 'DESTROYING');
  open();
  await untilGone(call, path);
  assert.deepEqual(await bench.left(), []);
});

test('a child is listed, read, created, replaced, changed and removed below its parent', async () => {
  const { widget, open, close } = gated();
  const part = resource({
    name: 'part',
    rights: { create: 'none' },
    plural: 'parts',
    dialect: regional,
    parents: [widget],
    properties: { name: text({ required: true }), size: integer({ default: 1 }) },
    lifecycle: { create: [step('provision')], remove: [step('release')] },
  });
  await using bench = await openWorkbench([widget, part], () => undefined);
  const call = callerOn(bench, widget, part);
  close();
  const { id } = await call('POST', '/widgets', { properties: { name: 'whole' } });
  const parts = `/widgets/${id}/parts`;
  const sent = { properties: { name: 'a', size: 7 } };
  assert.equal((await call('POST', parts, sent)).status, 409, 'while its parent is made');
  open();
  await untilAvailable(call, `/widgets/${id}`);

  const made = await call('POST', parts, sent);
  assert.equal(made.status, 202);
  const path = `${parts}/${made.id}`;
  assert.equal(made.href, `http://here/widgets${path}`);
  assert.equal(made.metadata.resourceURN, `ionos:widgets-service:de/txl:1:widgets/${id}/parts/${made.id}`);
  assert.ok(await bench.store.at(1, `widgets-service/widgets@de-txl/${id}/parts/${made.id}`));
  assert.deepEqual((await untilAvailable(call, path)).properties, { name: 'a', size: 7 });

  assert.deepEqual((await call('PATCH', path, { properties: { name: 'b' } })).properties, { name: 'b', size: 7 });
  assert.deepEqual((await call('PUT', path, { properties: { name: 'c' } })).properties, { name: 'c', size: 1 });
  const chosen = uuid();
  const put = await call('PUT', `${parts}/${chosen}`, { properties: { name: 'd' } });
  assert.deepEqual([put.status, put.id], [202, chosen]);

  const { href, items } = await call('GET', parts);
  assert.equal(href, `http://here/widgets${parts}`);
  assert.deepEqual(items.map(({ properties }) => properties.name).sort(), ['c', 'd']);
  assert.deepEqual(
    (await call('GET', '/widgets')).items.map((one) => one.id),
    [id],
    'parts are not listed as widgets',
  );

  assert.equal((await call('DELETE', path)).status, 202);
  await untilGone(call, path);
  const otherPath = `/widgets/${uuid()}/parts`;
  for (const [method, at] of [
    ['GET', otherPath],
    ['POST', otherPath],
    ['GET', `${otherPath}/${chosen}`],
  ] as const)
    assert.equal((await call(method, at, sent)).status, 404, `${method} ${at}`);

  assert.equal((await call('DELETE', `/widgets/${id}`)).status, 202);
  assert.equal((await call('POST', parts, sent)).status, 404, 'while its parent is removed');
  await untilGone(call, `/widgets/${id}`);
  assert.deepEqual(await bench.left(), []);
});
