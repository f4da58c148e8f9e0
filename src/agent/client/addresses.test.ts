// Addresses that users configure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addresses, urlOf } from './addresses.ts';
import { Failure } from './failure.ts';

test('[TOOLS-04] an IONOS_API_URL without a scheme is reported with the remedy', () => {
  assert.equal(urlOf(addresses('http://localhost:7070/')('billing')).href, 'http://localhost:7070/billing');
  for (const wrong of ['localhost:7070', '127.0.0.1:7070', 'file:///etc', 'x'])
    assert.throws(
      () => urlOf(addresses(wrong)('cloudapi')),
      (error) => error instanceof Failure && /IONOS_API_URL.*http:\/\/localhost:7070/.test(error.message),
    );
});
