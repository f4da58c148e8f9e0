// Pages of lists: every item is on one page, even if items are long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Values } from '../../base/json.ts';
import type { PlatformApi, Query } from '../client/platform-api.ts';
import { resultText } from '../result.ts';
import type { ToolContext } from '../tool.ts';
import { readTool } from './read-tool.ts';

const all = Array.from({ length: 250 }, (_, at) => ({
  id: String(at),
  properties: { name: 'x'.repeat(at === 7 ? 70_000 : 900) },
}));

const paged = {
  json: async (_service: string, _path: string, { offset, limit }: Query) => {
    const [from, most] = [Number(offset), Number(limit)];
    return { offset: from, limit: most, items: all.slice(from, from + most), _links: {} };
  },
} as unknown as PlatformApi;

test('[TOOLS-02] a client that follows next_offset sees every item once, even if a page is too long for an answer', async () => {
  const tool = readTool({
    ...{
      name: 'list_resources',
      group: 'compute',
      service: 'cloudapi',
      path: '/resources',
      description: 'AuditResources',
    },
    ...{ isList: true, hasDepth: true },
  });
  for (const more of [{}, { depth: 2 }]) {
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const answer = await tool.read({ ...more, offset, limit: 100 }, { api: paged } as ToolContext);
      const page = JSON.parse(resultText(answer)) as { items: Values[]; next_offset?: number };
      seen.push(...page.items.map(({ id }) => String(id)));
      offset = page.next_offset;
    }
    assert.deepEqual(
      seen,
      all.map(({ id }) => id),
    );
  }
});
