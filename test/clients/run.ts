// Runs outside clients as their users do: as separate processes, configured by their environment.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../../src/testing/limits.ts';
import { cumulet, type Ended, ended, launch } from '../harness/process.ts';
import type { Region } from '../harness/region.ts';

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  limitMs?: number;
}

export async function run(command: string[], { limitMs = limits.client, ...options }: RunOptions = {}): Promise<Ended> {
  return ended(launch([], { command, ...options }), command.join(' '), limitMs);
}

export async function mustRun(command: string[], options?: RunOptions): Promise<Ended> {
  const end = await run(command, options);
  assert.equal(end.code, 0, `${command.join(' ')}\n${end.stdout}${end.stderr}`);
  return end;
}

// How clients find the region, according to the output of `cumulet env`: by an endpoint, by a file with endpoints, or
// by the proxy.
export interface Way {
  name: 'direct' | 'config' | 'proxy';
  origin: string; // what links in answers must begin with
  env: Record<string, string>;
}

const optionsOf: Record<Way['name'], string[]> = { direct: [], config: ['--config'], proxy: ['--proxy'] };

// Settings of the machine that would redirect clients.
const none = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const cleared = Object.fromEntries(none.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, '']));

export async function wayTo(region: Region, name: Way['name'], home: string): Promise<Way> {
  const env = { HOME: home, XDG_CONFIG_HOME: home };
  const command = ['env', '--json', '--data', region.data, ...optionsOf[name]];
  const { code, stdout, stderr } = await cumulet(command, { env });
  assert.equal(code, 0, `cumulet ${command.join(' ')}: ${stderr}`);
  const { set } = JSON.parse(stdout) as { set: Record<string, string> };
  const origin = name === 'proxy' ? 'https://api.ionos.com' : region.url;
  return { name, origin, env: { ...cleared, ...env, ...set } };
}

// A folder that is deleted after the test.
export function workFolder(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-client-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
