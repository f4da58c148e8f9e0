// The OpenAPI documents by a public validator (Redocly's): their structure, their references, their parameters against
// their paths, and their examples against their schemas. And by a generator of clients, npm's `openapi-typescript`,
// whose types are compiled.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { limits } from '../../src/testing/limits.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { npmPackages } from './install.ts';
import { mustRun, workFolder } from './run.ts';

const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc');

// The recommended rules and the examples, without matters of taste.
const rules = {
  'no-invalid-media-type-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-unused-components': 'error',
  'info-license': 'off',
  'tag-description': 'off', // a tag is the name of a resource
} as const;

// The platform's own paths, such as `/invoices/{period}` next to `/{contract}/usage`, where a contract is a number.
const exceptions: Record<string, object> = { billing: { 'no-ambiguous-paths': 'off' } };

// The answer of a WebSocket is 101 only; the validator expects a 2xx of every operation.
function opensSocket(document: object, pointer = ''): boolean {
  const keys = pointer.split('/').slice(1);
  const at = (from: unknown, key: string): unknown =>
    (from as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  return '101' in (keys.reduce(at, document as unknown) as object);
}

interface Generator {
  default(document: object): Promise<unknown>;
  astToString(types: unknown): string;
}

// A valid body, an invalid one, and an answer that is read.
const use = `
type Create = import('./cloudapi.ts').operations['datacenter_create'];
type Body = Create['requestBody']['content']['application/json'];
export const right: Body = { properties: { name: 'example', location: 'de/txl' } };
// @ts-expect-error: a location is a text
export const wrong: Body = { properties: { name: 'example', location: 1 } };
export const idOf = (made: Create['responses'][202]['content']['application/json']): string => made.id;
`;

suite('the OpenAPI documents', () => {
  let region: Region;
  const documents = new Map<string, object>();
  before(async () => {
    region = await startRegion();
    const open = { token: null };
    const { body } = await region.call<{ services: { name: string }[] }>('GET', '/', undefined, open);
    for (const { name } of body.services) {
      const document = await region.call<object>('GET', `/docs/${name}.json`, undefined, open);
      assert.equal(document.status, 200);
      documents.set(name, document.body);
    }
    assert.ok(documents.size >= 5);
  });
  after(() => region?.stop());

  test('[GEN-08] every one passes a public validator', async (t) => {
    for (const [name, document] of documents) {
      await t.test(name, async () => {
        const settings = { extends: ['recommended-strict'], rules: { ...rules, ...exceptions[name] } };
        const config = await createConfig(settings);
        const source = JSON.stringify(document, null, 2);
        const problems = await lintFromString({ source, absoluteRef: `/${name}.json`, config });
        const reported = problems
          .filter(
            ({ ruleId, location: [at] }) => ruleId !== 'operation-2xx-response' || !opensSocket(document, at?.pointer),
          )
          .map(({ ruleId, message, location: [at] }) => `${ruleId} ${at?.pointer}: ${message}`);
        assert.deepEqual(reported, []);
      });
    }
  });

  test('[GEN-08] the types that a generator makes of every one compile', async (t) => {
    const folder = workFolder(t);
    const module = join(await npmPackages('openapi-typescript'), 'openapi-typescript/dist/index.mjs');
    const { default: typesOf, astToString } = (await import(module)) as Generator;
    for (const [name, document] of documents)
      writeFileSync(join(folder, `${name}.ts`), astToString(await typesOf(document)));
    writeFileSync(join(folder, 'use.ts'), use);
    const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext'];
    const files = ['use', ...documents.keys()].map((name) => `${name}.ts`);
    await mustRun([compiler, ...options, '--allowImportingTsExtensions', ...files], {
      cwd: folder,
      limitMs: limits.clientSuite,
    });
  });
});
