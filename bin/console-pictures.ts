// Pictures of every page of the console in light and dark, wide and narrow, and a contact sheet of each theme:
// node_modules/.bin/node bin/console-pictures.ts FOLDER
// It starts a region of its own, filled by the seed beside this file. The best ones stand in docs/images.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { addressesOf } from '../test/console/every-resource.ts';
import { signInBy } from '../test/console/window.ts';
import { browserProgram, openBrowser } from '../test/harness/browser.ts';
import { type Region, startRegion } from '../test/harness/region.ts';

const folder = process.argv[2];
if (!folder) throw new Error('Say where to: node bin/console-pictures.ts FOLDER');
const seed = join(import.meta.dirname, 'console-pictures.seed.yaml');
const quietMs = 500; // a page that asks for nothing so long is whole

const places = ['', '/requests', '/activity', '/costs', '/limits', '/account', '/tokens', '/monitoring', '/logging'];
const works = ['/playground', '/buckets', '/buckets/shop-assets', '/lab', '/lab/faults', '/lab/traffic'];

const { path, skip } = await browserProgram();
if (path === undefined) throw new Error(skip);
const region = await startRegion({ args: ['--seed', seed, '--pace', '0'] });
const browser = await openBrowser(path);
try {
  mkdirSync(folder, { recursive: true });
  const urls = [...[...places, ...works].map((one) => `/console${one}`), ...(await resourceUrls(region))];
  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) await takeAll(browser, urls, theme, width, folder);
    await contactSheet(browser, theme, folder);
  }
} finally {
  await browser.close();
  await region.stop();
}

// List, thing and form of each kind.
async function resourceUrls(from: Region): Promise<string[]> {
  const found = await addressesOf(from);
  return found.flatMap(({ model, list, item }) => [
    list,
    ...(model.create ? [`${list}/new`] : []),
    ...(item === undefined ? [] : [item, `${item}?tab=properties`]),
  ]);
}

async function takeAll(with_: Browser, urls: string[], theme: 'light' | 'dark', width: number, to: string) {
  const context = await with_.newContext({ colorScheme: theme, viewport: { width, height: 900 } });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await signInBy(page, region, region.owner);
  for (const [at, url] of urls.entries()) {
    await page.goto(region.url + url);
    await untilQuiet(page);
    await page.screenshot({ path: join(to, `${theme}-${width}-${nameOf(at, url)}.jpeg`), type: 'jpeg', quality: 70 });
  }
  await context.close();
}

function nameOf(at: number, url: string): string {
  const words = url.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replace(/[^\w]+/g, '-');
  return `${String(at).padStart(3, '0')}${words.slice(0, 90)}`;
}

// The stream of changes stays open, so the network is never idle: no request has begun for a while.
async function untilQuiet(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  let last = performance.now();
  const note = (): void => {
    last = performance.now();
  };
  page.on('requestfinished', note);
  while (performance.now() - last < quietMs) await page.evaluate('new Promise(requestAnimationFrame)');
  page.off('requestfinished', note);
}

async function contactSheet(with_: Browser, theme: string, from: string): Promise<void> {
  const files = readdirSync(from).filter((name) => name.startsWith(`${theme}-1440-`));
  const images = files
    .sort()
    .map((name) => {
      const data = readFileSync(join(from, name)).toString('base64');
      const title = name.replace(/^\w+-1440-|\.jpeg$/g, '');
      return `<figure><img src="data:image/jpeg;base64,${data}" width="320"><figcaption>${title}</figcaption></figure>`;
    })
    .join('');
  const style = 'body{display:grid;grid-template-columns:repeat(5,320px);gap:8px;font:11px sans-serif}figure{margin:0}';
  const page = await with_.newPage({ viewport: { width: 1660, height: 900 } });
  await page.setContent(`<style>${style}</style>${images}`);
  await page.screenshot({ path: join(from, `sheet-${theme}.jpeg`), type: 'jpeg', quality: 60, fullPage: true });
  await page.close();
}
