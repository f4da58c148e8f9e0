// Settings of buckets that two platforms have, for --diff.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketDifferences } from './buckets.ts';

test('buckets differ in their settings, but not in the form of their documents', () => {
  const cors = '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>';
  const formatted = `<?xml version="1.0"?>\n${cors.replace('>', ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\n  ')}`;
  const there = [{ name: 'assets', versioning: true, cors: formatted }, { name: 'logs' }, { name: 'locked' }];
  const here = [{ name: 'assets', cors, files: './assets' }, { name: 'own' }];
  assert.deepEqual(
    bucketDifferences(there, here, ['locked']).map(({ path, difference, property }) => [...path, difference, property]),
    [
      ['assets', 'changed', 'versioning'],
      ['logs', 'only there', undefined],
      ['own', 'only here', undefined],
    ],
  );
  assert.deepEqual(bucketDifferences(there, here, ['']), [], 'they were not read');
});
