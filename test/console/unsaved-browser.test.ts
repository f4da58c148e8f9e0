// Forms that were changed and secrets that are shown once, in a browser: nobody loses them without being asked.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Dialog, Page } from 'playwright-core';
import { assertAccessible } from './accessible.ts';
import { assertReadable, Desk, goTo, makeToken, picture, signInBy, untilEqual, untilHolds } from './window.ts';

const formUrl = '/console/resources/cloudapi/datacenters/new';
const question = 'Leave without saving?';
const asked = (page: Page) => page.getByRole('dialog', { name: question });
// Not only hidden: the page has taken note of the answer.
const isAnswered = (page: Page): Promise<void> =>
  page.locator('dialog', { hasText: question }).waitFor({ state: 'detached' });
const isAt = (page: Page, path: string): Promise<void> =>
  untilHolds(page, `location.pathname === ${JSON.stringify(path)}`);
// Until the page has heard of it, which comes later: what is done before would come first.
const goBack = (page: Page): Promise<void> =>
  page.evaluate(`new Promise((heard) => {
    addEventListener('popstate', () => heard(), { once: true });
    history.back();
  })`);

suite('what is not saved', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('a form is left without a question when nothing was changed, or it was changed back', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, formUrl);
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('mine');
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('');
      await goTo(page, 'Tokens');
      await page.getByRole('heading', { name: 'Tokens' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'New datacenter' }).waitFor();
      await page.goBack({ waitUntil: 'commit' }).catch(() => undefined);
      assert.equal(await asked(page).count(), 0);
    });
  });

  test('a changed form asks once: for links, the palette, the back button and the sign-out', async (t) => {
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
        await asked(page).waitFor();
        await untilHolds(page, 'document.activeElement.textContent === "Keep editing"');
        await page.keyboard.press('Enter');
        await isAnswered(page);
        await isAt(page, formUrl);
        await untilEqual(page, () => name.inputValue(), 'mine');
      };
      await goTo(page, 'Overview');
      await picture(page, 'unsaved');
      await assertReadable(page, 'the question');
      await assertAccessible(page, 'the question');
      await stays();
      await page.getByRole('link', { name: 'Cancel' }).click();
      await stays();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Pages, things' }).waitFor();
      await page.keyboard.type('Overview');
      await page.getByRole('option', { name: 'Overview', selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await stays();
      await goBack(page);
      await stays();
      await goBack(page);
      await asked(page).waitFor();
      await goBack(page);
      await isAt(page, formUrl);
      assert.equal(await asked(page).count(), 1, 'one question at a time');
      await stays();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await stays();
      await goBack(page);
      await asked(page).waitFor();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Tokens' }).waitFor();
      await isAt(page, '/console/tokens');
    });
  });

  test('the browser asks before the tab is closed, and nobody after the form was sent', async (t) => {
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

  test('Escape closes a dialog at once, but asks when its form was changed', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/tokens');
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByLabel('Lifetime').selectOption('1 Hour');
      // However often: the browser itself would let the page ask once only.
      for (const round of [1, 2, 3]) {
        await page.keyboard.press('Escape');
        await asked(page).waitFor();
        await page.keyboard.press('Escape');
        await isAnswered(page);
        assert.equal(await page.getByRole('dialog', { name: 'New token' }).count(), 1, `round ${round}`);
      }
      await page.keyboard.press('Escape');
      await asked(page).getByRole('button', { name: 'Leave' }).click();
      await page.locator('dialog').waitFor({ state: 'detached' });
    });
  });

  test('a secret that is shown once is not lost by Escape before it was copied', async (t) => {
    await desk.see(t, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/tokens');
      const token = await makeToken(page, '1 Hour');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Close without saving it?' }).waitFor();
      await assertAccessible(page, 'the question about a secret');
      await page.keyboard.press('Enter');
      await untilEqual(page, () => page.getByLabel('Token', { exact: true }).inputValue(), token);
      await page.getByRole('button', { name: 'Copy: Token' }).click();
      await page.getByText('Copied.').waitFor();
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), token);
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    });
  });
});
