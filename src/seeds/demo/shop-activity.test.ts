// The activity of the demo shop.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { cpuAt, isIncident, lineAt, ShopFigures, workersCpuAt } from './shop-activity.ts';

const begin = Date.parse('2026-11-17T12:00:00Z');
const times = Array.from({ length: 240 }, (_, index) => begin + index * 30_000); // two hours

suite('the demo shop', () => {
  test('counts up, and payments fail in incidents only', () => {
    const figures = new ShopFigures(begin);
    let [last, failures] = [0, 0];
    for (const at of times.slice(1)) {
      const all = figures.until(at);
      const total = all.filter(({ labels }) => labels.__name__ === 'shop_http_requests_total');
      const sum = total.reduce((so, { value }) => so + value, 0);
      assert.ok(sum > last, 'requests grow');
      const payment = (status: string): number =>
        total.find(({ labels }) => labels.service === 'payment' && labels.status === status)?.value ?? 0;
      const grown = payment('500') - failures;
      assert.equal(grown > 2, isIncident(at), new Date(at).toISOString());
      [last, failures] = [sum, payment('500')];
    }
  });

  test('loads machines within their bounds, and workers so that their number changes', () => {
    for (const at of times) for (const salt of [0, 5]) assert.ok(cpuAt(at, salt) > 5 && cpuAt(at, salt) <= 95);
    const loads = times.map(workersCpuAt);
    assert.ok(Math.min(...loads) < 30, 'one worker is enough');
    assert.ok(Math.max(...loads) > 140, 'two are not');
  });

  test('writes the same line for the same time', () => {
    assert.deepEqual(lineAt(begin), lineAt(begin));
    assert.ok(times.some((at) => lineAt(at).level === 'error'));
  });
});
