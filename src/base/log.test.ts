// Which errors are logged with their stack.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from './fault.ts';
import { createLog } from './log.ts';

interface Logged {
  error: { stack?: string; cause?: { stack?: string; code?: string } };
}

function logged(error: Error): Logged['error'] {
  const lines: string[] = [];
  createLog(
    (line) => lines.push(line),
    () => 0,
  ).error('bug', { error });
  return (JSON.parse(lines[0] ?? '') as Logged).error;
}

const coded = (code: string, more: object = {}): Error => Object.assign(new Error('it failed'), { code, ...more });

test('an error is logged with its stack, also if it has a code', () => {
  assert.match(logged(new Error('a bug')).stack ?? '', /log\.test/);
  assert.match(logged(coded('42703')).stack ?? '', /log\.test/, 'an unknown column of PostgreSQL');
});

test('a refusal with its cause, and a failed call of the system, are logged without a stack', () => {
  assert.equal(logged(coded('ECONNREFUSED', { syscall: 'connect' })).stack, undefined);
  const { stack, cause } = logged(new Fault('unavailable', 'no database', { cause: coded('57P01') }));
  assert.deepEqual([stack, cause?.stack, cause?.code], [undefined, undefined, '57P01']);
});
