// The OpenAPI documents by a public validator (Redocly's): their structure, their references, their parameters against
// their paths, and their examples against their schemas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { startRegion } from '../harness/region.ts';

// Beyond what is recommended, the examples; and what is a matter of taste is off.
const rules = {
  'no-invalid-media-type-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-unused-components': 'error',
  'info-license': 'off',
  'tag-description': 'off', // a tag is the name of a resource
} as const;

// The platform's own paths: `/invoices/{period}` beside `/{contract}/usage`, where a contract is a number.
const exceptions: Record<string, object> = { billing: { 'no-ambiguous-paths': 'off' } };

test('[GEN-08] every OpenAPI document passes a public validator', async (t) => {
  await using region = await startRegion();
  const { body } = await region.call<{ services: { name: string }[] }>('GET', '/', undefined, { token: null });
  assert.ok(body.services.length >= 5);
  for (const { name } of body.services) {
    await t.test(name, async () => {
      const config = await createConfig({ extends: ['recommended-strict'], rules: { ...rules, ...exceptions[name] } });
      const document = await region.call<object>('GET', `/docs/${name}.json`, undefined, { token: null });
      assert.equal(document.status, 200);
      const source = JSON.stringify(document.body, null, 2);
      const problems = await lintFromString({ source, absoluteRef: `/${name}.json`, config });
      const told = problems.map(({ ruleId, message, location: [place] }) => `${ruleId} ${place?.pointer}: ${message}`);
      assert.deepEqual(told, []);
    });
  }
});
