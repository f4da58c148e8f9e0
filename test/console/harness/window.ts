// A browser window for console tests. It must not leave the console, report errors or be unreadable.
// CUMULET_SHOTS=<folder> stores screenshots.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { inspect, isDeepStrictEqual } from 'node:util';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { until } from '../../../src/testing/waiting.ts';
import { browserProgram, openBrowser } from '../../harness/browser.ts';
import { addContract } from '../../harness/people.ts';
import { type Owner, type Region, type RegionOptions, startRegion } from '../../harness/region.ts';

const firstContract = 31_009_001;
const wait = { limitMs: limits.page };

// The console message of a browser for a refused call.
export const refusedCall = /Failed to load resource/;

// `expected` matches complaints that the test causes. `isFirst` uses a browser without stored data of the region.
type WindowOptions = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'reducedMotion' | 'javaScriptEnabled'> & {
  expected?: RegExp;
  isFirst?: boolean;
};

export interface Look {
  colorScheme: 'light' | 'dark';
  width: number;
}

// Each theme and each width. Colours do not depend on the width, so only a full run checks all pairs.
export function looksOf(wide: number, narrow: number): Look[] {
  const pairs: Look[] = [
    { colorScheme: 'light', width: wide },
    { colorScheme: 'dark', width: narrow },
  ];
  if (isFull) pairs.push({ colorScheme: 'light', width: narrow }, { colorScheme: 'dark', width: wide });
  return pairs;
}

// Checks the current page in each look without reloading it.
export async function inLooks(page: Page, looks: readonly Look[], check: (look: string) => Promise<void>) {
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await check(`${colorScheme}-${width}`);
  }
}

// A region and a browser for all tests of a suite, or the reason why they are missing.
export class Desk {
  #region: Region | undefined;
  #browser: Browser | undefined;
  #context: BrowserContext | undefined; // shared by all tests, because each context needs a process
  #keeper: Page | undefined; // keeps that process alive, and clears stored data
  #skip: string | undefined;
  #contracts = 0;

  get region(): Region {
    assert.ok(this.#region, 'there is no region without a browser');
    return this.#region;
  }

  // False if there is no browser; the tests are then skipped.
  get isOpen(): boolean {
    return this.#region !== undefined;
  }

  async open(options: RegionOptions = {}): Promise<void> {
    const program = await browserProgram();
    this.#skip = program.skip;
    if (program.path === undefined) return;
    this.#region = await startRegion(options);
    this.#browser = await openBrowser(program.path);
    this.#context = await newContext(this.#browser);
    this.#keeper = await this.#context.newPage();
    await this.#keeper.goto(`${this.#region.url}/console/facts`);
  }

  // For a test that must not see what others created.
  async newContract(): Promise<{ region: Region; owner: Owner }> {
    const made = await addContract(this.region, firstContract + this.#contracts++);
    return { region: this.region.as(made), owner: made.basic };
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    await this.#region?.stop();
  }

  async see(t: TestContext, options: WindowOptions, look: (page: Page) => Promise<void>): Promise<void> {
    if (!this.#browser || !this.#context || !this.#keeper) return t.skip(this.#skip);
    const { javaScriptEnabled, isFirst, ...rest } = options;
    if (isFirst || javaScriptEnabled === false) {
      const context = await newContext(this.#browser, options);
      await inWindow(context, this.region, rest, look).finally(() => context.close());
      return;
    }
    try {
      await inWindow(this.#context, this.region, rest, look);
    } finally {
      for (const page of this.#context.pages()) if (page !== this.#keeper) await page.close();
      await this.#context.setOffline(false);
      await this.#context.clearCookies();
      await this.#context.clearPermissions();
      await this.#keeper.evaluate('localStorage.clear()');
    }
  }
}

async function newContext(browser: Browser, { javaScriptEnabled = true }: WindowOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, javaScriptEnabled });
  context.setDefaultTimeout(limits.page);
  return context;
}

async function inWindow(
  context: BrowserContext,
  region: Region,
  { expected, viewport, ...media }: WindowOptions,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await context.newPage();
  if (viewport) await page.setViewportSize(viewport);
  await page.emulateMedia(media);
  const complaints: string[] = [];
  page.on('console', (one) => {
    if (one.type() === 'error' || one.type() === 'warning') complaints.push(`${one.type()}: ${one.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (one) => {
    const { origin, protocol } = new URL(one.url());
    if (origin !== region.url && protocol !== 'data:') complaints.push(`a request to ${one.url()}`);
  });
  await look(page).finally(() => page.close());
  assert.deepEqual(
    complaints.filter((one) => !expected?.test(one)),
    [],
  );
}

export async function signInBy(page: Page, region: Region, who: Owner, path = '/console'): Promise<void> {
  await page.goto(region.url + path);
  await page.getByLabel('E-mail').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await untilDrawn(page);
}

// Waits for the response, because leaving the page earlier may keep the session.
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You have signed out.').waitFor();
}

// Replaces Playwright's waiting, which evaluates code that the page's Content-Security-Policy forbids.
export async function untilHolds(page: Page, expression: string): Promise<void> {
  await until(expression, () => page.evaluate(expression), Boolean, wait);
}

// Polls, because a page shows the result of an action a moment later.
export async function untilEqual<T>(read: () => Promise<T>, wanted: T, what = 'the page'): Promise<void> {
  await until(`${what} shows ${inspect(wanted)}`, read, (shown) => isDeepStrictEqual(shown, wanted), wait);
}

export const untilTrue = (what: string, isSo: () => Promise<boolean>): Promise<void> => untilEqual(isSo, true, what);

// Waits until the page is rendered. From then on links do not reload it.
export const untilDrawn = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();

// Opens the navigation, which is behind a button in a narrow window.
export async function goTo(page: Page, part: string): Promise<void> {
  await untilDrawn(page);
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: part }).click();
}

export const row = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

// The id of a token, from its JWT header.
export const idOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

// Creates a token with a lifetime in the dialog and returns its value.
export async function makeToken(page: Page, lifetime: string): Promise<string> {
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByLabel('Lifetime').selectOption(lifetime);
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
  return page.getByLabel('Token', { exact: true }).inputValue();
}

export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CUMULET_SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

// The content of a download. It is read as a stream, because the browser may run elsewhere.
export async function savedBy(page: Page, press: () => Promise<void>): Promise<{ name: string; content: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), content: await buffer(await download.createReadStream()) };
}

// Records the last text that the page copied, because tests share the browser and its clipboard.
export async function watchCopies(page: Page): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript(`{
    const write = navigator.clipboard.writeText.bind(navigator.clipboard);
    navigator.clipboard.writeText = async (text) => {
      await write(text);
      globalThis.copied = text;
    };
  }`);
}

export const copied = async (page: Page): Promise<string> => String(await page.evaluate('globalThis.copied'));

const barriers = readFileSync(join(import.meta.dirname, 'barriers.js'), 'utf8');

// Finds barriers: low contrast, controls without a name, a page wider than its window.
export async function assertReadable(page: Page, where: string): Promise<void> {
  const found = (): Promise<unknown> => page.evaluate(`${barriers}\nfindBarriers()`);
  await untilEqual(found, [], where);
}
