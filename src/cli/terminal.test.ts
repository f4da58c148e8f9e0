// Formatting for terminals and shells.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { seconds } from '../command/option-values.ts';
import { columns, duration, size, table } from '../command/terminal.ts';
import { quoted } from '../config/command-line.ts';

test('sh receives exactly the quoted text', () => {
  for (const text of ['plain', '/a b/c', "it's", '$(rm -rf /)', '`x`', 'a"b', 'a\\b', 'two\nlines', '~', '*', '']) {
    assert.equal(execFileSync('sh', ['-c', `printf %s ${quoted(text)}`]).toString(), text);
  }
  assert.equal(quoted('http://127.0.0.1:7070/x'), 'http://127.0.0.1:7070/x');
});

test('sizes and durations are short', () => {
  assert.deepEqual([0, 999, 1000, 73_728, 1_234_567_890].map(size), [
    '0 bytes',
    '999 bytes',
    '1.0 KB',
    '73.7 KB',
    '1.2 GB',
  ]);
  assert.deepEqual([0, 59, 3600, 93_784].map(duration), ['0 s', '59 s', '1 h 0 min', '1 d 2 h']);
});

test('times are parsed as people write them', () => {
  assert.deepEqual(['1d2h', '90m', '45s', '3600', '2w'].map(seconds), [93_600, 5400, 45, 3600, 1_209_600]);
  assert.deepEqual(['', '1x', 'h1', '-1', '1.5h', '1d 2h'].map(seconds), Array(6).fill(undefined));
});

test('columns are aligned and nothing is truncated', () => {
  const long = 'word '.repeat(40).trim();
  const lines = columns([
    ['--a', long],
    ['--longer VALUE', 'x'],
  ]).split('\n');
  assert.ok(lines.every((line) => line.length <= 100));
  assert.equal(lines.join(' ').match(/word/g)?.length, 40);
  assert.match(
    table(
      ['ID', 'NAME'],
      [
        ['1', 'one'],
        ['22', 'two'],
      ],
    ),
    /^ID {2}NAME\n1 {3}one\n22 {2}two$/,
  );
});
