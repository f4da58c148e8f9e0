// The state behind the charts: which time they show, and the panels of a dashboard.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { TimeSelection } from '../../console/monitoring/charts/time-selection.ts';
import { DashboardModel } from '../../console/monitoring/dashboard/dashboard-model.ts';
import { DashboardStore } from '../../console/monitoring/dashboard/dashboard-store.ts';
import type { PanelSettings } from '../../console/monitoring/plot/panel-settings.ts';

suite('the time of charts', () => {
  test('moves from where it is, and goes back step by step', () => {
    let changes = 0;
    const time = new TimeSelection({ lastS: 3600 }, () => changes++);
    time.nowS = 10_000;
    assert.equal(time.custom.value, undefined);
    time.select({ fromS: 7000, toS: 8000 });
    time.widen();
    assert.deepEqual(time.range.value, { fromS: 6500, toS: 8500 });
    time.move(-1);
    assert.deepEqual(time.range.value, { fromS: 5500, toS: 7500 });
    assert.ok(time.custom.value, 'the fields of a range of its own are shown');
    for (let count = 0; count < 3; count++) time.back();
    assert.deepEqual([time.range.value, time.earlier.value], [{ lastS: 3600 }, []]);
    assert.equal(time.custom.value, undefined);
    assert.equal(changes, 6);
    time.back();
    assert.equal(changes, 6, 'there is nothing to go back to');
  });

  test('is not taken where it ends before it begins', () => {
    const time = new TimeSelection({ lastS: 900 }, () => assert.fail('the charts are not asked'));
    time.custom.value = { from: '2026-01-02T00:00:00', to: '2026-01-01T00:00:00' };
    time.selectCustom();
    assert.equal(time.problem.value, 'The end must come after the beginning.');
    assert.deepEqual(time.range.value, { lastS: 900 });
  });
});

suite('the panels of a dashboard', () => {
  const settings = (title: string, source = 'a'): PanelSettings => ({
    title,
    source,
    queries: [{ expression: 'up', legend: '' }],
    unit: 'auto',
    isTable: false,
  });
  const opened = () => {
    const kept = new Map<string, string>();
    const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: kept.set.bind(kept) };
    const store = new DashboardStore(storage, { user: 'u', contract: 1, region: 'de-fra' });
    return { model: new DashboardModel(store), stored: () => store.read().map(({ title }) => title) };
  };
  const idOf = (model: DashboardModel, title: string): number =>
    model.panels.value.find((one) => one.settings.title === title)?.id ?? 0;

  test('are added, moved, replaced and removed, and stored each time', () => {
    const { model, stored } = opened();
    model.add(settings('one'), settings('two'));
    model.move(idOf(model, 'two'), -1);
    model.move(idOf(model, 'two'), -1); // it is the first already
    assert.deepEqual(stored(), ['two', 'one']);
    const id = idOf(model, 'one');
    model.edited.value = { id };
    model.replaceEdited(settings('changed'));
    assert.deepEqual([stored(), idOf(model, 'changed')], [['two', 'changed'], id]);
    model.remove(id);
    assert.deepEqual([stored(), model.edited.value], [['two'], undefined]);
    assert.throws(() => model.add({ ...settings('empty'), queries: [] }), /needs an expression/);
  });

  test('of a file show the chosen source where their own is not here', () => {
    const [{ model: from }, { model: to }] = [opened(), opened()];
    from.add(settings('one', 'here'), settings('two', 'gone'));
    const text = to.importText(from.text, (source) => source === 'here', 'chosen');
    assert.equal(text, '2 panels added; 1 now show the chosen pipeline.');
    assert.deepEqual(
      to.panels.value.map((one) => one.settings.source),
      ['here', 'chosen'],
    );
  });
});
