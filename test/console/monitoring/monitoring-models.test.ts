// The models of charts: their time span, and the panels of a dashboard.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Dashboard, DashboardApi } from '../../../console/monitoring/dashboard/dashboard-api.ts';
import { DashboardModel } from '../../../console/monitoring/dashboard/dashboard-model.ts';
import type { PanelSettings } from '../../../console/monitoring/plot/panel-settings.ts';
import { TimeSelection } from '../../../console/time/time-selection.ts';

suite('the time of charts', () => {
  test('moves, and goes back step by step', () => {
    let changes = 0;
    const time = new TimeSelection({ lastS: 3600 }, () => changes++);
    time.nowS = 10_000;
    assert.equal(time.custom.value, undefined);
    time.select({ fromS: 7000, toS: 8000 });
    time.widen();
    assert.deepEqual(time.range.value, { fromS: 6500, toS: 8500 });
    time.move(-1);
    assert.deepEqual(time.range.value, { fromS: 5500, toS: 7500 });
    assert.ok(time.custom.value, 'the fields of a custom range are shown');
    for (let count = 0; count < 3; count++) time.back();
    assert.deepEqual([time.range.value, time.earlier.value], [{ lastS: 3600 }, []]);
    assert.equal(time.custom.value, undefined);
    assert.equal(changes, 6);
    time.back();
    assert.equal(changes, 6, 'there is nothing to go back to');
  });

  test('is refused if it ends before it starts', () => {
    const time = new TimeSelection({ lastS: 900 }, () => assert.fail('the charts are not asked'));
    time.custom.value = { from: '2026-01-02T00:00:00', to: '2026-01-01T00:00:00' };
    time.selectCustom();
    assert.equal(time.problem.value, 'The end must be after the start.');
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
  // A region that stores dashboards in memory.
  class Region implements DashboardApi {
    readonly kept: Dashboard[] = [];
    #changes = 0;

    list = async () => this.kept;
    get = async (id: string) => this.#at(id);
    async create(properties: Dashboard['properties'], user = 'u') {
      const id = `dashboard ${this.kept.length}`;
      const made = { id, metadata: { createdByUserId: user, lastModifiedDate: `${++this.#changes}` }, properties };
      this.kept.push(made);
      return made;
    }
    async replace(id: string, properties: Dashboard['properties']) {
      const { metadata } = this.#at(id);
      const changed = { id, metadata: { ...metadata, lastModifiedDate: `${++this.#changes}` }, properties };
      this.kept[this.kept.indexOf(this.#at(id))] = changed;
      return changed;
    }
    async remove(id: string) {
      this.kept.splice(this.kept.indexOf(this.#at(id)), 1);
    }
    titles(at = 0): string[] | undefined {
      return this.kept[at]?.properties.panels.map(({ title }) => title);
    }
    #at(id: string): Dashboard {
      const found = this.kept.find((one) => one.id === id);
      assert.ok(found, `there is no ${id}`);
      return found;
    }
  }
  const opened = (region = new Region()) => ({ region, model: new DashboardModel(region, [...region.kept], 'u') });
  const idOf = (model: DashboardModel, title: string): number =>
    model.panels.value.find((one) => one.settings.title === title)?.id ?? 0;

  test('are added, replaced and removed, and stored in the region in their order each time', async () => {
    const { model, region } = opened();
    const adding = model.add(settings('one'), settings('two'));
    await Promise.all([adding, model.add(settings('three'))]);
    assert.deepEqual(region.titles(), ['one', 'two', 'three'], 'the first one makes the dashboard');
    await model.remove(idOf(model, 'three'));
    const id = idOf(model, 'one');
    model.edited.value = { id };
    await model.replaceEdited(settings('changed'));
    assert.deepEqual([region.titles(), idOf(model, 'changed')], [['changed', 'two'], id]);
    await model.remove(id);
    assert.deepEqual([region.titles(), model.edited.value, region.kept.length], [['two'], undefined, 1]);
    await assert.rejects(model.add({ ...settings('empty'), queries: [] }), /Type an expression/);
    await assert.rejects(model.add(...Array<PanelSettings>(200).fill(settings('more'))), /200 panels/);
  });

  test('keep both of two simultaneous changes', async () => {
    const { model } = opened();
    await model.add(settings('one'));
    const id = idOf(model, 'one');
    model.edited.value = { id };
    await Promise.all([model.replaceEdited(settings('changed')), model.change(id, { isTable: true })]);
    const [panel] = model.panels.value;
    assert.deepEqual([panel?.settings.title, panel?.settings.isTable], ['changed', true]);
  });

  test('changed by another user are not overwritten, and failed changes are not shown', async () => {
    const { model: first, region } = opened();
    await first.add(settings('one'));
    const { model: second } = opened(region);
    await second.add(settings('two'));
    await assert.rejects(first.add(settings('lost')), /changed in another/);
    assert.deepEqual([region.titles(), first.panels.value.length], [['one', 'two'], 1]);
  });

  test("are on several dashboards, the user's own first, which are created, renamed and deleted", async () => {
    const region = new Region();
    await region.create({ name: 'A', panels: [settings('theirs')] }, 'another');
    await region.create({ name: 'B', panels: [settings('mine')] });
    const { model } = opened(region);
    assert.equal(model.shown.value?.properties.name, 'B');
    await model.create('C');
    await model.add(settings('new'));
    await model.rename('AA');
    assert.deepEqual(
      model.all.value.map(({ properties }) => properties.name),
      ['A', 'AA', 'B'],
    );
    assert.deepEqual(region.titles(2), ['new']);
    await model.delete();
    assert.deepEqual(
      [model.shown.value?.properties.name, idOf(model, 'theirs') > 0, region.kept.length],
      ['A', true, 2],
    );
  });

  test('of a file show the chosen source if their own does not exist', async () => {
    const [{ model: from }, { model: to }] = [opened(), opened()];
    await from.add(settings('one', 'here'), settings('two', 'gone'));
    const text = await to.importText(from.text, (source) => source === 'here', 'chosen');
    assert.equal(text, '2 panels added; 1 now show the chosen pipeline.');
    assert.deepEqual(
      to.panels.value.map((one) => one.settings.source),
      ['here', 'chosen'],
    );
  });
});
