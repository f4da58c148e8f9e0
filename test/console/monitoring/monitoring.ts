// Shared parts of the dashboards' browser tests: a pipeline with an hour of known samples, and locators.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { body1, remoteWrite1, type Sent } from '../../clients/promql/remote-write.ts';
import { secondsOf } from '../../harness/alerts.ts';
import { plainText } from '../../harness/metrics.ts';
import type { Owner, Region } from '../../harness/region.ts';
import { signInBy, untilTrue } from '../harness/window.ts';

export interface PipelineView {
  id: string;
  name: string;
  key: string;
  endpoint: string;
  dashboard: string; // its grafanaEndpoint, without the origin
  push(text: string, key?: string): Promise<number>; // in the text format; returns the status
}

let pipelines = 0;

export async function shownPipeline(region: Region, place: string): Promise<PipelineView> {
  const name = `pipeline ${++pipelines}`;
  const { status, body } = await region.call('POST', `/${place}/monitoring/pipelines`, { properties: { name } });
  assert.equal(status, 202, JSON.stringify(body));
  const { key, httpEndpoint, grafanaEndpoint } = body.metadata as Record<string, string>;
  assert.ok(key && httpEndpoint && grafanaEndpoint);
  const { pathname } = new URL(httpEndpoint);
  const dashboard = new URL(grafanaEndpoint);
  return {
    id: body.id,
    name,
    key,
    endpoint: httpEndpoint,
    dashboard: dashboard.pathname + dashboard.search,
    async push(text, apikey = key) {
      const headers = { ...plainText, apikey };
      return (await region.call('POST', `${pathname}/api/v1/push`, text, { token: null, headers })).status;
    },
  };
}

const stepS = 15;
const samples = 240;

const described = `# HELP jobs_total Jobs that ended.
# TYPE jobs_total counter
# HELP memory_bytes Memory in use.
# TYPE memory_bytes gauge
# HELP took_seconds How long jobs take.
# TYPE took_seconds histogram
took_seconds_bucket{le="+Inf"} 0 AGO
took_seconds_count 0 AGO
took_seconds_sum 0 AGO
`;

// An hour until now: two queues with 4 jobs a second each, memory of 1.5 MiB and more, jobs that take half a second.
export async function fill(region: Region, pipeline: PipelineView): Promise<void> {
  const endS = Math.floor(await secondsOf(region));
  const series = (labels: Record<string, string>, valueAt: (at: number) => number): Sent => ({
    labels: Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)),
    points: Array.from({ length: samples }, (_, at) => [(endS - (samples - 1 - at) * stepS) * 1000, valueAt(at)]),
  });
  const counted = (at: number): number => at * stepS * 4;
  const body = body1([
    ...['mail', 'print'].map((queue) => series({ __name__: 'jobs_total', queue }, counted)),
    series({ __name__: 'memory_bytes', host: 'a' }, () => 1.5 * 2 ** 20),
    series({ __name__: 'memory_bytes', host: 'b' }, (at) => (2 + Math.sin(at / 20)) * 2 ** 20),
    ...['0.25', '0.75', '1', '+Inf'].map((le) =>
      series({ __name__: 'took_seconds_bucket', le }, (at) => (le === '0.25' ? 0 : counted(at))),
    ),
    series({ __name__: 'took_seconds_count' }, counted),
    series({ __name__: 'took_seconds_sum' }, (at) => counted(at) / 2),
  ]);
  assert.equal(await pipeline.push(described.replaceAll('AGO', String((endS - 3 * 3600) * 1000))), 204);
  const headers = { ...remoteWrite1, apikey: pipeline.key };
  const path = `${new URL(pipeline.endpoint).pathname}/api/v1/push`;
  const { status, body: answer } = await region.call('POST', path, body, { token: null, headers });
  assert.equal(status, 204, JSON.stringify(answer));
}

export async function openDashboard(page: Page, region: Region, who: Owner, path: string): Promise<void> {
  await signInBy(page, region, who, path);
  await page.getByRole('heading', { name: 'Pipelines' }).waitFor();
}

export const explorer = (page: Page): Locator => page.getByRole('region', { name: 'Explore' });

export async function chooseMetric(page: Page, name: string): Promise<void> {
  await explorer(page).getByRole('combobox', { name: 'Metric' }).fill(name);
  await page.keyboard.press('Enter');
}

export async function writeExpression(page: Page, text: string): Promise<void> {
  await explorer(page).getByRole('textbox', { name: 'Expression' }).first().fill(text);
  await page.keyboard.press('Enter');
}

// The legend's row of a series.
export const lineRow = (place: Locator, name: string): Locator =>
  place.locator('.lines tbody tr, .compact-legend li').filter({ hasText: name });

// Chooses an entry of a menu.
export async function pick(place: Locator | Page, menu: string | RegExp, entry: string): Promise<void> {
  await place.getByRole('button', { name: menu, exact: typeof menu === 'string' }).click();
  await place.getByRole('menuitem', { name: entry }).click();
}

export const panelMenu = /^Menu of /;

interface Canvas {
  width: number;
  height: number;
  style: { color: string };
  getContext(kind: '2d'): { getImageData(...box: number[]): { data: Uint8ClampedArray } };
}

interface Sight {
  getComputedStyle(canvas: unknown): { color: string };
}

// How many pixels of the canvas have the colour of that line.
export const drawnPixels = (place: Locator, line: number): Promise<number> =>
  place.locator('canvas').evaluate((element, variable) => {
    const canvas = element as unknown as Canvas;
    canvas.style.color = `var(${variable})`;
    const { color } = (globalThis as unknown as Sight).getComputedStyle(canvas);
    const wanted = (color.match(/\d+/g) ?? []).map(Number);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const isNear = (at: number): boolean =>
      wanted.every((value, index) => Math.abs((data[at + index] ?? 0) - value) < 12);
    let found = 0;
    for (let at = 0; at < data.length; at += 4) if ((data[at + 3] ?? 0) > 200 && isNear(at)) found += 1;
    return found;
  }, `--line-${line}`);

// A chart is drawn a frame after its legend.
export const isDrawn = (place: Locator, line: number, least = 200): Promise<void> =>
  untilTrue(`line ${line} is drawn`, async () => (await drawnPixels(place, line)) > least);

// A screenshot of the whole page, if screenshots are stored.
export async function wholePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.CUMULET_SHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

// Presses Tab until the element with this name has the focus.
export async function tabTo(page: Page, text: string): Promise<void> {
  const named =
    '(() => { const { activeElement: one } = document; return one.ariaLabel ?? one.labels?.[0]?.textContent ?? one.textContent })()';
  for (let count = 0; count < 80; count++) {
    await page.keyboard.press('Tab');
    if (
      String(await page.evaluate(named))
        .trim()
        .startsWith(text)
    ) {
      const ring = await page.evaluate('const { outline } = getComputedStyle(document.activeElement); outline');
      assert.match(String(ring), /solid [2-9]/, `the focus on ${text} can not be seen`);
      return;
    }
  }
  assert.fail(`Tab does not reach ${text}`);
}
