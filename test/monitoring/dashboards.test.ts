// Dashboards through the API: stored in the region, by contract, with limits.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addGroup, addPerson } from '../harness/people.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { assertPayload } from '../sweep/api.ts';
import { secondContract } from '../sweep/world.ts';

const berlin = '/de-txl/monitoring/dashboards';
const panel = {
  title: 'Orders',
  source: 'some pipeline',
  queries: [{ expression: 'orders_total', legend: '{{shop}}' }],
  unit: 'auto',
  isTable: true,
};

suite('[METRIC-07] dashboards', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const add = async (name: string, panels: object[] = []): Promise<string> => {
    const made = await region.call('POST', berlin, { properties: { name, panels } });
    assert.equal(made.status, 202, JSON.stringify(made.body));
    assert.equal(made.body.metadata.status, 'AVAILABLE');
    return made.body.id;
  };

  test('are stored in their region with their panels, changed and deleted, across a restart', async () => {
    const id = await add('Shop', [panel]);
    await region.restart();
    const read = await region.call('GET', `${berlin}/${id}`);
    assert.deepEqual(read.body.properties, { name: 'Shop', panels: [panel] });
    assert.equal((await region.call('GET', `/de-fra/monitoring/dashboards/${id}`)).status, 404);
    const { title, source, queries } = panel;
    const changed = await region.call('PUT', `${berlin}/${id}`, {
      properties: { name: 'Other', panels: [{ title, source, queries: [{ expression: queries[0]?.expression }] }] },
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const [kept] = changed.body.properties.panels as [object];
    assert.deepEqual(kept, { ...panel, queries: [{ expression: 'orders_total', legend: '' }], isTable: false });
    assert.equal((await region.call('DELETE', `${berlin}/${id}`)).status, 202);
    assert.equal((await region.call('GET', `${berlin}/${id}`)).status, 404);
  });

  test('are visible to their creator, the owner and administrators, and to no other contract', async () => {
    const id = await add('Owner’s');
    const other = await secondContract(region);
    for (const [method, body] of [['GET'], ['PUT', { properties: { name: 'x' } }], ['DELETE']] as const)
      assertPayload(await region.call(method, `${berlin}/${id}`, body, { token: other.token }), 404, method);
    assert.deepEqual((await region.call('GET', berlin, undefined, { token: other.token })).body.items, []);
    const [person, stranger] = [await addPerson(region), await addPerson(region)];
    await addGroup(region, ['accessAndManageMonitoring'], [person.user]);
    const { token } = person;
    const own = await region.call('POST', berlin, { properties: { name: 'Own' } }, { token });
    const names = async (who: { token?: string }): Promise<unknown[]> =>
      (await region.call('GET', berlin, undefined, who)).body.items.map(({ properties }) => properties.name);
    assert.equal(own.status, 202, JSON.stringify(own.body));
    assert.deepEqual(await names({ token }), ['Own']);
    assert.deepEqual((await names({})).sort(), ['Own', 'Owner’s']);
    assertPayload(await region.call('GET', berlin, undefined, { token: stranger.token }), 403, 'without the privilege');
  });

  test('are limited in size and number', async () => {
    const refused = async (panels: unknown, words: RegExp): Promise<void> => {
      const answer = await region.call('POST', berlin, { properties: { name: 'x', panels } });
      assertPayload(answer, 422, JSON.stringify(answer.body).slice(0, 200));
      assert.match(JSON.stringify(answer.body), words);
    };
    await refused(Array(201).fill(panel), /at most 200 elements/);
    await refused([{ ...panel, queries: Array(21).fill(panel.queries[0]) }], /at most 20 elements/);
    await refused([{ ...panel, title: 'x'.repeat(8193) }], /at most 8192 characters/);
    await refused([{ ...panel, script: 'x' }], /unknown/);
    await refused('none', /list/);
    await refused(Array(70).fill({ ...panel, title: 'x'.repeat(8000) }), /512 KiB/);
    const lyon = '/fr-par/monitoring/dashboards';
    for (let count = 0; count < 50; count++)
      assert.equal((await region.call('POST', lyon, { properties: { name: `${count}` } })).status, 202);
    const answer = await region.call('POST', lyon, { properties: { name: 'one more' } });
    assertPayload(answer, 422, 'one more');
    assert.match(JSON.stringify(answer.body), /50 dashboards/);
  });
});
