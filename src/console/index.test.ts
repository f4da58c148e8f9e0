// The console's page when the web app can't be bundled.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Log } from '../base/log.ts';
import type { Exchange } from '../surface/http/exchange.ts';
import { consoleService } from './index.ts';

suite('the page of a console that cannot be bundled', () => {
  test('shows the reason and the remedy, and logs the reason', async () => {
    const logged: unknown[] = [];
    const log: Log = {
      info: () => undefined,
      warn: () => undefined,
      error: (...line) => logged.push(line),
    };
    const app = (): Promise<never> => Promise.reject(new Error('spawn <esbuild> EACCES'));
    const clock = { now: () => 0, offset: () => 0 };
    const tools = {
      version: '1',
      regions: { all: [], home: '' },
      services: () => [],
      resources: () => [],
      parts: () => [],
      lifetimes: [],
      mostTokens: 1,
      machines: { title: 'simulated', isReal: false, abilities: [] },
      sessionRoutes: [],
      liveRoutes: [],
      productRoutes: [],
      clock,
    };
    const [page] = consoleService({ ...tools, log, app }).routes;
    const reply = await page?.call({ req: { headers: {} } } as Exchange);
    assert.equal(reply?.status, 503);
    assert.match(String(reply.body), /npm ci/);
    assert.match(String(reply.body), /spawn &lt;esbuild&gt; EACCES/);
    assert.deepEqual(logged, [['the console cannot be bundled', { reason: 'spawn <esbuild> EACCES' }]]);
  });
});
