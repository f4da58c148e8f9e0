// Answers that are sent piece by piece to clients that leave in the middle.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import type { Fields } from '../../base/log.ts';
import type { Service } from './exchange.ts';
import { renderPlatformFault } from './payload.ts';
import { createHandler } from './pipeline.ts';
import { Router } from './router.ts';
import type { Surface } from './stages.ts';

const endless: Service = {
  name: 'endless',
  title: 'Endless',
  description: '',
  prefixes: ['/endless'],
  hosts: [],
  takesBasic: false,
  routes: [
    {
      method: 'GET',
      path: '/stream',
      operation: 'stream_get',
      summary: '',
      open: true,
      call: () => ({
        status: 200,
        stream: async (send) => {
          for (;;) await send('x'.repeat(100_000));
        },
      }),
    },
  ],
  renderFault: (fault) => renderPlatformFault(fault),
};

test('who leaves amid an answer ends its drawing, and is no bug', async (t) => {
  const errors: [string, Fields | undefined][] = [];
  const told = Promise.withResolvers<number>();
  const surface = {
    table: { services: [endless], domains: [], regions: [] },
    routers: new Map([[endless, new Router(endless.routes)]]),
    failures: { left: () => 1 },
    metrics: { request: (_service: string, _operation: string, status: number) => told.resolve(status) },
    log: { info() {}, warn() {}, error: (...said: [string, Fields?]) => errors.push([said[0], said[1]]) },
    publicUrl: undefined,
  } as unknown as Surface;
  const handle = createHandler(surface);
  const server = createServer((req, res) => handle(req, res, false));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close().closeAllConnections());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET /endless/stream HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.resetAndDestroy();
  assert.equal(await told.promise, 200);
  assert.deepEqual(errors, []);
});
