// Tests of form models: request bodies, messages at fields, choices and kinds.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ApiError, plainMessage } from '../../../console/api.ts';
import { nextLanName } from '../../../console/compute/new-names.ts';
import { serverStart as start } from '../../../console/compute/server/form-start.ts';
import { bodyFrom, bodyOf, firstValue } from '../../../console/resources/form/body.ts';
import { fittedValue, schemaOfKind, withNestedNames } from '../../../console/resources/form/kinds.ts';
import { retryUrl, storedBody } from '../../../console/resources/form/retry.ts';
import { unusedName } from '../../../console/resources/form/unused-name.ts';
import type { FieldSchema, OperationModel, ResourceModel } from '../../../console/resources/model.ts';
import { shortId } from '../../../console/resources/place.ts';
import {
  FormValue,
  isShownInForms,
  type Json,
  problemsOf,
  propertiesOf,
  rareIn,
  requiredOf,
  valueAt,
  withValue,
} from '../../../console/resources/schema-form/form-value.ts';
import { choicesFor } from '../../../console/resources/schema-form/sources.ts';
import { amountText, labelOf, oneOf } from '../../../console/resources/words.ts';
import { type CheckedCall, Rights } from '../../../console/rights/rights.ts';

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

  test('are the rare ones of the declaration that are neither required nor set', () => {
    assert.deepEqual(rareIn(volume, {}), ['bus', 'backup', 'keys']);
    assert.deepEqual(rareIn(volume, { bus: 'VIRTIO', keys: [], backup: 'B' }), ['bus', 'keys']);
    assert.deepEqual(rareIn(volume, { bus: 'IDE', backup: null, keys: ['k'] }), ['backup']);
  });
});

suite('the messages of a form', () => {
  test('are shown at the fields that they name, and others at the end of the form', () => {
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
    form.reportHidden((key) => key !== 'properties.ips.1');
    assert.match((form.others.value as ApiError).message, /properties\.ips\.1: No address/);
  });

  test('of a check appear at an empty item that the form adds, if it is missing', () => {
    const form = new FormValue({ properties: {} });
    const problems = { 'properties.ips.0': 'Select an address', 'properties.name': 'Too long' };
    form.reject(problems);
    assert.deepEqual(form.value.value, { properties: { ips: [''] } });
    assert.deepEqual(form.problems.value, problems);
    form.set(['properties', 'ips', '0'], '198.51.100.1');
    assert.deepEqual(form.problems.value, { 'properties.name': 'Too long' });
    form.reject(problems);
    assert.deepEqual(form.at(['properties', 'ips']), ['198.51.100.1']);
  });

  test('are shown at the end if they name no field', () => {
    for (const error of [refused(403, 'The privilege createDataCenter is needed'), new Error('no answer')]) {
      const form = new FormValue({});
      form.take(error, schema);
      assert.deepEqual(form.problems.value, {});
      assert.ok(form.others.value, error.message);
    }
  });

  test('are shown without the path of the platform', () => {
    assert.equal(plainMessage('[(root).items[0].x] Attribute [a] is wrong'), 'Attribute [a] is wrong');
    assert.equal(plainMessage('No place'), 'No place');
  });

  test('appear before the form is sent, if the schema has the rule', () => {
    assert.deepEqual(problemsOf(schema, { properties: { size: 3, ips: ['a', ''], name: 'longer than ten' } }), {
      'properties.name': 'At most 10 characters.',
      'properties.size': 'Must be a multiple of 2.',
      'properties.ips.0': 'Expected an address.',
      'properties.ips.1': 'This field is required.',
    });
    assert.deepEqual(problemsOf(schema, { properties: {} }), { 'properties.name': 'This field is required.' });
  });
});

suite('the required properties of a form', () => {
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

  test('depend on its values, and do not include texts that may be empty', () => {
    assert.deepEqual(requiredOf(record, {}), ['type', 'password']);
    assert.deepEqual(requiredOf(record, { type: 'MX' }), ['type', 'priority', 'password']);
    assert.deepEqual(problemsOf(record, { type: 'MX', password: 'a' }), { priority: 'This field is required.' });
    assert.deepEqual(bodyOf(create, { type: 'A' }, undefined), { type: 'A', name: '' }, 'it is sent as an empty text');
  });

  test('are shown when they apply', () => {
    assert.deepEqual(
      propertiesOf(record).flatMap(([name, one]) => (isShownInForms(one) ? [name] : [])),
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

  test('are in the datacenter that the form names, next to the field or for the whole resource', () => {
    const connection = { properties: { connections: [{ datacenterId: 'a' }, {}] } };
    assert.equal(pathOf({}, connection, 'properties.connections.0.lanId'), '/cloudapi/v6/datacenters/a/lans');
    assert.equal(pathOf({}, connection, 'properties.connections.1.lanId'), undefined);
    const group = { properties: { datacenter: { id: 'b' } } };
    assert.equal(pathOf({}, group, 'properties.replica.nics.0.lan'), '/cloudapi/v6/datacenters/b/lans');
    assert.equal(pathOf({ datacenterId: 'c' }, group, 'properties.lans.0.id'), '/cloudapi/v6/datacenters/c/lans');
  });

  test('are the addresses of the parent of a rule, and the common values of the path', () => {
    const params = { datacenterId: 'a', gatewayId: 'g' };
    assert.equal(pathOf(params, {}, 'properties.publicIp'), '/cloudapi/v6/datacenters/a/natgateways/g');
    const choices = choicesFor([], model, params);
    assert.deepEqual(choices.of(['properties', 'logs', '0', 'source'])?.values, ['docker']);
    assert.equal(choices.of(['properties', 'source']), undefined);
  });
});

suite('the volumes that a server can attach', () => {
  test('are those that no server has', () => {
    const shared = { name: 'volume', service: 'cloudapi', prefix: '/cloudapi/v6', words: {} };
    const models = [
      { ...shared, collection: '/datacenters/{datacenterId}/volumes', isReference: false },
      { ...shared, collection: '/datacenters/{datacenterId}/servers/{serverId}/volumes', isReference: true },
    ] as unknown as ResourceModel[];
    const choices = choicesFor(models, models[1] as ResourceModel, { datacenterId: 'a', serverId: 's' });
    const { path, accepts } = choices.of(['id']) ?? {};
    assert.equal(path, '/cloudapi/v6/datacenters/a/volumes');
    assert.equal(accepts?.({ id: 'v', properties: { bootServer: null } }), true);
    assert.equal(accepts?.({ id: 'w', properties: { bootServer: 's' } }), false);
  });
});

suite('a form that was changed', () => {
  test('is not ready while a text in it can not be parsed', () => {
    const form = new FormValue({ properties: { name: 'a' } });
    form.markUnreadable([], 'Invalid JSON.');
    assert.ok(form.isChanged);
    assert.ok(!form.isReady(schema));
    assert.deepEqual(form.problems.value, { '': 'Invalid JSON.' });
    form.markUnreadable([], undefined);
    assert.ok(!form.isChanged);
    assert.ok(form.isReady(schema));
  });

  test('differs from a reverted form and from initial values that it sets itself', () => {
    const form = new FormValue({ name: 'a', size: 1 });
    form.set(['name'], undefined);
    assert.ok(form.isChanged);
    form.set(['name'], 'a');
    assert.ok(!form.isChanged, 'independent of the order of keys');
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
    const entities = { volumes: { items: [{ properties: start.nested[0]?.properties ?? {} }] } };
    return new FormValue({ properties: start.properties, entities }, (now, last) => fittedValue(start, now, last));
  };

  test('of a Cube has a template, no size and a DAS volume, and can be changed back', () => {
    const form = first();
    assert.deepEqual(fieldsOf(form.value.value), [['type', 'cores', 'ram'], ['name']]);
    form.set(['properties', 'cores'], 4);
    form.set(['properties', 'type'], 'CUBE');
    form.set(['properties', 'templateUuid'], 'T');
    assert.deepEqual(form.at(['properties']), { type: 'CUBE', templateUuid: 'T' });
    assert.deepEqual(volumeOf(form.value.value), { type: 'DAS', imageAlias: 'ubuntu:latest' });
    assert.deepEqual(fieldsOf(form.value.value), [
      ['type', 'templateUuid'],
      ['name', 'templateUuid'],
    ]);
    form.set(['properties', 'type'], 'GPU');
    assert.deepEqual(form.at(['properties']), { type: 'GPU' }, 'it needs another template');
    assert.deepEqual(volumeOf(form.value.value), { type: 'SSD Premium', imageAlias: 'ubuntu:latest' });
    assert.deepEqual(fieldsOf(form.value.value)[1], ['name', 'templateUuid']);
    form.set(['properties', 'type'], 'VCPU');
    assert.deepEqual(form.at(['properties']), { type: 'VCPU', cores: 1, ram: 2048 });
    assert.deepEqual(volumeOf(form.value.value), start.nested[0]?.properties);
  });

  test('of a Cube without a volume gets none by changing the kind', () => {
    const form = first();
    form.set(['entities', 'volumes'], undefined);
    form.set(['properties', 'type'], 'CUBE');
    assert.equal(form.at(['entities', 'volumes']), undefined);
  });

  test('warns about a boot volume without a way to sign in', () => {
    const warns = (properties: Record<string, Json>) => start.nested[0]?.warnsOf?.(properties) !== undefined;
    const imageAlias = 'ubuntu:latest';
    assert.ok(warns({ imageAlias }));
    assert.ok(warns({ imageAlias, sshKeys: [''] }), 'an empty SSH key');
    assert.ok(!warns({ imageAlias, sshKeys: ['ssh-ed25519 AAAA'] }));
    assert.ok(!warns({ imageAlias, imagePassword: 'APasswordOfTests1' }));
    assert.ok(!warns({}), 'an empty disk');
  });
});

suite('the names of new resources', () => {
  const nested = (server: Json, properties: Json = {}): Json => ({
    properties: server,
    entities: { nics: { items: [{ properties }] } },
  });

  test('come from the server, unless the user has named them', () => {
    assert.deepEqual(
      withNestedNames(start, nested({ name: 'web-1' })),
      nested({ name: 'web-1' }, { name: 'web-1-nic' }),
    );
    assert.deepEqual(withNestedNames(start, nested({})), nested({}, { name: 'nic' }));
    assert.deepEqual(withNestedNames(start, nested({}, { name: 'eth0' })), nested({}, { name: 'eth0' }));
    assert.deepEqual(withNestedNames(start, { properties: {} }), { properties: {} }, 'nothing is added');
  });

  test('are not in use, and LANs have the number that the region gives them', () => {
    assert.deepEqual(
      [[], ['a'], ['a-2', 'a']].map((taken) => unusedName('a', taken)),
      ['a', 'a-2', 'a-3'],
    );
    assert.deepEqual(
      [[], [{ id: '1' }, { id: '4' }]].map((lans) => nextLanName(lans)),
      ['lan-1', 'lan-5'],
    );
  });
});

suite('the choices of a field', () => {
  const prefix = '/cloudapi/v6';
  const kind = (name: string, title: string, collection: string): ResourceModel =>
    ({
      name,
      title,
      service: 'cloudapi',
      prefix,
      collection,
      words: {},
      create: { method: 'POST', path: collection },
    }) as never;
  const models = [
    kind('lan', 'LAN', '/datacenters/{datacenterId}/lans'),
    kind('ipblock', 'IP block', '/ipblocks'),
    { ...kind('image', 'Image', '/images'), create: undefined } as never,
  ];
  const nic = kind('nic', 'NIC', '/datacenters/{datacenterId}/servers/{serverId}/nics');
  const sourceOf = (...place: string[]) => choicesFor(models, nic, { datacenterId: 'D', serverId: 'S' }).of(place);

  test('may include a new resource, if the API can create it', () => {
    const [lan, ip] = [sourceOf('properties', 'lan'), sourceOf('properties', 'ips', '0')];
    assert.deepEqual([lan?.creation?.title, lan?.path], ['New LAN', `${prefix}/datacenters/D/lans`]);
    assert.equal(ip?.creation?.title, 'Reserve an address');
    const of = ip?.creation?.of;
    assert.ok(of && of !== 'bucket');
    assert.deepEqual([of.model.name, of.params.datacenterId], ['ipblock', 'D'], 'the datacenter suggests the location');
    assert.equal(sourceOf('properties', 'bucket')?.creation?.of, 'bucket');
    assert.equal(sourceOf('properties', 'image')?.creation, undefined);
  });

  test('show the end of an id, because its beginning is a time', () => {
    assert.equal(shortId('0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'), '…2e3f4a5b');
    assert.equal(shortId('shop-assets'), 'shop-assets');
  });
});

suite('a failed creation', () => {
  const prefix = '/cloudapi/v6';
  const collection = '/datacenters/{datacenterId}/lans';
  const create = { method: 'POST', path: collection };
  const lan = { name: 'lan', service: 'cloudapi', prefix, collection, create } as unknown as ResourceModel;

  test('has a form that repeats it; a change and an action have none', () => {
    const request = { id: 'R', method: 'POST', path: `${prefix}/datacenters/D/lans` };
    const url = '/console/resources/cloudapi/datacenters/D/lans/new?from=R';
    assert.equal(retryUrl([lan], request), url);
    assert.equal(retryUrl([lan], { ...request, method: 'PUT' }), undefined);
    assert.equal(retryUrl([lan], { ...request, path: `${request.path}/1/start` }), undefined);
  });

  test('fills the form with its body, if the form can show it', async (t) => {
    const bodies = ['{"properties":{"name":"a"}}', '[]', ''];
    const target = { id: 'L', type: 'lan', href: `${prefix}/lans/L` };
    const metadata = { status: 'FAILED', message: 'no', targets: [{ target, status: 'FAILED' }] };
    t.mock.method(globalThis, 'fetch', async () => ({
      ok: true,
      status: 200,
      text: async () =>
        JSON.stringify({
          id: 'R',
          metadata: { requestStatus: { metadata } },
          properties: { method: 'POST', url: `${prefix}/lans`, headers: {}, body: bodies.shift() },
        }),
    }));
    const read = () => storedBody('R', schema, new AbortController().signal);
    assert.deepEqual([await read(), await read(), await read()], [{ properties: { name: 'a' } }, undefined, undefined]);
  });
});

suite('the labels of fields', () => {
  test('are words, unless the schema has a title', () => {
    const names = ['availabilityZone', 'dhcpv6', 'ipv6CidrBlock', 'manageDbaaS', 'sshKeys', 'nics', 's3Privilege'];
    assert.deepEqual(
      names.map((name) => labelOf(name, {})),
      ['Availability zone', 'DHCPv6', 'IPv6 CIDR block', 'Manage DBaaS', 'SSH keys', 'NICs', 'S3 privilege'],
    );
    assert.equal(labelOf('pcc', { title: 'Cross connect' }), 'Cross connect');
    assert.deepEqual(['IPs', 'Targets', 'Proxies', 'Address'].map(oneOf), ['IP', 'Target', 'Proxy', 'Address']);
  });

  test('include values with their units', () => {
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

  test('starts with the writable properties', () => {
    assert.deepEqual(firstValue(schema, item), { properties: { name: 'a', size: 2, ips: ['1'] } });
    assert.deepEqual(firstValue(schema, undefined), { properties: {} });
    const ips = { type: 'array', items: { type: 'string' } };
    const lans = { type: 'array', items: { type: 'object', required: ['ips'], properties: { ips, others: ips } } };
    const gateway = { type: 'object', required: ['lans'], properties: { lans, ips } };
    assert.deepEqual(firstValue(gateway, undefined), { lans: [{ ips: [''] }] }, 'one item in each required list');
    const attached = { properties: { id: {}, properties: gateway } };
    assert.deepEqual(firstValue(attached, undefined), { properties: {} }, 'an existing one may be selected');
  });

  test('is parsed from JSON only if the form can hold it', () => {
    assert.deepEqual(bodyFrom('{"properties":{"name":"b"}}', schema, item), { properties: { name: 'b' } });
    const refusedOnes: [string, RegExp][] = [
      ['{bad', /JSON/],
      ['null', /Body: an object/],
      ['[]', /Body: an object/],
      ['{"name":"logs-3","foo":1}', /properties: an object/],
      ['{"properties":null}', /properties: an object/],
      ['{"properties":{"ips":"1"}}', /properties\.ips: a list/],
    ];
    for (const [text, message] of refusedOnes) {
      assert.throws(() => bodyFrom(text, schema, item), message, text);
      assert.throws(() => bodyFrom(text, schema, undefined), message, text);
    }
    assert.deepEqual(bodyFrom('{"id":"1"}', schema, undefined), { id: '1' }, 'an existing one is attached');
  });

  test('has no hidden properties within a list', () => {
    const own = { tag: {}, days: {}, other: { 'x-asked': false } };
    const streams = { properties: { logs: { type: 'array', items: { type: 'object', properties: own } } } };
    const kept = { id: '1', properties: { logs: [{ tag: 'app', days: 'unlimited', other: [{ days: 0 }] }] } };
    assert.deepEqual(firstValue(streams, kept), { logs: [{ tag: 'app', days: 'unlimited' }] });
    assert.ok(!isShownInForms(own.other));
  });

  test('of a PATCH has only changed properties, and null for cleared ones', () => {
    const value = withValue(firstValue(schema, item), ['properties', 'size'], undefined) ?? {};
    const changed = withValue(value, ['properties', 'name'], 'b') ?? {};
    assert.deepEqual(bodyOf(change, changed, item), { properties: { name: 'b', size: null } });
    assert.deepEqual(bodyOf({ ...change, method: 'PUT' }, changed, item), { properties: { name: 'b', ips: ['1'] } });
  });
});

suite('the rights of the user', () => {
  const create: CheckedCall = { method: 'POST', path: '/cloudapi/v6/datacenters' };
  const remove: CheckedCall = { method: 'DELETE', path: '/cloudapi/v6/datacenters/1' };

  test('are requested once for all calls of a page, and again after a change', async () => {
    const requested: (readonly CheckedCall[])[] = [];
    let privilege: string | undefined = 'createDataCenter';
    const rights = new Rights(async (calls) => {
      requested.push(calls);
      return calls.map(({ method }) =>
        method === 'POST' && privilege !== undefined ? { kind: 'forbidden', message: 'No.', privilege } : null,
      );
    });
    const read = () => [create, remove, create].map((one) => rights.reason(one));
    assert.deepEqual(read(), [undefined, undefined, undefined], 'unknown at first');
    const reason = 'Your user lacks the privilege “Create datacenter” (createDataCenter).';
    assert.deepEqual(await rights.with(read), [reason, undefined, reason]);
    assert.deepEqual(requested, [[create, remove]]);
    privilege = undefined;
    rights.refresh();
    assert.deepEqual(read(), [reason, undefined, reason], 'kept until the answer');
    assert.deepEqual(await rights.with(read), [undefined, undefined, undefined]);
  });

  test('allow everything if the region does not answer, and missing resources', async () => {
    const failing = new Rights(() => Promise.reject(new Error('no answer')));
    assert.equal(await failing.with(() => failing.reason(create)), undefined);
    const missing = new Rights(async (calls) => calls.map(() => ({ kind: 'missing', message: 'Not there.' })));
    assert.equal(await missing.with(() => missing.reason(remove)), undefined);
    const others = new Rights(async (calls) => calls.map(() => ({ kind: 'forbidden', message: 'Only owners.' })));
    assert.equal(await others.with(() => others.reason(remove)), 'Only owners.');
  });
});
