// kill -9 spares the page cache, so it proves nothing about the disk: here the system calls of the region are watched.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { core } from '../harness/people.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { noFile } from '../harness/states.ts';
import { answerOn, dial, head } from '../harness/wire.ts';

const sequential = 20;
const concurrent = 50;

test('[GEN-06] the connection of the state syncs fully', { skip: noFile }, async () => {
  await using region = await startRegion();
  const { body } = await region.call<string>('GET', '/metrics');
  assert.match(body, /^cumulet_state_synchronous 2$/m);
});

test('[GEN-06] an answered change is synced before its answer, and many share one sync', {
  skip: noFile,
}, async (t) => {
  const why = missingStrace();
  if (why !== undefined) return t.skip(why);
  await using region = await startRegion({ args: ['--pace', '60000'] }); // so that nothing else is written in that time
  const post = (name: string) =>
    region.call('POST', `${core}/datacenters`, { properties: { name, location: 'de/txl' } });
  await post('warm');
  const denied = await traced(region, () => Promise.resolve()).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (denied !== undefined) return t.skip(denied);

  const calls = await traced(region, async () => {
    for (let count = 0; count < sequential; count++) assert.equal((await post(`mark-${count}`)).status, 202);
  });
  // Between the arrival of each request and the writing of its response there is at least one successful sync.
  let synced = 0;
  let answers = 0;
  for (const { name, text } of calls) {
    if (name === 'sync') synced++;
    if (name === 'write' && text.includes('202 Accepted')) {
      assert.ok(synced > 0, `answer ${answers} left before its sync`);
      answers++;
      synced = 0;
    }
  }
  assert.equal(answers, sequential);

  const sockets = Array.from({ length: concurrent }, () => dial(region.url));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const together = await traced(region, async () => {
    // All exist when it continues, however slow this machine is.
    process.kill(region.pid, 'SIGSTOP');
    await Promise.all(sockets.map((socket, at) => sent(socket, requestOf(region, `together-${at}`))));
    process.kill(region.pid, 'SIGCONT');
    for (const { status } of await Promise.all(sockets.map((socket) => answerOn(socket)))) assert.equal(status, 202);
  });
  const syncs = together.filter(({ name }) => name === 'sync').length;
  t.diagnostic(`${concurrent} changes at once took ${syncs} syncs`);
  assert.ok(syncs >= 1 && syncs < concurrent, `${syncs} syncs for ${concurrent} changes`);
  await region.kill(); // what is under way would be waited for
});

function requestOf(region: Region, name: string): string {
  const body = JSON.stringify({ properties: { name, location: 'de/txl' } });
  const authorization = `Bearer ${region.token}`;
  return head('POST', `${core}/datacenters`, { authorization, 'content-length': body.length }) + body;
}

const sent = (socket: Socket, text: string): Promise<void> => new Promise((done) => socket.write(text, () => done()));

interface Call {
  name: 'sync' | 'write';
  text: string;
}

// The syncs and writes of the region's main thread while something is done, in their order.
async function traced(region: Region, work: () => Promise<void>): Promise<Call[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-strace-'));
  const file = join(folder, 'calls');
  const watched = 'trace=fsync,fdatasync,write,writev,sendto,sendmsg';
  const strace = spawn('strace', ['-p', String(region.pid), '-s', '64', '-o', file, '-e', watched], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    await attached(strace.stderr);
    await work();
  } finally {
    const ended = once(strace, 'close');
    strace.kill('SIGINT');
    await ended;
  }
  const lines = readFileSync(file, 'utf8').split('\n');
  rmSync(folder, { recursive: true });
  return lines.flatMap((line): Call[] => {
    if (/^f(?:data)?sync\(\d+\)\s+= 0$/.test(line)) return [{ name: 'sync', text: line }];
    return /^(?:write|writev|sendto|sendmsg)\(/.test(line) ? [{ name: 'write', text: line }] : [];
  });
}

async function attached(stderr: NodeJS.ReadableStream): Promise<void> {
  let text = '';
  for await (const chunk of stderr) {
    text += String(chunk);
    if (/attached/.test(text)) return;
  }
  throw new Error(`strace did not attach: ${text}`);
}

// Installed where that is allowed; otherwise the reason.
function missingStrace(): string | undefined {
  const works = (): boolean => {
    try {
      execFileSync('strace', ['-V'], { stdio: 'pipe' });
      return true;
    } catch {
      return false;
    }
  };
  if (works()) return undefined;
  if (process.getuid?.() !== 0) return 'strace is not installed, and only root could install it';
  try {
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'strace'], {
      stdio: 'pipe',
      timeout: limits.install,
    });
  } catch {
    return 'strace is not installed and apt-get could not install it';
  }
  return works() ? undefined : 'strace does not run here';
}
