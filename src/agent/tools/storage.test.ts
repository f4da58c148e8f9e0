// Pages of versions that are too long for one answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Values } from '../../base/json.ts';
import type { StorageTarget } from '../client/storage-api.ts';
import { resultText } from '../result.ts';
import type { ToolContext } from '../tool.ts';
import { storageTools } from './storage.ts';

const keys = Array.from({ length: 150 }, (_, at) => `${String(at).padStart(3, '0')}${'x'.repeat(1000)}`);

// As S3 pages: versions and delete markers take turns, and together they are at most `max-keys`.
const storage = {
  async get({ query = {} }: StorageTarget): Promise<Values> {
    const from = keys.indexOf(String(query['key-marker'] ?? '')) + 1;
    const page = keys.slice(from, from + Number(query['max-keys']));
    const isLast = from + page.length === keys.length;
    const rows = (odd: number) =>
      page.filter((key) => Number(key.slice(0, 3)) % 2 === odd).map((Key) => ({ Key, VersionId: 'v', Size: '1' }));
    const next = { NextKeyMarker: page.at(-1) ?? '', NextVersionIdMarker: 'v' };
    return { Version: rows(0), DeleteMarker: rows(1), IsTruncated: String(!isLast), ...(!isLast && next) };
  },
};

test('[TOOLS-02] the next page of versions begins with the first one that was not shown', async () => {
  const tool = storageTools.find(({ name }) => name === 'list_object_storage_object_versions');
  const seen: string[] = [];
  let marker: string | undefined;
  do {
    const args = { bucket: 'a-bucket', ...(marker !== undefined && { key_marker: marker }) };
    const text = resultText((await tool?.read(args, { storage } as unknown as ToolContext)) ?? null);
    type Page = Record<'versions' | 'deleteMarkers', { Key: string }[]> & {
      next_key_marker?: string;
      shortened?: object;
    };
    const page = JSON.parse(text) as Page;
    assert.equal(page.shortened, undefined, 'no version of the page is omitted');
    seen.push(...[...page.versions, ...page.deleteMarkers].map(({ Key }) => Key));
    marker = page.next_key_marker;
  } while (marker !== undefined);
  assert.deepEqual(seen.sort(), keys);
});
