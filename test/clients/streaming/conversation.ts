// A client program that asks for restarts of the brokers while it runs: by a line `restart N` on its output. It waits
// for the file `restarted-N`, and prints what it saw as JSON at its end.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ended, launch } from '../../harness/process.ts';

export async function runWithRestarts(
  command: string[],
  folder: string,
  restart: () => Promise<void>,
  limitMs: number,
): Promise<Record<string, unknown>> {
  const child = launch([], { command });
  let restarts: Promise<unknown> = Promise.resolve();
  let restartCount = 0;
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    for (const { 1: number } of [...output.matchAll(/^restart (\d+)$/gm)].slice(restartCount)) {
      restartCount++;
      restarts = restarts.then(restart).then(() => writeFileSync(join(folder, `restarted-${number}`), ''));
    }
  });
  const { code, stdout, stderr } = await ended(child, command.join(' '), limitMs);
  await restarts;
  assert.equal(code, 0, `${stdout}${stderr}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
}
