// What strangers may send as JSON, and what not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from './fault.ts';
import { bodyLimits, equalJson, parseJson } from './json.ts';

const parse = (text: string | Uint8Array) => parseJson(typeof text === 'string' ? Buffer.from(text) : text);
const refuses = (text: string | Uint8Array, message: RegExp) =>
  assert.throws(
    () => parse(text),
    (error) => error instanceof Fault && error.kind === 'refused' && message.test(error.message),
  );

test('reads what JSON.parse reads', () => {
  for (const text of ['1', 'null', '"a\\"b:"', '{"a":{"b":["c:",{"d":1}]},"":2}', ' {"k" : "v"} ', '"\\\\"', '[]'])
    assert.deepEqual(parse(text), JSON.parse(text));
});

test('[GEN-05] malformed JSON is refused with its place and without quoting the body', () => {
  refuses('{"password":"hunter2",}', /line 1, column \d+/);
  assert.throws(
    () => parse('{"password":"hunter2" x'),
    (error: Error) => !error.message.includes('hunter2'),
  );
  refuses('', /not valid JSON/);
  refuses('{"a":"', /not valid JSON/);
});

test('a duplicate key is refused by name, also deep inside and written differently', () => {
  refuses('{"a":1,"a":2}', /"a" twice/);
  refuses('{"x":[{"b":{"k":1,"\\u006b":2}}]}', /"k" twice/);
  parse('{"a":{"a":1},"b":[{"a":1},{"a":2}]}');
});

test('very large objects and very many of them are refused, where there are limits', () => {
  const keys = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"${at}":{}`).join()}}`;
  const refusesLarge = (text: string, message: RegExp) => assert.throws(() => parseJson(text, bodyLimits), message);
  parseJson(`[${keys(2000)},${keys(2000)}]`, bodyLimits);
  refusesLarge(`{"a":[1,${keys(2001)}]}`, /more than 2000 keys/);
  refusesLarge(`[${'[],'.repeat(50_000)}1]`, /more than 50000 objects/);
  parse(`[${'[],'.repeat(50_000)}${keys(2001)}]`);
});

test('__proto__ is an ordinary key and pollutes nothing', () => {
  const value = parse('{"__proto__":{"admin":true}}') as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ['__proto__']);
  assert.equal(({} as Record<string, unknown>).admin, undefined);
  refuses('{"__proto__":1,"__proto__":2}', /twice/);
});

test('invalid UTF-8 and deep nesting are refused', () => {
  refuses(new Uint8Array([0x22, 0xc3, 0x28, 0x22]), /UTF-8/);
  refuses('['.repeat(100_000), /deeper/);
  refuses('{"a":'.repeat(1000), /deeper/);
  parse(`${'['.repeat(64)}${']'.repeat(64)}`);
});

test('equality is by value', () => {
  assert.ok(equalJson({ a: [1, { b: null }] }, { a: [1, { b: null }] }));
  assert.ok(!equalJson({ a: 1 }, { a: 1, b: 2 }));
  assert.ok(!equalJson([1], { 0: 1 }));
});
