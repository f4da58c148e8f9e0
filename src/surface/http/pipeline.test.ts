// Answers that are sent piece by piece, on both ways of a connection, to those who go away in the middle.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import type { Fields } from '../../base/log.ts';
import type { Service } from './exchange.ts';
import { openLane } from './lane.ts';
import { drawPlatform } from './payload.ts';
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
  draw: (fault) => drawPlatform(fault),
};

for (const way of ['the short one', 'that of node:http'])
  test(`who leaves amid an answer ends its drawing, and is no bug: on ${way}`, async (t) => {
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
    openLane(server, {
      handle: (req, res) => handle(req, res, false),
      mayOpen: () => true,
      refuse() {},
      silentMs: 60_000,
      idleMs: 60_000,
      lookMs: 60_000,
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => server.close().closeAllConnections());
    const accepted = once(server, 'connection');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [there] = await accepted;
    const request = 'GET /endless/stream HTTP/1.1\r\nHost: x\r\n\r\n';
    const cut = way === 'the short one' ? 0 : 9;
    socket.write(request.slice(0, cut));
    while (there.bytesRead < cut) await new Promise(setImmediate);
    socket.write(request.slice(cut));
    await once(socket, 'data');
    socket.resetAndDestroy();
    assert.equal(await told.promise, 200);
    assert.deepEqual(errors, []);
  });
