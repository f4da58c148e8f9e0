// The workflows and the action, checked by actionlint.
import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, stringify } from 'yaml';
import { notBuilt } from '../install.ts';
import { mustRun, run, workFolder } from '../run.ts';
import { actionlint } from './programs.ts';

const root = join(import.meta.dirname, '../../..');
const skip = notBuilt?.skip ?? false;
const alone = ['-shellcheck=', '-pyflakes=']; // without programs that some machines do not have

test('actionlint finds nothing in the workflows, nor in their inputs of the action', { skip }, async (t) => {
  const program = await installed(t);
  if (!program) return;
  const files = globSync('.github/workflows/*.yml', { cwd: root });
  assert.deepEqual(files.sort(), ['.github/workflows/publish.yml', '.github/workflows/test.yml']);
  await mustRun([program, ...alone, ...files], { cwd: root });
});

test('actionlint finds nothing in the steps of the action', { skip }, async (t) => {
  const program = await installed(t);
  if (!program) return;
  const { inputs, outputs, runs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action;
  const asWorkflow = (steps: object[]): string =>
    stringify({
      on: { workflow_call: { inputs: Object.fromEntries(Object.keys(inputs).map((name) => [name, text])) } },
      jobs: {
        action: {
          'runs-on': 'ubuntu-latest',
          outputs: Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value])),
          steps,
        },
      },
    });
  const folder = workFolder(t);
  const file = join(folder, 'action.yml');
  writeFileSync(file, asWorkflow(runs.steps));
  await mustRun([program, ...alone, file]);
  writeFileSync(file, asWorkflow([...runs.steps, { run: `echo \${{ inputs.unknown }}` }]));
  assert.match((await run([program, ...alone, file])).stdout, /property "unknown" is not defined/);
});

test('actionlint reports an input that the action does not have', { skip }, async (t) => {
  const program = await installed(t);
  if (!program) return;
  const folder = workFolder(t);
  const workflows = join(folder, '.github/workflows');
  mkdirSync(workflows, { recursive: true });
  cpSync(join(root, 'action.yml'), join(folder, 'action.yml'));
  const text = readFileSync(join(root, '.github/workflows/test.yml'), 'utf8');
  writeFileSync(join(workflows, 'test.yml'), text.replace('package: ./cumulet.tgz', 'packet: ./cumulet.tgz'));
  await mustRun(['git', 'init', '--quiet'], { cwd: folder });
  assert.match((await run([program, ...alone], { cwd: folder })).stdout, /input "packet" is not defined in action/);
});

const text = { type: 'string' };

interface Action {
  inputs: Record<string, object>;
  outputs: Record<string, { value: string }>;
  runs: { steps: object[] };
}

async function installed(t: { skip(reason: string): void }): Promise<string | undefined> {
  const { path, skip: reason } = await actionlint();
  if (reason !== undefined) t.skip(reason);
  return path;
}
