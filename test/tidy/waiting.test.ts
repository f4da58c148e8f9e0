// Tests wait in one way, src/testing/waiting.ts, and their long limits are in one table, src/testing/limits.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineAt, readSource, type Source } from './source.ts';
import { everything, isForTests, outside, report } from './tree.ts';

const usualLimitMs = 10_000;
const tests = outside(
  everything.filter((source) => source.path.startsWith('test/') || isForTests(source)),
  'src/testing/waiting.ts',
  'src/testing/limits.ts',
);

const pauses =
  /(?<!\.)\b(?:setImmediate|setTimeout|pause|requestAnimationFrame|performance\.now|AbortSignal\.timeout)\b/;
// A look at a region, a file, a process or the time, or a condition that compares what it has awaited.
const looks = /\bcall(?:<.*>)?\(|\b(?:fetch|askRegion|existsSync|readFileSync|isRunning|figures|now)\(/;
const awaited = /!\s*\(*await\b|\bawait\b.*(?:[=!]==|(?<!=)[<>]|\.includes\()/s;
const isCount = /\+\+|--|=/;
const mark = /\/\/ not a wait: \S/;

// Loops that end when something has happened, not when their work is done or their count is reached.
function waitsIn({ path, text, code }: Source): string[] {
  const lines = text.split('\n');
  return [...code.matchAll(/\b(?:while|for) \(/g)].flatMap(({ index }) => {
    const open = code.indexOf('(', index);
    const close = closingOf(code, open);
    const head = code.slice(open + 1, close);
    const [, condition = head, step = ''] = head.split(';');
    const isFor = code.startsWith('for', index);
    if (isFor && (condition === head || (isCount.test(step) && /[<>]/.test(condition)))) return [];
    const body = code.slice(close + 1, endOfBody(code, close + 1));
    const isLook = looks.test(condition) || awaited.test(condition) || isPoll(body);
    const isWait = pauses.test(condition + body) || pauses.test(step) || (isLook && !isCount.test(step));
    const line = lineAt(text, index);
    if (!isWait || lines.slice(Math.max(0, line - 2), line + 1).some((one) => mark.test(one))) return [];
    return [`${path}:${line}: ${lines[line - 1]?.trim()}`];
  });
}

// Looks, and leaves the loop when the result is as wanted.
const isPoll = (body: string): boolean => looks.test(body) && /\bif \(.*\b(?:return|break)\b/s.test(body);

function closingOf(code: string, open: number): number {
  const [one, other] = code[open] === '(' ? ['(', ')'] : ['{', '}'];
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === one) depth += 1;
    if (code[at] === other && --depth === 0) return at;
  }
  return code.length;
}

function endOfBody(code: string, from: number): number {
  const first = code.slice(from).search(/\S/) + from;
  return code[first] === '{' ? closingOf(code, first) : code.indexOf(';', first);
}

test('tests wait with `until` only', () => {
  report(
    tests.flatMap(waitsIn),
    'Wait with `until` of src/testing/waiting.ts, or await an event. A loop that does work, and does not wait for ' +
      'anything, says so in a comment next to it: // not a wait: REASON',
  );
});

const long = String.raw`\d[\d_]{4,}`;
const limited = [
  new RegExp(String.raw`\btimeout: [^,}\n]*?(${long})`, 'g'),
  new RegExp(String.raw`\b\w*(?:imit|atience|eadline)Ms\b[^;,\n]*?(${long})`, 'g'),
  new RegExp(String.raw`\bAbortSignal\.timeout\((${long})`, 'g'),
  new RegExp(String.raw`\b(?:endsWithin|ended|setTimeout|answerOn|wire|wait)\([^;]*?,\s*(${long})\)`, 'g'),
];

const longLimitsIn = ({ path, text, code }: Source): string[] =>
  limited.flatMap((pattern) =>
    [...code.matchAll(pattern)]
      .filter(([, number = '']) => Number(number.replaceAll('_', '')) > usualLimitMs)
      .map((match) => `${path}:${lineAt(text, match.index)}: ${match[0].trim()}`),
  );

test('limits above 10 s are in one table', () => {
  report(
    tests.flatMap(longLimitsIn),
    'The usual limit is 10 s. A longer one has a name and a reason in src/testing/limits.ts. The limit of a whole test ' +
      'is the one of the run.',
  );
});

test('waits and long limits are found, and work is not', () => {
  const found = (find: (source: Source) => string[], text: string): number => find(readSource('x.ts', text)).length;
  for (const wait of [
    'while (!isDone) await new Promise(setImmediate);',
    "while ((await region.call('GET', path)).status !== 404);",
    'while (!(await isReady()));',
    "for (;;) {\n const { body } = await region.call('GET', path);\n if (body.state) return body;\n}",
    'for (const end = performance.now() + 10; !isDone(); ) assert.ok(performance.now() < end);',
  ])
    assert.equal(found(waitsIn, wait), 1, wait);
  for (const work of [
    'while (await writer.tidy());',
    'while (isWriting) await producer.send(message);',
    'for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);',
    'while (!isMade) await turn(setImmediate); // not a wait: it counts',
  ])
    assert.equal(found(waitsIn, work), 0, work);
  for (const [text, count] of [
    ['{ timeout: 60_000 }', 1],
    ['const limitMs = rounds * 20_000;', 1],
    ['endsWithin(child, 10_000)', 0],
    ['{ timeout: limits.client }', 0],
  ] as const)
    assert.equal(found(longLimitsIn, text), count, text);
});
