// A real browser for tests: Debian's Chromium, driven by playwright-core. Installed where that is possible without
// asking; otherwise a reason to skip.
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';
import { limits } from '../../src/testing/limits.ts';
import { type Absent, type Found, find } from '../clients/install.ts';
import { mustRun } from '../clients/run.ts';

const usual = '/usr/bin/chromium';
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The pages of a context share a process. To start one takes a second of the processor.
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
];

export async function browserProgram(): Promise<Found | Absent> {
  const found = find('CUMULET_CHROMIUM', 'chromium', 'chromium-browser', 'google-chrome');
  if (found.path || process.env.CUMULET_CHROMIUM) return found;
  const apt = find('CUMULET_APT', 'apt-get');
  if (userInfo().uid !== 0 || !apt.path)
    return { skip: `${found.skip}; it can be installed here by root with apt-get only` };
  const wait = ['-o', 'DPkg::Lock::Timeout=240', '-q'];
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await mustRun([apt.path, ...wait, 'update'], { env, limitMs: limits.install });
  await mustRun([apt.path, ...wait, 'install', '-y', 'chromium'], { env, limitMs: limits.install });
  return existsSync(usual) ? { path: usual } : { skip: 'apt-get installed chromium, but not where it belongs' };
}

// Test processes of one run share one browser, each with its own contexts; `close` on it closes those.
export const openBrowser = (program: string): Promise<Browser> =>
  process.env.CUMULET_TEST_BROWSER
    ? chromium.connect(process.env.CUMULET_TEST_BROWSER)
    : chromium.launch({ executablePath: program, args: flags });

// Started by test/suite.ts. Returns undefined where there is no browser: the tests report why.
export async function startSharedBrowser(): Promise<BrowserServer | undefined> {
  const program = await browserProgram();
  if (!program.path) return undefined;
  const server = await chromium.launchServer({ executablePath: program.path, args: flags, host: '127.0.0.1' });
  process.env.CUMULET_TEST_BROWSER = server.wsEndpoint();
  return server;
}
