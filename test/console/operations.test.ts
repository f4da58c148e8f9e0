// Every operation that the API documents offer for a resource can be done in the console, or docs/console.md says why
// not. What the console offers is derived from the same routes: this is the proof that nothing falls through.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { groupStart } from '../../console/autoscaling/form-start.ts';
import type { FieldSchema, OperationModel, ResourceModel } from '../../console/resources/model.ts';
import { addDatacenter } from '../harness/landscape.ts';
import { type Region, startRegion } from '../harness/region.ts';

const docs = readFileSync(join(import.meta.dirname, '../../docs/console.md'), 'utf8');

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>;
}

// Parts of the API that have a work place of their own instead of a form: the beginning of what follows a thing's path.
const workPlaces = /\/(?:prometheus|loki|api\/v1)(?:\/|$)/;

const operationsOf = (model: ResourceModel): OperationModel[] =>
  [model.list, model.create, model.change, model.remove, ...model.ofAll, ...model.ofOne].filter(
    (one): one is OperationModel => one !== undefined,
  );

// Names of the properties that forms leave out, at any depth.
const unaskedIn = (schema: FieldSchema): string[] => [
  ...Object.entries((schema.properties ?? {}) as Record<string, FieldSchema>).flatMap(([name, one]) =>
    one['x-asked'] === false ? [name] : unaskedIn(one),
  ),
  ...(schema.items ? unaskedIn(schema.items as FieldSchema) : []),
];

suite('operations in the console', () => {
  let region: Region;
  let models: ResourceModel[];

  before(async () => {
    region = await startRegion();
    const { body } = await region.call<{ resources: ResourceModel[] }>('GET', '/console/model');
    models = body.resources;
  });
  after(() => region.stop());

  test('are all that the documents of services with resources have', async () => {
    const offered = new Set(
      models.flatMap((model) => operationsOf(model).map((one) => `${model.service} ${one.operation}`)),
    );
    const read = new Set(models.filter(({ hasPage }) => hasPage).map(({ service, item }) => `${service} ${item}`));
    const changed = new Set(models.filter(({ change }) => change).map(({ service, item }) => `${service} ${item}`));
    const lacking: string[] = [];
    for (const service of new Set(models.map((model) => model.service))) {
      const { body } = await region.call<Document>('GET', `/docs/${service}.json`);
      for (const [path, methods] of Object.entries(body.paths))
        for (const [method, { operationId }] of Object.entries(methods)) {
          const isShown = method === 'get' && read.has(`${service} ${path}`);
          const isEdited = method === 'put' && changed.has(`${service} ${path}`); // a PATCH does the same
          if (offered.has(`${service} ${operationId}`) || isShown || isEdited || workPlaces.test(path)) continue;
          if (!docs.includes(`\`${operationId}\``)) lacking.push(`${service} ${method} ${path} ${operationId}`);
        }
    }
    assert.deepEqual(lacking, [], 'Offer them, or say in docs/console.md why they are not there.');
  });

  test('ask for what can be said there: not for what is refused or means nothing, nor for one thing twice', () => {
    const unasked = (name: string, way: 'create' | 'change'): string[] => {
      const body = models.find((model) => model.name === name)?.[way]?.body ?? {};
      return unaskedIn(body);
    };
    assert.deepEqual(unasked('datacenter', 'create'), ['defaultSecurityGroupId']);
    assert.deepEqual(unasked('datacenter', 'change'), ['createDefaultSecurityGroup']);
    assert.deepEqual(unasked('server', 'create'), ['placementGroupId']);
    assert.deepEqual(unasked('user', 'create'), ['secAuthActive']);
    for (const way of ['create', 'change'] as const) assert.deepEqual(unasked('logpipeline', way), ['destinations']);
  });

  test('begin with a group of replicas that can be made as it is', async () => {
    const datacenter = await addDatacenter(region);
    const properties = { ...groupStart.properties, name: 'web', datacenter: { id: datacenter.split('/').at(-1) } };
    const { status, body } = await region.call('POST', '/autoscaling/groups', { properties });
    assert.equal(status, 202, JSON.stringify(body));
  });

  test('have titles that tell them apart', () => {
    for (const model of models) {
      const titles = [...model.ofOne, ...model.ofAll].map(({ title }) => title);
      assert.equal(new Set(titles).size, titles.length, `${model.collection}: ${titles.join(', ')}`);
      assert.match(model.titles, /^[A-Z]/, model.collection);
    }
  });

  test('belong to a collection whose parent is one too', () => {
    const collections = new Set(models.map(({ service, collection }) => `${service} ${collection}`));
    for (const { service, collection, parent } of models) {
      if (parent !== undefined) assert.ok(collections.has(`${service} ${parent}`), collection);
      else assert.doesNotMatch(collection, /\{/, collection);
    }
  });
});
