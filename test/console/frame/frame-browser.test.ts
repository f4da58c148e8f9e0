// Browser tests of the frame of all pages: the command palette, questions before unsaved changes are lost, the theme,
// scroll positions, and the notice of a moved clock.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Dialog, Page } from 'playwright-core';
import { until } from '../../../src/testing/waiting.ts';
import { pass } from '../../harness/alerts.ts';
import { addDatacenter, addServer } from '../../harness/landscape.ts';
import { addPerson } from '../../harness/people.ts';
import { assertAccessible } from '../harness/accessible.ts';
import { consoleS3, signIn } from '../harness/calls.ts';
import {
  assertReadable,
  copied,
  Desk,
  goTo,
  inLooks,
  looksOf,
  makeToken,
  picture,
  refusedCall,
  signInBy,
  signOut,
  untilEqual,
  untilHolds,
  watchCopies,
} from '../harness/window.ts';

const desk = new Desk();
before(() => desk.open());
after(() => desk.close());

suite('the palette in a browser', () => {
  async function openPalette(page: Page, text: string): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search pages' }).fill(text);
  }

  test('the palette stops a server by a command, finds a bucket and deletes a resource by its actions', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const path = await addServer(region, await addDatacenter(region), { name: 'web-1' });
      const stateOf = async (): Promise<unknown> => (await region.call('GET', path)).body.properties.vmState;
      assert.equal(await stateOf(), 'RUNNING');
      await signInBy(page, region, region.owner);

      await openPalette(page, 'start web-1');
      const start = page.getByRole('option', { name: 'Start web-1' });
      await start.getByText('The server is running.').waitFor();
      assert.equal(await start.getAttribute('aria-disabled'), 'true');
      await picture(page, 'palette-command');
      await assertReadable(page, 'a command');
      await assertAccessible(page, 'a command');
      await page.getByRole('combobox', { name: 'Search pages' }).fill('stop web-1');
      await page.getByRole('option', { name: 'Stop web-1' }).waitFor();
      await page.keyboard.press('Enter');
      const question = page.getByRole('dialog', { name: 'Stop: web-1?' });
      await question.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Stop web-1').waitFor();
      await until('the server stops', stateOf, (state) => state !== 'RUNNING');

      const owner = await signIn(region, region.owner);
      assert.equal((await owner.call<string>('PUT', consoleS3('pictures'))).status, 200);
      await openPalette(page, 'pictures');
      await page.getByRole('option', { name: 'pictures Bucket' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'pictures' }).waitFor();

      await openPalette(page, 'create server');
      await page.getByRole('option', { name: 'Create server Select datacenter' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('combobox', { name: 'Select datacenter' }).waitFor();
      await picture(page, 'palette-in-which');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Create server' }).waitFor();

      await openPalette(page, 'web-1');
      await page.getByRole('option', { name: /^web-1 Server in / }).waitFor();
      await page.keyboard.press('Tab');
      await page.getByRole('combobox', { name: 'Actions of web-1' }).waitFor();
      await page.getByRole('option', { name: /^Edit/ }).waitFor();
      await picture(page, 'palette-actions');
      await assertReadable(page, 'actions of a resource');
      await assertAccessible(page, 'actions of a resource');
      await page.keyboard.type('delete');
      await page.keyboard.press('Enter');
      const removal = page.getByRole('dialog', { name: 'Delete web-1?' });
      await removal.getByRole('button', { name: 'Delete' }).click();
      await untilEqual(async () => (await region.call('GET', path)).status, 404, path);
    });
  });
});

const formUrl = '/console/resources/cloudapi/datacenters/new';
const question = 'Leave without saving?';
const leaveDialog = (page: Page) => page.getByRole('dialog', { name: question });
// The element must be removed, not only hidden, so that the page has processed the answer.
const isAnswered = (page: Page): Promise<void> =>
  page.locator('dialog', { hasText: question }).waitFor({ state: 'detached' });
const isAt = (page: Page, path: string): Promise<void> =>
  untilHolds(page, `location.pathname === ${JSON.stringify(path)}`);
// Waits until the page has received the change.
const goBack = (page: Page): Promise<void> =>
  page.evaluate(`new Promise((heard) => {
    addEventListener('popstate', () => heard(), { once: true });
    history.back();
  })`);

suite('unsaved changes', () => {
  test('a form without changes, or with reverted ones, closes without a question', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, formUrl);
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('mine');
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('');
      await goTo(page, 'Tokens');
      await page.getByRole('heading', { name: 'Tokens' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Create datacenter' }).waitFor();
      await page.goBack({ waitUntil: 'commit' }).catch(() => undefined);
      assert.equal(await leaveDialog(page).count(), 0);
    });
  });

  test('a changed form asks once: for links, the palette, the Back button and the sign-out', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner);
      await goTo(page, 'Tokens');
      await page.getByRole('heading', { name: 'Tokens' }).waitFor();
      await page.evaluate(`{
        const link = Object.assign(document.createElement('a'), { href: '${formUrl}' });
        document.body.append(link);
        link.click();
        link.remove();
      }`);
      const name = page.getByRole('textbox', { name: 'Name', exact: true });
      await name.fill('mine');
      const stays = async (): Promise<void> => {
        await leaveDialog(page).waitFor();
        await untilHolds(page, 'document.activeElement.textContent === "Keep editing"');
        await page.keyboard.press('Enter');
        await isAnswered(page);
        await isAt(page, formUrl);
        await untilEqual(() => name.inputValue(), 'mine');
      };
      await goTo(page, 'Overview');
      await picture(page, 'unsaved');
      await assertReadable(page, 'the question');
      await assertAccessible(page, 'the question');
      await stays();
      await page.getByRole('link', { name: 'Cancel' }).click();
      await stays();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search pages' }).waitFor();
      await page.keyboard.type('Overview');
      await page.getByRole('option', { name: 'Overview', selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await stays();
      await goBack(page);
      await stays();
      await goBack(page);
      await leaveDialog(page).waitFor();
      await goBack(page);
      await isAt(page, formUrl);
      assert.equal(await leaveDialog(page).count(), 1, 'one question at a time');
      await stays();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await stays();
      await goBack(page);
      await leaveDialog(page).waitFor();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Tokens' }).waitFor();
      await isAt(page, '/console/tokens');
    });
  });

  test('the browser asks before the tab is closed, but not after the form was sent', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, formUrl);
      const kinds: string[] = [];
      page.on('dialog', (dialog: Dialog) => {
        kinds.push(dialog.type());
        void dialog.dismiss(); // the answer is to stay
      });
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('mine');
      const asks = page.waitForEvent('dialog');
      await page.evaluate('setTimeout(() => location.reload())');
      await asks;
      await page.getByLabel('Location').selectOption('de/fra');
      await page.getByRole('button', { name: 'Create datacenter' }).click();
      await page.getByRole('heading', { name: 'mine', exact: true }).waitFor();
      await goTo(page, 'Overview');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      assert.deepEqual(kinds, ['beforeunload']);
    });
  });

  test('Escape closes a dialog at once, but asks if its form was changed', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/tokens');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByLabel('Lifetime').selectOption('1 Hour');
      // Every time, although the browser itself lets the page ask only once.
      for (const round of [1, 2, 3]) {
        await page.keyboard.press('Escape');
        await leaveDialog(page).waitFor();
        await page.keyboard.press('Escape');
        await isAnswered(page);
        assert.equal(await page.getByRole('dialog', { name: 'Create token' }).count(), 1, `round ${round}`);
      }
      await page.keyboard.press('Escape');
      await leaveDialog(page).getByRole('button', { name: 'Leave' }).click();
      await page.locator('dialog').waitFor({ state: 'detached' });
    });
  });

  test('Escape asks before a secret that was not copied is lost', async (t) => {
    await desk.see(t, {}, async (page) => {
      await watchCopies(page);
      await signInBy(page, desk.region, desk.region.owner, '/console/tokens');
      const token = await makeToken(page, '1 Hour');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Close without saving it?' }).waitFor();
      await assertAccessible(page, 'the question about a secret');
      await page.keyboard.press('Enter');
      await untilEqual(() => page.getByLabel('Token', { exact: true }).inputValue(), token);
      await page.getByRole('button', { name: 'Copy: Token' }).click();
      await page.getByText('Copied.').waitFor();
      assert.equal(await copied(page), token);
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    });
  });
});

const hourMs = 3_600_000;

// Records the background colour of the page in each frame from the first one on.
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
  test('a theme that differs from the system applies to all pages from the first frame on', async (t) => {
    await desk.see(t, { colorScheme: 'light', reducedMotion: 'reduce' }, async (page) => {
      const { region } = desk;
      await page.addInitScript(watchGround);
      await signInBy(page, region, region.owner);
      await untilEqual(() => looks(page), ['system', [light]]);
      await page.getByLabel('Theme').selectOption('Dark');
      await untilHolds(page, `window.grounds.has('${dark}')`);
      await picture(page, 'theme-dark');
      await assertReadable(page, 'dark, though the system is light');
      for (const path of ['/console/tokens', '/docs', '/docs/cloudapi', '/console']) {
        await page.goto(region.url + path);
        await page.getByLabel('Theme').waitFor();
        await untilEqual(() => looks(page), ['dark', [dark]], path);
      }
      await page.getByLabel('Theme').selectOption('System');
      await page.reload();
      await page.getByLabel('Theme').waitFor();
      await untilEqual(() => looks(page), ['system', [light]]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await untilHolds(page, `window.grounds.has('${dark}')`);
    });
  });

  test('each user of a browser has a separate theme', async (t) => {
    // Pending calls of the page are refused after a sign-out.
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
      await untilEqual(() => chosen(page), 'light');
    });
  });

  test('Back restores the scroll position of a list, and truncated text gets a tooltip', async (t) => {
    await desk.see(t, { viewport: { width: 1280, height: 600 } }, async (page) => {
      const { region } = desk;
      const name = 'w'.repeat(200);
      const properties = { name, location: 'de/txl', size: 1 };
      assert.equal((await region.call('POST', '/cloudapi/v6/ipblocks', { properties })).status, 202);
      await signInBy(page, region, region.owner, '/console/resources/cloudapi/ipblocks');
      const cell = page.getByRole('gridcell', { name, exact: true });
      await cell.hover();
      await untilEqual(() => cell.getAttribute('title'), name);
      await goTo(page, 'Images');
      const scrolled = (): Promise<unknown> => page.evaluate(`document.querySelector('.long-box')?.scrollTop`);
      await page.locator('.long-rows a').first().waitFor();
      await page.evaluate(`document.querySelector('.long-box').scrollTo(0, 900)`);
      await page.locator('[data-at="30"] a').dispatchEvent('click'); // a real click could scroll
      await page.getByRole('link', { name: 'Properties' }).waitFor();
      await page.goBack();
      await untilEqual(scrolled, 900);
    });
  });

  test('the navigation fits into 900 pixels; its groups collapse, also by keyboard, and stay collapsed', async (t) => {
    await desk.see(t, { viewport: { width: 1280, height: 900 } }, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/design');
      await untilHolds(
        page,
        `(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.getElementById('navigation'))`,
      );
      const servers = page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Servers' });
      const compute = page.locator('summary', { hasText: 'Compute' });
      await compute.focus();
      await page.keyboard.press('Enter');
      await servers.waitFor({ state: 'hidden' });
      await page.reload();
      await compute.waitFor();
      assert.equal(await servers.isVisible(), false);
      await compute.click();
      await servers.waitFor();
    });
  });

  test('the page of the design tokens shows both themes', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/design');
      const grounds = `[...document.querySelectorAll('.design-theme')].map((one) => getComputedStyle(one).backgroundColor)`;
      await page.getByRole('heading', { name: 'Chart lines' }).first().waitFor();
      assert.deepEqual(await page.evaluate(grounds), ['rgb(247, 248, 250)', 'rgb(18, 22, 28)']);
      assert.equal(await page.getByRole('region', { name: 'The dark theme' }).getByText('line-9').count(), 1);
      await inLooks(page, looksOf(1280, 360), async (look) => {
        await picture(page, `design-${look}`);
        await assertReadable(page, `the design page, ${look}`);
      });
    });
  });

  test('every page shows that the lab has moved the clock, with a link to the lab', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const notice = page.getByRole('link', { name: /^Clock moved/ });
      await signInBy(page, region, region.owner);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      assert.equal(await notice.count(), 0);
      await pass(region, 26 * hourMs);
      await signInBy(page, region, region.owner); // the moved clock has ended the session
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
