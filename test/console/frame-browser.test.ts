// The frame of every page in a real browser: the theme, the way back, and the region's clock where it was moved.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { pass } from '../harness/alerts.ts';
import { addPerson } from '../harness/people.ts';
import {
  assertReadable,
  Desk,
  goTo,
  picture,
  refusedCall,
  signInBy,
  signOut,
  untilEqual,
  untilHolds,
} from './window.ts';

const hourMs = 3_600_000;

// Keeps the ground of the page as it is in each frame from the first one on.
const watchGround = `
  window.grounds = new Set();
  const look = () => {
    if (document.body) window.grounds.add(getComputedStyle(document.documentElement).backgroundColor);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

const light = 'rgb(247, 248, 250)';
const dark = 'rgb(18, 22, 28)';

const grounds = async (page: Page): Promise<unknown> => page.evaluate('[...window.grounds]');
const chosen = (page: Page): Promise<string> => page.getByLabel('Theme').inputValue();
const looks = async (page: Page): Promise<unknown> => [await chosen(page), await grounds(page)];

suite('the frame of the pages in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('a theme is chosen against the system’s, on all pages, and is there from the first frame on', async (t) => {
    await desk.see(t, { colorScheme: 'light', reducedMotion: 'reduce' }, async (page) => {
      const { region } = desk;
      await page.addInitScript(watchGround);
      await signInBy(page, region, region.owner);
      await untilEqual(page, () => looks(page), ['system', [light]]);
      await page.getByLabel('Theme').selectOption('Dark');
      await untilHolds(page, `window.grounds.has('${dark}')`);
      await picture(page, 'theme-dark');
      await assertReadable(page, 'dark, though the system is light');
      for (const path of ['/console/tokens', '/docs', '/docs/cloudapi', '/console']) {
        await page.goto(region.url + path);
        await page.getByLabel('Theme').waitFor();
        await untilEqual(page, () => looks(page), ['dark', [dark]], path);
      }
      await page.getByLabel('Theme').selectOption('System');
      await page.reload();
      await page.getByLabel('Theme').waitFor();
      await untilEqual(page, () => looks(page), ['system', [light]]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await untilHolds(page, `window.grounds.has('${dark}')`);
    });
  });

  test('each user of a browser has a theme of their own', async (t) => {
    // Calls of the page that are under way when somebody signs out are refused.
    await desk.see(t, { colorScheme: 'dark', expected: refusedCall }, async (page) => {
      const { region } = desk;
      const { basic } = await addPerson(region);
      await signInBy(page, region, region.owner);
      await page.getByLabel('Theme').selectOption('Light');
      await signOut(page);
      await signInBy(page, region, basic);
      await page.getByLabel('Theme').selectOption('Dark');
      await signOut(page);
      await signInBy(page, region, region.owner);
      await untilEqual(page, () => chosen(page), 'light');
    });
  });

  test('the way back leads to where a list was scrolled to, and text that is cut off is told whole', async (t) => {
    await desk.see(t, { viewport: { width: 1280, height: 600 } }, async (page) => {
      const { region } = desk;
      const name = 'w'.repeat(200);
      const properties = { name, location: 'de/txl', size: 1 };
      assert.equal((await region.call('POST', '/cloudapi/v6/ipblocks', { properties })).status, 202);
      await signInBy(page, region, region.owner, '/console/resources/cloudapi/ipblocks');
      const cell = page.getByRole('gridcell', { name, exact: true });
      await cell.hover();
      await untilEqual(page, () => cell.getAttribute('title'), name);
      await goTo(page, 'Images');
      const scrolled = (): Promise<unknown> => page.evaluate(`document.querySelector('.long-box')?.scrollTop`);
      await page.locator('.long-rows a').first().waitFor();
      await page.evaluate(`document.querySelector('.long-box').scrollTo(0, 900)`);
      await page.locator('[data-at="30"] a').dispatchEvent('click'); // a real click could scroll
      await page.getByRole('link', { name: 'Properties' }).waitFor();
      await page.goBack();
      await untilEqual(page, scrolled, 900);
    });
  });

  test('a clock that the lab has moved is told on every page, with a link to where it is moved', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const notice = page.getByRole('link', { name: /^Clock moved/ });
      await signInBy(page, region, region.owner);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      assert.equal(await notice.count(), 0);
      await pass(region, 26 * hourMs);
      await signInBy(page, region, region.owner); // the session has ended meanwhile
      for (const part of ['Tokens', 'Monitoring', 'Overview']) {
        await goTo(page, part);
        await page.getByText('Clock moved: 1 day 2 hours ahead').waitFor();
      }
      await pass(region, hourMs / 2);
      await goTo(page, 'Tokens');
      await page.getByText('Clock moved: 1 day 2 hours ahead').waitFor();
      await picture(page, 'clock-moved');
      await assertReadable(page, 'a clock that was moved');
      await notice.click();
      await page.getByText('1 day 2 hours ahead of this machine').waitFor();
      await notice.waitFor();
    });
  });
});
