// The position of the first JSON error, compared with V8's parser.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { jsonErrorPosition } from './json-error-position.ts';

suite('the position of an error in JSON', () => {
  test('valid JSON has none', () => {
    for (const text of ['null', ' [] ', '{}', '[1, -2.5e+3, "\\u00e9 \\n é", true, {"a": [{"b": {}}]}]\n', '"\u007f"'])
      assert.equal(jsonErrorPosition(text), undefined, text);
  });

  test('it is that of the first invalid token, or the end', () => {
    const cases: [text: string, line: number, column: number][] = [
      ['', 1, 1],
      ['{"a": 1,}', 1, 9],
      ['[1 2]', 1, 4],
      ['[1,\n  2,\n  nope]', 3, 3],
      ['{"a" 1}', 1, 6],
      ['{a: 1}', 1, 2],
      ['{"a": [1}', 1, 9],
      ['{"a": "x', 1, 7],
      ['{"a": {\n', 2, 1],
      ['[01]', 1, 2],
      ['{} {}', 1, 4],
      ['["\t"]', 1, 2],
      [']', 1, 1],
    ];
    for (const [text, line, column] of cases) {
      assert.throws(() => JSON.parse(text), text);
      assert.deepEqual(jsonErrorPosition(text), { line, column }, text);
    }
  });

  test('it agrees with V8 whether a text is JSON, however it is mutilated', () => {
    const whole = JSON.stringify({ a: [1, 'x\n"y"', null, -0.5e-7], b: { c: {}, d: [], 'é\u0007': true } }, null, 1);
    for (let at = 0; at <= whole.length; at++)
      for (const text of [whole.slice(0, at), whole.slice(at), `${whole.slice(0, at)},${whole.slice(at)}`])
        assert.equal(jsonErrorPosition(text) === undefined, isJson(text), text);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
