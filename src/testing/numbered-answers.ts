// A program under test writes the number of each durable record to its standard output, one per line. The test kills it
// in the middle of that, or watches it by strace.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';

// The numbers that it reported before it was killed, which it is after `enough` of them.
export async function answersUntilKilled(args: readonly string[], enough: number): Promise<number[]> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (text: Buffer) => {
    said += text;
    if (said.split('\n').length > enough) child.kill('SIGKILL');
  });
  await once(child, 'close');
  assert.equal(child.signalCode, 'SIGKILL');
  const numbers = said.split('\n').slice(0, -1).map(Number);
  assert.ok(numbers.length >= enough);
  return numbers;
}

// kill -9 spares what the system has in memory, so it proves nothing about the disk: here system calls are watched.
// Between two answers there is a successful sync. `calls`: a file for the output of strace.
export function assertSyncedAnswers(t: TestContext, args: readonly string[], calls: string, wanted: number): void {
  if (spawnSync('strace', ['-V']).status !== 0) {
    t.skip('strace is not installed');
    return;
  }
  const watching = ['-f', '-o', calls, '-e', 'trace=fdatasync,write', process.execPath, ...args];
  const { status, stderr } = spawnSync('strace', watching, { encoding: 'utf8' });
  if (status !== 0 && /ptrace/.test(stderr)) {
    t.skip('strace may not watch here');
    return;
  }
  assert.equal(status, 0, stderr);
  let [syncs, answers] = [0, 0];
  for (const line of readFileSync(calls, 'utf8').split('\n')) {
    if (/fdatasync(?:\(\d+| resumed>)\)\s+= 0$/.test(line)) syncs++;
    if (!/ write\(1, "\d+\\n"/.test(line)) continue;
    assert.ok(syncs > 0, `answer ${answers} left before its sync`);
    answers++;
    syncs = 0;
  }
  assert.equal(answers, wanted);
}
