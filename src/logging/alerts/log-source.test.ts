// Expressions of log rules: which ones are accepted, their values, and their errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LostCall } from '../../core/threads/worker-pool.ts';
import { HeavyRule, RuleError } from '../../surface/alerting/source.ts';
import { type MemoryLine, MemoryReader } from '../logql/testing.ts';
import { answer } from '../query/answer.ts';
import type { LogStore } from '../store.ts';
import { checkExpression } from './expression.ts';
import { logQuery } from './log-source.ts';

const nowMs = 1_700_000_100_000;
const lines: MemoryLine[] = Array.from({ length: 50 }, (_, index) => ({
  labels: { tag: index % 2 ? 'web' : 'db', source: 'generic' },
  timeNs: BigInt(1_700_000_000 + index) * 1_000_000_000n,
  line: `n=${index}`,
}));
const pipeline = { source: 'logging', id: 'p', contract: 31, region: 'de-txl' };
const query = logQuery({ ask: (question) => answer(new MemoryReader(lines), question, new AbortController().signal) });
const failing = (reason: 'deadline' | 'memory' | 'other'): Pick<LogStore, 'ask'> => ({
  ask: () => Promise.reject(new LostCall(reason, 'The log engine was lost.')),
});

test('[LOG-06] a rule gets the values of a metric query at its time', async () => {
  const expression = 'sum by (tag) (count_over_time({source="generic"}[100s])) > 20';
  assert.deepEqual(await query(pipeline, expression, nowMs - 40_000), [
    { labels: { tag: 'db' }, value: 25 },
    { labels: { tag: 'web' }, value: 25 },
  ]);
  assert.deepEqual(await query(pipeline, expression, nowMs + 3_600_000), []);
  assert.deepEqual(await query(pipeline, '1 / 0', nowMs), [{ labels: {}, value: Number.NaN }]);
});

test('[LOG-06] an expression that is not a metric query of LogQL is refused with its position', () => {
  assert.equal(checkExpression('sum(rate({tag="web"} |~ "a.*b" | json [5m])) > 1'), undefined);
  assert.match(checkExpression('rate({') ?? '', /parse error at line 1, col 7/);
  assert.match(checkExpression('{tag="web"}') ?? '', /returns lines; a rule needs numbers/);
});

test('[LOG-06] a failing query and one that takes too much have different errors', async () => {
  await assert.rejects(query(pipeline, 'rate({', nowMs), (error) => {
    return error instanceof RuleError && !(error instanceof HeavyRule) && /parse error at line 1/.test(error.message);
  });
  for (const reason of ['deadline', 'memory'] as const)
    await assert.rejects(logQuery(failing(reason))(pipeline, '1', nowMs), HeavyRule);
  await assert.rejects(logQuery(failing('other'))(pipeline, '1', nowMs), (error) => !(error instanceof HeavyRule));
});
