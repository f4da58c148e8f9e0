// What a form sends, where the platform's messages are shown, and which secrets are shown once.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ApiError, plainMessage } from '../../console/api.ts';
import { serverStart as start } from '../../console/compute/server/form-start.ts';
import { bodyFrom, bodyOf, firstValue } from '../../console/resources/form/body.ts';
import { fittedValue, schemaOfKind } from '../../console/resources/form/kinds.ts';
import type { FieldSchema, OperationModel, ResourceModel } from '../../console/resources/model.ts';
import {
  FormValue,
  isAsked,
  type Json,
  problemsOf,
  propertiesOf,
  rareIn,
  requiredOf,
  valueAt,
  withValue,
} from '../../console/resources/schema-form/form-value.ts';
import { choicesFor } from '../../console/resources/schema-form/sources.ts';
import { amountText, labelOf, oneOf } from '../../console/resources/words.ts';

const schema: FieldSchema = {
  type: 'object',
  properties: {
    properties: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', maxLength: 10 },
        size: { type: ['integer', 'null'], minimum: 1, multipleOf: 2 },
        ips: { type: 'array', items: { type: 'string', pattern: '^\\d', 'x-says': 'Expected an address' } },
        secret: { type: 'string', writeOnly: true },
        made: { type: 'string', readOnly: true },
      },
    },
    entities: { type: ['object', 'null'] },
  },
};

const refused = (status: number, ...messages: string[]): ApiError =>
  new ApiError(
    status,
    messages.map((message) => ({ errorCode: '100', message })),
  );

suite('rare settings within a form', () => {
  const volume: FieldSchema = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', 'x-rare': true },
      alias: { type: 'string' },
      bus: { type: 'string', default: 'VIRTIO', 'x-rare': true },
      backup: { type: ['string', 'null'], 'x-rare': true },
      keys: { type: 'array', items: { type: 'string' }, default: [], 'x-rare': true },
    },
  };

  test('are those of the declaration that are neither needed nor given', () => {
    assert.deepEqual(rareIn(volume, {}), ['bus', 'backup', 'keys']);
    assert.deepEqual(rareIn(volume, { bus: 'VIRTIO', keys: [], backup: 'B' }), ['bus', 'keys']);
    assert.deepEqual(rareIn(volume, { bus: 'IDE', backup: null, keys: ['k'] }), ['backup']);
  });
});

suite('the messages of a form', () => {
  test('stand beside the fields that they name, and others at its end', () => {
    const form = new FormValue({});
    form.take(
      refused(
        422,
        '[(root).properties.name] Attribute is required',
        '[(root).properties.ips[1]] No address',
        '[(root).entities.volumes.items[0].properties.size] Too small',
        '[(root).other] Attribute is unknown',
        'The limit is reached',
      ),
      schema,
    );
    assert.deepEqual(form.problems.value, {
      'properties.name': 'Attribute is required',
      'properties.ips.1': 'No address',
      'entities.volumes.items.0.properties.size': 'Too small',
    });
    assert.deepEqual(
      (form.others.value as ApiError).problems.map(({ message }) => message),
      ['[(root).other] Attribute is unknown', 'The limit is reached'],
    );
    form.tellUnshown((key) => key !== 'properties.ips.1');
    assert.match((form.others.value as ApiError).message, /properties\.ips\.1: No address/);
  });

  test('are told where they name no field at all', () => {
    for (const error of [refused(403, 'The privilege createDataCenter is needed'), new Error('no answer')]) {
      const form = new FormValue({});
      form.take(error, schema);
      assert.deepEqual(form.problems.value, {});
      assert.ok(form.others.value, error.message);
    }
  });

  test('are told without their place', () => {
    assert.equal(plainMessage('[(root).items[0].x] Attribute [a] is wrong'), 'Attribute [a] is wrong');
    assert.equal(plainMessage('No place'), 'No place');
  });

  test('come before anything is sent where the schema knows', () => {
    assert.deepEqual(problemsOf(schema, { properties: { size: 3, ips: ['a', ''], name: 'longer than ten' } }), {
      'properties.name': 'At most 10 characters.',
      'properties.size': 'In steps of 2.',
      'properties.ips.0': 'Expected an address.',
      'properties.ips.1': 'This is needed.',
    });
    assert.deepEqual(problemsOf(schema, { properties: {} }), { 'properties.name': 'This is needed.' });
  });
});

suite('what a form needs', () => {
  const record: FieldSchema = {
    required: ['name', 'type'],
    properties: {
      name: { type: 'string', default: '' },
      type: { type: 'string' },
      priority: { type: ['integer', 'null'], 'x-needed': { type: ['MX', 'SRV'] } },
      password: { type: 'string', 'x-needed': true },
      isUsed: { type: 'boolean', 'x-asked': false },
    },
  };
  const create = { method: 'POST', body: record } as unknown as OperationModel;

  test('depends on its values, and is no text that may be empty', () => {
    assert.deepEqual(requiredOf(record, {}), ['type', 'password']);
    assert.deepEqual(requiredOf(record, { type: 'MX' }), ['type', 'priority', 'password']);
    assert.deepEqual(problemsOf(record, { type: 'MX', password: 'a' }), { priority: 'This is needed.' });
    assert.deepEqual(bodyOf(create, { type: 'A' }, undefined), { type: 'A', name: '' }, 'it is sent all the same');
  });

  test('is asked for when it is of use', () => {
    assert.deepEqual(
      propertiesOf(record).flatMap(([name, one]) => (isAsked(one) ? [name] : [])),
      ['name', 'type', 'priority', 'password'],
    );
  });
});

suite('the choices of a field', () => {
  const model = {
    name: 'natgatewayrule',
    service: 'cloudapi',
    prefix: '/cloudapi/v6',
    collection: '/datacenters/{datacenterId}/natgateways/{gatewayId}/rules',
    words: { 'logs.source': ['docker'] },
  } as unknown as ResourceModel;
  const pathOf = (params: Record<string, string>, value: Json, place: string): string | undefined =>
    choicesFor([], model, params, (at) => valueAt(value, at)).of(place.split('.'))?.path;

  test('are in the datacenter that the form names, beside the field or for the whole thing', () => {
    const connection = { properties: { connections: [{ datacenterId: 'a' }, {}] } };
    assert.equal(pathOf({}, connection, 'properties.connections.0.lanId'), '/cloudapi/v6/datacenters/a/lans');
    assert.equal(pathOf({}, connection, 'properties.connections.1.lanId'), undefined);
    const group = { properties: { datacenter: { id: 'b' } } };
    assert.equal(pathOf({}, group, 'properties.replica.nics.0.lan'), '/cloudapi/v6/datacenters/b/lans');
    assert.equal(pathOf({ datacenterId: 'c' }, group, 'properties.lans.0.id'), '/cloudapi/v6/datacenters/c/lans');
  });

  test('are the addresses of what a rule is in, and the words of its own path', () => {
    const params = { datacenterId: 'a', gatewayId: 'g' };
    assert.equal(pathOf(params, {}, 'properties.publicIp'), '/cloudapi/v6/datacenters/a/natgateways/g');
    const choices = choicesFor([], model, params);
    assert.deepEqual(choices.of(['properties', 'logs', '0', 'source'])?.values, ['docker']);
    assert.equal(choices.of(['properties', 'source']), undefined);
  });
});

suite('a form that was changed', () => {
  test('is not ready while what is written in it can not be read', () => {
    const form = new FormValue({ properties: { name: 'a' } });
    form.cannotRead([], 'This is not JSON.');
    assert.ok(form.isChanged);
    assert.ok(!form.isReady(schema));
    assert.deepEqual(form.problems.value, { '': 'This is not JSON.' });
    form.cannotRead([], undefined);
    assert.ok(!form.isChanged);
    assert.ok(form.isReady(schema));
  });

  test('is told from one that was changed back, and from what it filled in by itself', () => {
    const form = new FormValue({ name: 'a', size: 1 });
    form.set(['name'], undefined);
    assert.ok(form.isChanged);
    form.set(['name'], 'a');
    assert.ok(!form.isChanged, 'in whatever order');
    form.begin(['lan'], 1);
    assert.ok(!form.isChanged);
    form.set(['size'], 2);
    form.begin(['lan'], 2);
    assert.ok(form.isChanged);
  });
});

suite('the form of a server', () => {
  const body: FieldSchema = {
    properties: { properties: { properties: { type: {}, cores: {}, ram: {}, templateUuid: {} }, required: ['name'] } },
  };
  const volumeOf = (value: Json) => valueAt(value, ['entities', 'volumes', 'items', '0', 'properties']);
  const fieldsOf = (value: Json) => {
    const own = (schemaOfKind(start, body, value).properties as Record<string, FieldSchema>).properties ?? {};
    return [Object.keys(own.properties as object), own.required];
  };
  const first = (): FormValue => {
    const entities = { volumes: { items: [{ properties: start.along[0]?.properties ?? {} }] } };
    return new FormValue({ properties: start.properties, entities }, (now, last) => fittedValue(start, now, last));
  };

  test('has of a Cube its template, no size of its own and a DAS volume, and can be changed back', () => {
    const form = first();
    assert.deepEqual(fieldsOf(form.value.value), [['type', 'cores', 'ram'], ['name']]);
    form.set(['properties', 'cores'], 4);
    form.set(['properties', 'type'], 'CUBE');
    form.set(['properties', 'templateUuid'], 'T');
    assert.deepEqual(form.at(['properties']), { type: 'CUBE', templateUuid: 'T' });
    assert.deepEqual(volumeOf(form.value.value), { name: 'boot', type: 'DAS', imageAlias: 'ubuntu:latest' });
    assert.deepEqual(fieldsOf(form.value.value), [
      ['type', 'templateUuid'],
      ['name', 'templateUuid'],
    ]);
    form.set(['properties', 'type'], 'VCPU');
    assert.deepEqual(form.at(['properties']), { type: 'VCPU', cores: 1, ram: 2048 });
    assert.deepEqual(volumeOf(form.value.value), start.along[0]?.properties);
  });

  test('of a Cube without a volume gets none by the choice', () => {
    const form = first();
    form.set(['entities', 'volumes'], undefined);
    form.set(['properties', 'type'], 'CUBE');
    assert.equal(form.at(['entities', 'volumes']), undefined);
  });

  test('warns of a boot volume that nobody can sign in to', () => {
    const warns = (properties: Record<string, Json>) => start.along[0]?.warnsOf?.(properties) !== undefined;
    const imageAlias = 'ubuntu:latest';
    assert.ok(warns({ imageAlias }));
    assert.ok(warns({ imageAlias, sshKeys: [''] }), 'a key that is not written yet');
    assert.ok(!warns({ imageAlias, sshKeys: ['ssh-ed25519 AAAA'] }));
    assert.ok(!warns({ imageAlias, imagePassword: 'APasswordOfTests1' }));
    assert.ok(!warns({}), 'an empty disk');
  });
});

suite('the labels of fields', () => {
  test('are words, with the title of the schema before', () => {
    const names = ['availabilityZone', 'dhcpv6', 'ipv6CidrBlock', 'manageDbaaS', 'sshKeys', 'nics', 's3Privilege'];
    assert.deepEqual(
      names.map((name) => labelOf(name, {})),
      ['Availability zone', 'DHCPv6', 'IPv6 CIDR block', 'Manage DBaaS', 'SSH keys', 'NICs', 'S3 privilege'],
    );
    assert.equal(labelOf('pcc', { title: 'Cross connect' }), 'Cross connect');
    assert.deepEqual(['IPs', 'Targets', 'Proxies', 'Address'].map(oneOf), ['IP', 'Target', 'Proxy', 'Address']);
  });

  test('are beside amounts with their units', () => {
    assert.deepEqual(
      [amountText('ram', 4096, 'MB'), amountText('ram', 1536, 'MB'), amountText('size', 1_000_000, 'GB')],
      ['4 GB', '1536 MB', '1,000,000 GB'],
    );
    assert.deepEqual(
      [amountText('objects', 100_000), amountText('contractNumber', 31_000_000)],
      ['100,000', '31000000'],
    );
  });
});

suite('the body of a form', () => {
  const item = { id: '1', properties: { name: 'a', size: 2, ips: ['1'], made: 'there', secret: null } };
  const change: OperationModel = {
    operation: 'thing_change',
    title: 'Edit',
    summary: '',
    method: 'PATCH',
    path: '',
    query: [],
    body: schema,
  };

  test('begins with what can be set', () => {
    assert.deepEqual(firstValue(schema, item), { properties: { name: 'a', size: 2, ips: ['1'] } });
    assert.deepEqual(firstValue(schema, undefined), { properties: {} });
    const ips = { type: 'array', items: { type: 'string' } };
    const lans = { type: 'array', items: { type: 'object', required: ['ips'], properties: { ips, others: ips } } };
    const gateway = { type: 'object', required: ['lans'], properties: { lans, ips } };
    assert.deepEqual(firstValue(gateway, undefined), { lans: [{ ips: [''] }] }, 'one in each list that is needed');
    const attached = { properties: { id: {}, properties: gateway } };
    assert.deepEqual(firstValue(attached, undefined), { properties: {} }, 'one that is there may be chosen');
  });

  test('is taken from JSON only where the form can hold it', () => {
    assert.deepEqual(bodyFrom('{"properties":{"name":"b"}}', schema, item), { properties: { name: 'b' } });
    const refusedOnes: [string, RegExp][] = [
      ['{bad', /JSON/],
      ['null', /The body: an object/],
      ['[]', /The body: an object/],
      ['{"name":"logs-3","foo":1}', /properties: an object/],
      ['{"properties":null}', /properties: an object/],
      ['{"properties":{"ips":"1"}}', /properties\.ips: a list/],
    ];
    for (const [text, message] of refusedOnes) {
      assert.throws(() => bodyFrom(text, schema, item), message, text);
      assert.throws(() => bodyFrom(text, schema, undefined), message, text);
    }
    assert.deepEqual(bodyFrom('{"id":"1"}', schema, undefined), { id: '1' }, 'one that is there is attached');
  });

  test('has nothing that nobody is asked for within a list', () => {
    const own = { tag: {}, days: {}, other: { 'x-asked': false } };
    const streams = { properties: { logs: { type: 'array', items: { type: 'object', properties: own } } } };
    const kept = { id: '1', properties: { logs: [{ tag: 'app', days: 'unlimited', other: [{ days: 0 }] }] } };
    assert.deepEqual(firstValue(streams, kept), { logs: [{ tag: 'app', days: 'unlimited' }] });
    assert.ok(!isAsked(own.other));
  });

  test('has what differs of a PATCH, and takes back what was emptied', () => {
    const value = withValue(firstValue(schema, item), ['properties', 'size'], undefined) ?? {};
    const changed = withValue(value, ['properties', 'name'], 'b') ?? {};
    assert.deepEqual(bodyOf(change, changed, item), { properties: { name: 'b', size: null } });
    assert.deepEqual(bodyOf({ ...change, method: 'PUT' }, changed, item), { properties: { name: 'b', ips: ['1'] } });
  });
});
