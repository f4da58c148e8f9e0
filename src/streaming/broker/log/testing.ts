// For tests: a log in its own folder, which is removed after the test.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Clock, createClock } from '../../../base/clock.ts';
import { valuesIn } from '../wire/testing.ts';
import type { LogConfig } from './log-config.ts';
import { PartitionLog } from './partition-log.ts';
import { endOffsetOf, readLog } from './read.ts';

export const testConfig: LogConfig = {
  segmentBytes: 1 << 30,
  segmentMs: 604_800_000,
  segmentJitterMs: 0,
  retentionMs: -1,
  retentionBytes: -1,
  maxMessageBytes: 1 << 20,
  isDeleting: true,
  isCompacted: false,
  deleteRetentionMs: 86_400_000,
  minCompactionLagMs: 0,
  maxCompactionLagMs: Number.POSITIVE_INFINITY,
  minDirtyRatio: 0.5,
  isLogAppendTime: false,
  timestampBeforeMs: Number.POSITIVE_INFINITY,
  timestampAfterMs: Number.POSITIVE_INFINITY,
  flushMessages: Number.POSITIVE_INFINITY,
  flushMs: Number.POSITIVE_INFINITY,
  minInSyncReplicas: 1,
  compression: undefined,
  gzipLevel: -1,
  zstdLevel: 3,
};

// Whatever uses the folder is closed before it is removed.
export function testFolder(t: TestContext, close?: () => Promise<void>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-broker-'));
  t.after(async () => {
    await close?.();
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

export interface TestLog {
  log: PartitionLog;
  clock: Clock;
  folder: string;
  reopen(): Promise<PartitionLog>; // without a clean close, as after a crash
}

export async function testLog(
  t: TestContext,
  config: Partial<LogConfig> = {},
  flush: 'always' | 'interval' = 'interval',
): Promise<TestLog> {
  const folder = testFolder(t, () => test.log.close());
  let time = 1_000;
  const clock = createClock(0, () => time);
  clock.advance = (ms) => {
    time += ms;
  };
  const open = (): Promise<PartitionLog> =>
    PartitionLog.open({ folder, clock, flush, config: { ...testConfig, ...config } });
  const test: TestLog = { log: await open(), clock, folder, reopen: open };
  test.reopen = async () => {
    await test.log.abandon();
    test.log = await open();
    return test.log;
  };
  return test;
}

export async function readAll(log: PartitionLog, from = log.startOffset, below = log.highWatermark): Promise<string[]> {
  const found: string[] = [];
  for (let offset = from; offset < below; ) {
    const records = await readLog(log, { offset, maxBytes: 300, below, atLeastOne: true }, 0);
    if (records.length === 0) break;
    found.push(...valuesIn(records));
    offset = endOffsetOf(records);
  }
  return found;
}
