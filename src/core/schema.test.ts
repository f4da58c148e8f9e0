// Properties against what clients send.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../testing/processor-time.ts';
import { check, decimal, flag, integer, list, type Properties, shape, text } from './schema.ts';

const properties: Properties = {
  name: text({ required: true, min: 2, max: 5 }),
  size: integer({ default: 1, min: 1, max: 10 }),
  ram: integer({ step: 256 }),
  ratio: decimal(),
  on: flag({ default: false }),
  zone: text({ oneOf: ['AUTO', 'ZONE_1'], anyCase: true }),
  place: text({ immutable: true }),
  ips: list(text({ max: 3 }), { serverFilled: true, default: [] }),
  tags: list(shape({ key: text({ required: true }), value: text() }), { max: 2 }),
  password: text({ writeOnly: true, min: 5 }),
  note: text({ omitNull: true }),
};

const messages = (sent: unknown, way: 'create' | 'replace' | 'change' = 'create', before?: Record<string, never>) =>
  check(properties, sent as never, way, '(root).properties', before).problems.map((problem) => problem.message);

test('defaults, nulls and the order of the declaration', () => {
  const { values, problems } = check(properties, { on: true, name: 'abc' }, 'create', '(root)');
  assert.deepEqual(problems, []);
  assert.equal(
    JSON.stringify(values),
    '{"name":"abc","size":1,"ram":null,"ratio":null,"on":true,"zone":null,"place":null,"ips":[],"tags":null,"password":null}',
  );
});

test('each violated bound is reported with the bound and its place', () => {
  assert.deepEqual(
    messages({ name: 'abcdef', size: 11, ram: 100, ratio: 'x', on: 1, tags: [1, { value: 'v' }], zone: 'ZONE_3' }),
    [
      '[(root).properties.name] Expected at most 5 characters',
      '[(root).properties.size] Attribute value 11 is above the maximum of 10',
      '[(root).properties.ram] Attribute value 100 is not a multiple of 256',
      '[(root).properties.ratio] Expected a number, got a string',
      '[(root).properties.on] Expected true or false, got a number',
      "[(root).properties.zone] Attribute value 'ZONE_3' not allowed. Expected one of [AUTO, ZONE_1]",
      '[(root).properties.tags.[0]] Expected an object, got a number',
      '[(root).properties.tags.[1].key] Attribute is required',
    ],
  );
});

test('integers are integers, and words are kept as they are listed', () => {
  assert.match(messages({ name: 'ab', size: 1.5 })[0] ?? '', /an integer/);
  assert.match(messages({ name: 'ab', size: 1e300 })[0] ?? '', /integer/);
  assert.equal(check(properties, { name: 'ab', zone: 'zone_1' }, 'create', '').values.zone, 'ZONE_1');
});

test('words for an integer are those that are listed', () => {
  const days = { days: integer({ words: { unlimited: 0 } }) };
  const checked = (sent: string) => check(days, { days: sent }, 'create', '');
  assert.equal(checked('Unlimited').values.days, 0);
  for (const sent of ['constructor', '__proto__']) assert.match(checked(sent).problems[0]?.message ?? '', /an integer/);
});

test('a write-only property is sealed and reads as null', () => {
  const { values, sealed } = check(properties, { name: 'ab', password: 'hunter2' }, 'create', '');
  assert.equal(values.password, null);
  assert.deepEqual(sealed, { password: 'hunter2' });
  assert.ok(!messages({ name: 'ab', password: 'abc' }).join().includes('abc'));
});

test('unknown, read-only and inherited names are refused', () => {
  assert.deepEqual(messages({ name: 'ab', nonsense: 1, ips: ['a'], constructor: 1 }), [
    '[(root).properties.nonsense] Attribute is unknown',
    '[(root).properties.constructor] Attribute is unknown',
    '[(root).properties.ips] Attribute is read-only',
  ]);
  assert.equal(messages(JSON.parse('{"name":"ab","__proto__":{"x":1}}')).length, 1);
  assert.equal(messages(null).length, 1);
  assert.equal(messages([]).length, 1);
});

test('a change keeps properties that it does not name; a replacement keeps only immutable ones', () => {
  const before = { name: 'ab', size: 5, place: 'here', ips: ['x'], on: true } as never;
  const change = check(properties, { size: 6 }, 'change', '', before).values;
  assert.deepEqual([change.name, change.size, change.on, change.ips], ['ab', 6, true, ['x']]);
  const replace = check(properties, { name: 'cd', ips: ['sent', 'back'] }, 'replace', '', before).values;
  assert.deepEqual(
    [replace.name, replace.size, replace.place, replace.ips, replace.on],
    ['cd', 1, 'here', ['x'], false],
  );
  assert.match(messages({ place: 'there' }, 'change', before)[0] ?? '', /can not be changed/);
  assert.deepEqual(messages({ place: 'here' }, 'change', before), []);
  assert.equal(check(properties, { size: null }, 'change', '', before).values.size, 1);
});

test('a hundred problems are enough', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, 1]));
  assert.equal(messages(many).length, 100);
});

test('a body with 90,000 unknown attributes is refused with 100 problems in no time', () => {
  const sent = Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`k${at}`, { deep: at }]));
  const usedMs = processorMs(() => assert.equal(check({}, sent, 'create', '(root)').problems.length, 100));
  assert.ok(usedMs < 200, `${usedMs} ms`);
});
