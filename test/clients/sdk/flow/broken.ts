// Failures after the 202, as SDKs see them.
import assert from 'node:assert/strict';
import { isRefused, part } from './claims.ts';
import type { Checks } from './flow.ts';

export const brokenChecks: Checks = {
  request_failed: {
    title: '[CORE-02] [CORE-23] the wait ends with the message of the failed request, and nothing remains',
    verify(seen) {
      assert.equal(seen.status, 202);
      assert.match(String(seen.message), /No address is left, says the lab/);
      isRefused(seen.gone, 404, '309');
    },
  },
  parent_busy: {
    title: '[CORE-03] a resource that is being created can neither be changed nor get children',
    verify(seen) {
      assert.equal(part(seen, 'parent').metadata.state, 'BUSY');
      isRefused(seen.create as typeof seen.gone, 404, '309', /not ready/);
      isRefused(seen.change as typeof seen.gone, 422, '200', /BUSY/);
    },
  },
};
