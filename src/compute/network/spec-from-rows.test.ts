// From landscapes to rows and back: no property of the resources is lost on the way to the network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, type Json } from '../../base/json.ts';
import type { Properties } from '../../core/schema.ts';
import { rowOf } from '../../core/state/engine.ts';
import { chanceOf, isFull } from '../../testing/seed.ts';
import { computeResources } from '../index.ts';
import type { DatacenterSpec } from './spec.ts';
import { readDatacenterSpec } from './spec-from-rows.ts';
import { randomLandscape } from './testing/landscapes.ts';
import { rowsOf, storeFor } from './testing.ts';

const landscapes = isFull ? 5000 : 400;

test('[CORE-20] random landscapes, written as resources, are read back completely', async (t) => {
  const chance = chanceOf(t);
  const store = await storeFor(t);
  for (let contract = 1; contract <= landscapes; contract++) {
    const { datacenters } = randomLandscape(chance);
    const rows = datacenters.flatMap((one) => rowsOf(one, contract));
    for (const { kind, body } of rows) assertDeclared(propertiesOf(kind), JSON.parse(body), kind);
    await store.must(rows.map((row) => ({ op: 'insert', table: 'resource', row })));
    for (const one of datacenters)
      assert.deepEqual(await readDatacenterSpec(store, contract, one.id), asDescribed(one), `contract ${contract}`);
  }
});

test('resources in creation do not exist yet, and resources in change have their previous values', async (t) => {
  const store = await storeFor(t);
  const lan = { id: 1, public: false, ipv4CidrBlock: '10.0.0.0/16', ipv6CidrBlock: null, pcc: null, ipFailover: [] };
  const whole: DatacenterSpec = {
    id: 'D',
    lans: [lan, { ...lan, id: 2 }],
    servers: [{ id: 'S', vmState: 'RUNNING', securityGroups: ['old'] }],
    nics: [],
    securityGroups: [
      { id: 'new', rules: [] },
      { id: 'old', rules: [] },
    ],
    natGateways: [],
    networkLoadBalancers: [],
    applicationLoadBalancers: [],
    targetGroups: [],
    loadBalancers: [],
  };
  const rows = rowsOf(whole);
  const server = rows.find(({ kind }) => kind === 'server');
  assert.ok(server);
  const before = server.hidden;
  const group = (id: string) => ['securitygroup', `datacenters/D/securitygroups/${id}`];
  server.hidden = JSON.stringify({ holds: { claims: [], counts: {}, links: [group('old'), group('new')] } });
  server.state = 'CHANGING';
  await store.must(rows.map((row) => ({ op: 'insert', table: 'resource', row })));
  const journal = (place: string, changes: object[]) =>
    rowOf({ contract: 1, place, id: 'R', kind: 'change', body: JSON.stringify({ changes }) });
  const changed = journal('datacenters/D/servers/S', [
    { kind: 'server', way: 'change', path: 'datacenters/D/servers/S', before },
    { kind: 'lan', way: 'create', path: 'datacenters/D/lans/0000000002' },
  ]);
  await store.must([{ op: 'insert', table: 'journal', row: changed }]);
  assert.deepEqual(await readDatacenterSpec(store, 1, 'D'), { ...whole, lans: [lan] });
  await store.must([{ op: 'remove', table: 'journal', key: changed }]);
  assert.deepEqual((await readDatacenterSpec(store, 1, 'D'))?.servers[0]?.securityGroups, ['old', 'new']);
  const made = rowOf({ contract: 1, place: 'datacenters/D', id: 'R', kind: 'create', state: 'datacenter' });
  await store.must([{ op: 'insert', table: 'journal', row: made }]);
  assert.equal(await readDatacenterSpec(store, 1, 'D'), undefined);
  assert.equal(await readDatacenterSpec(store, 2, 'D'), undefined);
});

const propertiesOf = (kind: string): Properties => {
  const found = computeResources.find(({ name }) => name === kind);
  assert.ok(found, `no resource is called ${kind}`);
  return found.properties;
};

// Every property in the rows is a declared property of the resource.
function assertDeclared(properties: Properties, values: Json, at: string): void {
  if (!isObject(values)) return;
  for (const [name, value] of Object.entries(values)) {
    const property = properties[name];
    assert.ok(property, `${at} has no ${name}`);
    const inner = property.items?.properties ?? property.properties;
    for (const one of Array.isArray(value) ? value : [value]) if (inner) assertDeclared(inner, one, `${at}.${name}`);
  }
}

// Duplicate and dangling links are removed; target groups apply where they are named.
function asDescribed(landscape: DatacenterSpec): DatacenterSpec {
  const once = <Spec extends { securityGroups: readonly string[] }>(spec: Spec): Spec => ({
    ...spec,
    securityGroups: [...new Set(spec.securityGroups)],
  });
  const named = landscape.applicationLoadBalancers.flatMap(({ forwardingRules }) =>
    forwardingRules.flatMap(({ httpRules }) => httpRules.map(({ targetGroup }) => targetGroup)),
  );
  return {
    ...landscape,
    servers: landscape.servers.map(once),
    nics: landscape.nics.map(once),
    targetGroups: landscape.targetGroups.filter(({ id }) => named.includes(id)),
    loadBalancers: landscape.loadBalancers.map(({ balancedNics, ...rest }) => ({
      ...rest,
      balancedNics: landscape.nics.map(({ id }) => id).filter((id) => balancedNics.includes(id)),
    })),
  };
}
