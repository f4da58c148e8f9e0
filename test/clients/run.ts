// Runs outside clients as their users do: as processes of their own, told by their environment where to go.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cumulet, type Ended, endsWithin, launch } from '../process.ts';
import type { Region } from '../region.ts';

const usualLimitMs = 120_000;

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  limitMs?: number;
}

export async function run(command: string[], { limitMs = usualLimitMs, ...options }: RunOptions = {}): Promise<Ended> {
  const child = launch([], { command, ...options });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  if (!(await endsWithin(child, limitMs))) {
    child.kill('SIGKILL');
    throw new Error(`${command.join(' ')} did not end in ${limitMs} ms:\n${stdout}${stderr}`);
  }
  return { code: child.exitCode, stdout, stderr };
}

export async function mustRun(command: string[], options?: RunOptions): Promise<Ended> {
  const ended = await run(command, options);
  assert.equal(ended.code, 0, `${command.join(' ')}\n${ended.stdout}${ended.stderr}`);
  return ended;
}

// How a client finds the region: by its own setting, or not at all, with the proxy in between.
export interface Way {
  name: 'direct' | 'proxy';
  origin: string; // what links in answers must begin with
  env: Record<string, string>;
  ca?: string; // the file with the certificate of the region's CA
}

// Settings of the machine that would decide where clients go.
const none = { HTTP_PROXY: '', HTTPS_PROXY: '', ALL_PROXY: '', NO_PROXY: '' };
const unset = { ...none, ...Object.fromEntries(Object.keys(none).map((name) => [name.toLowerCase(), ''])) };

export const directly = (region: Region): Way => ({ name: 'direct', origin: region.url, env: { ...unset } });

export async function byProxy(region: Region, folder: string): Promise<Way> {
  const { code, stdout, stderr } = await cumulet(['ca', '--data', region.data]);
  assert.equal(code, 0, `cumulet ca: ${stderr}`);
  assert.match(stdout, /^-----BEGIN CERTIFICATE-----/);
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, stdout);
  const env = { ...unset, HTTPS_PROXY: region.proxy, SSL_CERT_FILE: ca, NODE_EXTRA_CA_CERTS: ca };
  return { name: 'proxy', origin: 'https://api.ionos.com', env, ca };
}

// A folder that is gone after the test.
export function workFolder(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-client-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
