// IPv6 networks: a /56 for each datacenter, a /64 of it for each LAN that asks, none of them twice.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { assertWhole } from '../../harness/invariants.ts';
import { core } from '../../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../../harness/region.ts';

const datacenters = `${core}/datacenters`;
const wish = { properties: { name: 'six', location: 'de/txl' } };
const blockForm = /^2001:db8:[0-9a-f]{1,4}(:[0-9a-f]{1,2}00)?::\/56$/;

suite('IPv6', () => {
  let region: Region;
  before(async () => {
    region = await startRegion({ args: ['--rate-burst', '100000'] });
  });
  after(() => region.stop());

  const networkOf = (shown: ResourceBody): string | null => shown.properties.ipv6CidrBlock as string | null;
  const prefix = (block: string): string => block.replace(/(?:00)?::\/56$/, '');
  const messageOf = (answer: { body: ResourceBody }): string => answer.body.messages[0]?.message ?? '';
  async function change(path: string, properties: object): Promise<ResourceBody> {
    const changed = await region.call('PATCH', path, properties);
    assert.equal(changed.status, 202, JSON.stringify(changed.body));
    assert.equal((await waitRequest(region, changed.headers.location)).metadata.status, 'DONE');
    return (await region.call('GET', path)).body;
  }
  // One whose fourth group is not zero, so that its networks have one form.
  async function datacenter(): Promise<{ lans: string; path: string; block: string }> {
    for (;;) {
      const made = await createDone(region, datacenters, wish);
      const block = networkOf(made) ?? '';
      const path = `${datacenters}/${made.id}`;
      if (block.endsWith('00::/56')) return { path, lans: `${path}/lans`, block };
    }
  }

  test('each datacenter has a /56 from its POST on, also with concurrent creations, and after a restart', async () => {
    const make = () => region.call('POST', datacenters, wish);
    const made = await Promise.all(Array.from({ length: 600 }, make));
    await region.restart();
    made.push(...(await Promise.all(Array.from({ length: 20 }, make))));
    const blocks = made.map(({ body }) => networkOf(body));
    for (const block of blocks) assert.match(String(block), blockForm);
    assert.equal(new Set(blocks).size, 620);
    const { id } = made[0]?.body ?? {};
    const path = `${datacenters}/${id}`;
    await waitRequest(region, made[0]?.headers.location);
    assert.equal(networkOf((await region.call('GET', path)).body), blocks[0]);
    assert.equal(networkOf(await change(path, { name: 'other' })), blocks[0]);
    assert.equal((await region.call('PATCH', path, { ipv6CidrBlock: '2001:db8:ffff::/56' })).status, 422);
    await waitRequest(region, made.at(-1)?.headers.location);
  });

  test('a LAN has no network, one that is chosen for it, or the one it names', async () => {
    const { lans, block } = await datacenter();
    for (const properties of [{}, { ipv6CidrBlock: null }, { ipv6CidrBlock: '' }])
      assert.equal(networkOf(await createDone(region, lans, { properties })), null);
    const chosen = await createDone(region, lans, { properties: { ipv6CidrBlock: 'AUTO' } });
    const network = String(networkOf(chosen));
    assert.match(network, new RegExp(`^${prefix(block)}[0-9a-f]{2}::/64$`));
    const named = `${prefix(block)}fe::/64`;
    const long = `2001:0DB8:${prefix(block).split(':').slice(2).join(':')}fe:0:0:0:0/64`;
    const given = await createDone(region, lans, { properties: { ipv6CidrBlock: long } });
    assert.equal(networkOf(given), named, 'in its shortest form');
    const again = await region.call('POST', lans, { properties: { ipv6CidrBlock: named } });
    assert.equal(again.status, 422);
    assert.match(messageOf(again), /in use by another LAN/);
    const other = await datacenter();
    const wrong = ['x', 'auto', '::/64', block, `${prefix(block)}00::/63`, `${prefix(block)}00::1/64`, `${named}/64`];
    for (const ipv6CidrBlock of [...wrong, `${prefix(other.block)}00::/64`, '10.0.0.0/24', '::ffff:10.0.0.0/64']) {
      const refused = await region.call('POST', lans, { properties: { ipv6CidrBlock } });
      assert.equal(refused.status, 422, ipv6CidrBlock);
      assert.match(messageOf(refused), /^\[\(root\)\.properties\.ipv6CidrBlock\] Expected AUTO, or a \/64 of .*\/56/);
    }
  });

  test('a LAN keeps its network through changes, gives it back, and takes another', async () => {
    const { lans, block } = await datacenter();
    const made = await createDone(region, lans, { properties: { ipv6CidrBlock: 'AUTO' } });
    const path = `${lans}/${made.id}`;
    const first = networkOf(made);
    assert.equal(networkOf(await change(path, { name: 'renamed' })), first);
    assert.equal(networkOf(await change(path, { ipv6CidrBlock: 'AUTO' })), first);
    const next = `${prefix(block)}aa::/64`;
    assert.equal(networkOf(await change(path, { ipv6CidrBlock: next })), next);
    const heir = await createDone(region, lans, { properties: { ipv6CidrBlock: first } });
    assert.equal(networkOf(heir), first);
    assert.equal(networkOf(await change(path, { ipv6CidrBlock: null })), null);
    const gone = await region.call('DELETE', `${lans}/${heir.id}`);
    await waitRequest(region, gone.headers.location);
    for (const network of [first, next])
      assert.equal(networkOf(await createDone(region, lans, { properties: { ipv6CidrBlock: network } })), network);
  });

  test('256 LANs of a datacenter have a network, made at once; the next is refused until one is given back', async () => {
    const { lans, path } = await datacenter();
    const ask = () => region.call('POST', lans, { properties: { ipv6CidrBlock: 'AUTO' } });
    const taken = `${lans}/${(await createDone(region, lans, { properties: { ipv6CidrBlock: 'AUTO' } })).id}`;
    const answers = await Promise.all(Array.from({ length: 260 }, ask));
    const made = answers.filter(({ status }) => status === 202);
    assert.equal(made.length, 255);
    assert.equal(new Set(made.map(({ body }) => networkOf(body))).size, 255);
    const refused = answers.filter(({ status }) => status === 422);
    assert.equal(refused.length, 5);
    for (const answer of refused) assert.match(messageOf(answer), /All 256 networks .* are in use/);
    await Promise.all(made.map(({ headers }) => waitRequest(region, headers.location)));
    await waitRequest(region, (await region.call('DELETE', taken)).headers.location);
    const last = await ask();
    assert.equal(last.status, 202);
    await waitRequest(region, last.headers.location);
    await waitRequest(region, (await region.call('DELETE', path)).headers.location);
  });

  test('LANs that are made with their datacenter get theirs at once', async () => {
    const lansOf = (...networks: (string | null)[]) => ({
      ...wish,
      entities: { lans: { items: networks.map((ipv6CidrBlock) => ({ properties: { ipv6CidrBlock } })) } },
    });
    const made = await region.call('POST', `${datacenters}?depth=3`, lansOf('AUTO', null, 'AUTO'));
    assert.equal(made.status, 202, JSON.stringify(made.body));
    const [first, second, third] = (made.body.entities.lans?.items ?? []).map(networkOf);
    assert.equal(second, null);
    assert.notEqual(first, third);
    for (const network of [first, third]) assert.match(String(network), /^2001:db8:[0-9a-f:]+::\/64$/);
    await waitRequest(region, made.headers.location);
    const guessed = await region.call('POST', datacenters, lansOf('2001:db8:1::/64'));
    assert.equal(guessed.status, 422);
    assert.match(messageOf(guessed), /lans\.items\.\[0\]\.properties\.ipv6CidrBlock\] Expected AUTO$/);
    const many = await region.call('POST', datacenters, lansOf(...Array.from({ length: 257 }, () => 'AUTO')));
    assert.equal(many.status, 422);
  });

  test('no claim remains without a holder', async () => {
    const { body } = await region.call('GET', `${core}/requests?filter.status=BUSY&limit=10000`);
    for (const { id } of body.items) await waitRequest(region, `${core}/requests/${id}/status`);
    await assertWhole(region.data);
  });
});
