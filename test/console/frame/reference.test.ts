// Tests of the API pages: the request of a filled-in operation, and its curl command.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aheadText } from '../../../console/clock-ahead.ts';
import type { ApiOperation } from '../../../console/reference/document.ts';
import { curlOf, requestOf } from '../../../console/reference/request.ts';

const operation: ApiOperation = {
  operationId: 'label_create',
  summary: '',
  method: 'POST',
  server: 'http://region.test:7070/cloudapi/v6',
  path: '/datacenters/{datacenterId}/labels',
  parameters: [
    { name: 'datacenterId', in: 'path', required: true, schema: {} },
    { name: 'depth', in: 'query', schema: {} },
    { name: 'filter.name', in: 'query', schema: {} },
    { name: 'X-Contract-Number', in: 'header', schema: {} },
  ],
  requestBody: { content: { 'application/json': { schema: {} } } },
  responses: [],
};

suite('the request of an operation', () => {
  test('contains all filled-in values, encoded, and no empty ones', () => {
    const filled = {
      'path.datacenterId': '../a b?',
      'query.depth': '',
      'query.filter.name': 'x&y',
      'header.X-Contract-Number': '31000001',
      body: '{"it": "\'s"}',
    };
    const request = requestOf(operation, filled);
    assert.deepEqual(request, {
      method: 'POST',
      path: '/cloudapi/v6/datacenters/..%2Fa%20b%3F/labels?filter.name=x%26y',
      headers: { 'X-Contract-Number': '31000001', 'Content-Type': 'application/json' },
      body: '{"it": "\'s"}',
    });
    const command = curlOf(request, 'http://region.test:7070', 'Authorization: Bearer $TOKEN');
    assert.equal(
      command,
      `curl -X POST -H "Authorization: Bearer $TOKEN" -H 'X-Contract-Number: 31000001' ` +
        `-H 'Content-Type: application/json' --data-raw '{"it": "'\\''s"}' ` +
        `'http://region.test:7070/cloudapi/v6/datacenters/..%2Fa%20b%3F/labels?filter.name=x%26y'`,
    );
  });
});

test('the offset of a moved clock is shown in the two largest units', () => {
  const day = 86_400_000;
  assert.equal(aheadText(366 * day), '366 days');
  assert.equal(aheadText(day + 2 * 3_600_000 + 5000), '1 day 2 hours');
  assert.equal(aheadText(61_000), '1 minute 1 second');
  assert.equal(aheadText(10), 'less than a second');
});
