// Log lines in backups and in `state check`: of a region that runs or not.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readManifest } from '../../src/testing/black-box/logging.ts';
import { until } from '../../src/testing/waiting.ts';
import { addLogPipeline, type LogPipeline, post, search, stream } from '../harness/logs.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';

const each = 500;

async function send(region: Region, pipeline: LogPipeline, part: string): Promise<void> {
  const records = Array.from({ length: each }, (_, number) => ({ part, number }));
  assert.equal((await post(region, pipeline, '/app', records)).status, 200);
}

async function partsIn(region: Region, pipeline: LogPipeline): Promise<Record<string, number>> {
  const found = await search(region, pipeline, '{tag="app"}');
  const parts = found.map(({ line }) => (JSON.parse(line) as { part: string }).part);
  return Object.fromEntries([...Map.groupBy(parts, (part) => part)].map(([part, all]) => [part, all.length]));
}

// Lines in memory are sealed into a segment at 16 MB.
async function sendMuch(region: Region, pipeline: LogPipeline): Promise<void> {
  const records = Array.from({ length: 20 }, (_, number) => ({ number, text: 'x'.repeat(200_000) }));
  for (let times = 0; times < 6; times++) assert.equal((await post(region, pipeline, '/app', records)).status, 200);
}

test('[GEN-06] a backup with log lines brings back those that were there, and no others', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-logs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'monday.state');
  await using region = await startRegion();
  const pipeline = await addLogPipeline(region, [stream('app')]);
  await send(region, pipeline, 'first');
  await region.restart(); // in another log than what follows
  await send(region, pipeline, 'second');
  const made = await cumulet(['state', 'backup', file, '--logs', '--data', region.data]);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^Wrote \d+ rows and .*B of log lines to /);
  await send(region, pipeline, 'later');
  assert.deepEqual(await partsIn(region, pipeline), { first: each, second: each, later: each });
  const restored = await cumulet(['state', 'restore', file, '--yes', '--data', region.data]);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /The log lines were restored as well\./);
  assert.deepEqual(await partsIn(region, pipeline), { first: each, second: each });
  await send(region, pipeline, 'after');
  await region.restart();
  assert.deepEqual(await partsIn(region, pipeline), { first: each, second: each, after: each });
  const without = await cumulet(['state', 'backup', file, '--force', '--data', region.data]);
  assert.doesNotMatch(without.stdout, /log lines/);
});

test('[GEN-06] state check reports a damaged file of log lines, of a running region and a stopped one', async () => {
  await using region = await startRegion();
  const pipeline = await addLogPipeline(region, [stream('app')]);
  await sendMuch(region, pipeline);
  const logs = join(region.data, 'logs');
  const name = await until('the lines are in a segment', async () => {
    const { segments } = readManifest(logs);
    return segments.length > 0 && readdirSync(logs).find((one) => one.endsWith('.blocks'));
  });
  const check = () => cumulet(['state', 'check', '--data', region.data]);
  const whole = await check();
  assert.equal(whole.code, 0, whole.stdout);
  assert.match(whole.stdout, /^Checked \d+ rows and 1 files of log lines: no damage found/);
  const bytes = readFileSync(join(logs, name));
  const damaged = async (at: number, says: RegExp): Promise<void> => {
    const wrong = Buffer.from(bytes);
    wrong[at] = (wrong[at] ?? 0) ^ 1;
    writeFileSync(join(logs, name), wrong);
    const { code, stdout } = await check();
    assert.equal(code, 1, stdout);
    assert.match(stdout, says);
  };
  await damaged(3, new RegExp(`blocks of .*${name} are damaged: \\d+ lines can't be read`));
  await region.halt('SIGTERM');
  await damaged(bytes.length - 20, new RegExp(`the directory of .*${name} is damaged`));
  rmSync(join(logs, name));
  assert.match((await check()).stdout, new RegExp(`${name} is missing, with all of its lines`));
});
