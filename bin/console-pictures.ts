// Pictures of every page of the console in light and dark, wide and narrow, and a contact sheet of each theme:
// node_modules/.bin/node bin/console-pictures.ts FOLDER
// The best ten, small, for the README and docs: node_modules/.bin/node bin/console-pictures.ts --best docs/images
// It starts its own region with the demo.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { type Addresses, addressesOf } from '../test/console/every-resource/every-resource.ts';
import { signInBy } from '../test/console/harness/window.ts';
import { browserProgram, openBrowser } from '../test/harness/browser.ts';
import { plant } from '../test/harness/pipelines.ts';
import { cumulet } from '../test/harness/process.ts';
import { type Region, startRegion, waitRequest } from '../test/harness/region.ts';
import { worldOf } from '../test/sweep/world.ts';

const [isBest, folder] = process.argv[2] === '--best' ? [true, process.argv[3]] : [false, process.argv[2]];
if (!folder) throw new Error('Name a folder: node_modules/.bin/node bin/console-pictures.ts [--best] FOLDER');
const quietMs = 500; // a page that asks for nothing so long is whole
const loadMs = 90_000; // the demo sends, and central monitoring has the first minute of the servers

const places = ['', '/requests', '/activity', '/costs', '/limits', '/account', '/tokens', '/monitoring', '/logging'];
const tabbed = ['datacenter', 'certificate', 'topic', 'autoscalinggroup', 'zone']; // their pages begin with another tab
const works = ['/playground', '/buckets', '/buckets/shop-31000001', '/lab', '/lab/faults', '/lab/traffic'];

const { path, skip } = await browserProgram();
if (path === undefined) throw new Error(skip);
const region = await startRegion({ args: ['--pace', '0'] });
const browser = await openBrowser(path);
try {
  mkdirSync(folder, { recursive: true });
  await fill(region);
  if (isBest) await takeBest(browser, folder);
  else await takeEverything(browser, folder);
} finally {
  await browser.close();
  await region.stop();
}

async function takeEverything(with_: Browser, to: string): Promise<void> {
  await worldOf(region);
  const urls = [...[...places, ...works].map((one) => `/console${one}`), ...(await resourceUrls(region))];
  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) await takeAll(with_, urls, theme, width, to);
    await contactSheet(with_, theme, to);
  }
}

// The demo, and a request that failed.
async function fill(to: Region): Promise<void> {
  const { code, stderr } = await cumulet(['demo', '--data', to.data]);
  if (code !== 0) throw new Error(stderr);
  await pause(loadMs);
  await failOnce(to);
}

async function failOnce(to: Region): Promise<void> {
  await plant(to, { kind: 'server', step: 'create.*', mode: 'fail', message: 'The host has no memory left.' });
  const { body } = await to.call('GET', '/cloudapi/v6/datacenters?filter.name=shop-standby');
  const properties = { name: 'reports', cores: 2, ram: 4096 };
  const made = await to.call('POST', `/cloudapi/v6/datacenters/${body.items[0]?.id}/servers`, { properties });
  await waitRequest(to, made.headers.location);
}

interface Best {
  name: string;
  theme: 'light' | 'dark';
  url: string;
  prepare?(page: Page): Promise<void>;
}

async function takeBest(with_: Browser, to: string): Promise<void> {
  const first = async (path: string): Promise<string> => (await region.call('GET', path)).body.items[0]?.id ?? '';
  const resources = '/console/resources';
  const shop = `${resources}/cloudapi/datacenters/${await first('/cloudapi/v6/datacenters?filter.name=shop-production')}`;
  const cluster = `/streaming/clusters/${await first('/streaming/clusters')}`;
  const orders = `${resources}${cluster}/topics/${await first(`${cluster}/topics`)}`;
  const all: readonly Best[] = [
    { name: 'overview', theme: 'dark', url: '/console' },
    { name: 'diagram', theme: 'light', url: shop, prepare: traceWay },
    { name: 'form', theme: 'light', url: `${shop}/servers/new`, prepare: fillServer },
    { name: 'servers', theme: 'dark', url: `${resources}/cloudapi/datacenters/-/servers` },
    { name: 'monitoring', theme: 'light', url: '/console/monitoring/de-txl' },
    { name: 'logs', theme: 'dark', url: '/console/logging/de-txl', prepare: seeLines },
    { name: 'group', theme: 'light', url: `${resources}/autoscaling/groups/${await first('/autoscaling/groups')}` },
    { name: 'topic', theme: 'dark', url: orders },
    { name: 'costs', theme: 'light', url: '/console/costs' },
    { name: 'playground', theme: 'light', url: '/console/playground', prepare: chat },
  ];
  for (const { name, theme, url, prepare } of all) {
    const context = await with_.newContext({ colorScheme: theme, viewport: { width: 1200, height: 720 } });
    const page = await context.newPage();
    await signInBy(page, region, region.owner);
    await page.goto(region.url + url);
    await untilQuiet(page);
    await prepare?.(page);
    await untilQuiet(page);
    await page.screenshot({ path: join(to, `console-${name}.jpeg`), type: 'jpeg', quality: 55 });
    await context.close();
  }
}

async function fillServer(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).first().fill('web-3');
  await page.getByLabel('Cores').first().fill('4');
  await page.getByLabel('RAM').first().fill('8192');
}

// Of a packet that arrives.
async function traceWay(page: Page): Promise<void> {
  const to = page.getByLabel('To', { exact: true }).first();
  const option = await to.locator('option', { hasText: 'entrance' }).getAttribute('value');
  await to.selectOption(option);
  await page.getByLabel('Port', { exact: true }).fill('80');
  await page.getByRole('button', { name: 'Trace' }).click();
}

async function seeLines(page: Page): Promise<void> {
  await page.locator('.logs-row').first().waitFor();
}

async function chat(page: Page): Promise<void> {
  await page.getByLabel('Message').fill('Name three resources of a cloud region.');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Send' }).waitFor();
}

// The list, a resource and the forms of each type.
async function resourceUrls(from: Region): Promise<string[]> {
  const inSeed = new Map((await addressesOf(from, 'first')).map((one) => [keyOf(one), one]));
  const inWorld = await addressesOf(from, 'last'); // it has one of everything, but plain ones
  const best = inWorld.map((one) => (inSeed.get(keyOf(one))?.item ? (inSeed.get(keyOf(one)) ?? one) : one));
  return best.flatMap(({ model, list, item }) => [
    list,
    ...(model.create ? [`${list}/new`] : []),
    ...(item === undefined ? [] : [item, ...(tabbed.includes(model.name) ? [`${item}?tab=properties`] : [])]),
    ...(item !== undefined && model.change ? [`${item}/edit`] : []),
  ]);
}

function keyOf({ model }: Addresses): string {
  return `${model.service} ${model.collection}`;
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
