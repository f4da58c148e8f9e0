// The services of a whole platform, started in this process: each route is documented.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { silent } from './base/log.ts';
import { configOf } from './config/config.ts';
import { startPlatform } from './platform.ts';
import { declaredEndpoints, products } from './products.ts';
import { openapi } from './surface/docs/openapi-document.ts';

interface Document {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
}

test('[GEN-08] every route of every service is in its document, with what it answers', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'cumulet-docs-'));
  const config = configOf(new Map(Object.entries({ data, port: '0' })), products);
  const platform = await startPlatform(config, { version: '0', log: silent });
  t.after(async () => {
    await platform.stop();
    rmSync(data, { recursive: true, force: true });
  });
  for (const { name, path, host } of declaredEndpoints().filter((one) => one.host !== undefined)) {
    const serving = platform.services().find(({ prefixes }) => prefixes.includes(path));
    assert.ok(serving?.hosts.includes(String(host)), `the declared endpoint ${name} is not that of its service`);
  }
  for (const service of platform.services()) {
    const { paths } = openapi(service, 'http://here') as unknown as Document;
    for (const route of service.routes) {
      const { method, path, operation, bodySchema, bodyTypes, takesBody, takesBytes } = route;
      const status = route.upgrade ? 101 : (route.replyStatus ?? 200);
      const documented = paths[path.replace('*}', '}') || '/']?.[method.toLowerCase()];
      assert.equal(documented?.operationId, operation);
      assert.ok(documented.responses[status], `${operation} does not document its ${status}`);
      assert.equal(bodySchema !== undefined, takesBody === true, `${operation} takes a body and does not say which`);
      assert.ok(bodySchema ?? bodyTypes ?? !takesBytes, `${operation} takes bytes and does not say which`);
    }
    const documentedMethods = Object.values(paths).flatMap((methods) => Object.keys(methods));
    assert.equal(
      documentedMethods.length,
      service.routes.length,
      `${service.name} documents routes that it does not have`,
    );
  }
});

const needed = ['compute', 'identity']; // all others can be left out

for (const { name } of products.filter((one) => !needed.includes(one.name)))
  test(`a region starts without ${name}, and the others serve`, async () => {
    const data = mkdtempSync(join(tmpdir(), 'cumulet-without-'));
    const others = products.filter((one) => one.name !== name);
    const config = configOf(new Map(Object.entries({ data, port: '0' })), others);
    const platform = await startPlatform(config, { version: '0', log: silent, products: others });
    try {
      for (const service of platform.services()) openapi(service, 'http://here');
      const answer = await fetch(`http://127.0.0.1:${platform.gateway.port}/ready`);
      assert.equal(answer.status, 200, await answer.text());
    } finally {
      await platform.stop();
      rmSync(data, { recursive: true, force: true });
    }
  });
