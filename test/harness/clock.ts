// The region's clock, for tests that count by minutes, hours, days or months: none of these may end during such a test.
import assert from 'node:assert/strict';
import type { Region } from './region.ts';

export async function moveToNextHour(region: Region): Promise<void> {
  await moveTo(region, (now) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), now.getUTCHours() + 1),
  );
}

// To the morning of the tenth of the next month.
export async function moveToMidMonth(region: Region): Promise<void> {
  await moveTo(region, (now) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10, 9));
}

async function moveTo(region: Region, wanted: (now: Date) => number): Promise<void> {
  const { body } = await region.call<{ now: string }>('GET', '/lab/clock');
  const now = new Date(body.now);
  const { status } = await region.call('PUT', '/lab/clock', { advanceMs: wanted(now) - now.getTime() });
  assert.equal(status, 200);
}
