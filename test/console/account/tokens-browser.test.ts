// The Token Manager in a real browser: tokens are created, shown once, saved, used and deleted, also by keyboard only.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { secondsOf } from '../../harness/alerts.ts';
import { addPerson, core } from '../../harness/people.ts';
import {
  assertReadable,
  copied,
  Desk,
  goTo,
  idOf,
  makeToken,
  picture,
  refusedCall,
  row,
  savedBy,
  signInBy,
  untilEqual,
  untilHolds,
  untilTrue,
  watchCopies,
} from '../harness/window.ts';

suite('the Token Manager in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('[AUTH-10] a token is created with a lifetime, shown once, saved as a file, used and deleted', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const { basic } = await addPerson(region);
      await watchCopies(page);
      await signInBy(page, region, basic, '/console/tokens');
      const token = await makeToken(page, '7 Days');
      await page.getByText('shown only once').waitFor();
      await picture(page, 'token-made');
      await assertReadable(page, 'the new token');
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('Copied.').waitFor();
      assert.equal(await copied(page), token);
      const file = await savedBy(page, () => page.getByRole('button', { name: 'Download' }).click());
      assert.deepEqual([file.name, file.content.toString()], [`cumulet-token-${idOf(token)}.txt`, `${token}\n`]);
      assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { token })).status, 200);
      await page.getByRole('button', { name: 'Done' }).click();
      await row(page, idOf(token)).getByText('in 7 days').waitFor();
      await untilTrue('the value is gone', async () => !(await page.content()).includes(token));
      await row(page, idOf(token))
        .getByRole('button', { name: `Delete token ${idOf(token)}` })
        .click();
      await page.getByRole('heading', { name: 'Delete this token?' }).waitFor();
      await picture(page, 'token-delete');
      await assertReadable(page, 'the question');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Token deleted.').waitFor();
      await row(page, idOf(token)).waitFor({ state: 'detached' });
      assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { token })).status, 401);
    });
  });

  test('[AUTH-03] a token can be created with each of the nine lifetimes', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const { basic } = await addPerson(region);
      await signInBy(page, region, basic, '/console/tokens');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByLabel('Lifetime').waitFor();
      const names = await page.getByLabel('Lifetime').locator('option').allTextContents();
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      const days = [1 / 24, 4 / 24, 1, 7, 30, 60, 90, 180, 365];
      assert.equal(names.length, days.length);
      for (const [at, name] of names.entries()) {
        const token = await makeToken(page, name);
        await page.getByRole('button', { name: 'Done' }).click();
        await page.locator('dialog').waitFor({ state: 'detached' });
        const { iat, exp } = claimsOf(token);
        assert.equal(exp - iat, Math.round((days[at] ?? 0) * 86_400), name);
      }
    });
  });

  test('[AUTH-04] the dialog shows the limit for the hundred-and-first token', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const { basic, token } = await addPerson(region);
      for (let count = 1; count < 100; count++)
        assert.equal((await region.call('GET', '/auth/v1/tokens/generate', undefined, { token })).status, 200);
      await signInBy(page, region, basic, '/console/tokens');
      await page.getByText('100 of 100 in use').waitFor();
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('alert').getByText('This user has 100 tokens').waitFor();
      await picture(page, 'token-limit');
      await assertReadable(page, 'the limit');
    });
  });

  test('the keyboard is enough to sign in, create and delete a token, and sign out', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const { basic } = await addPerson(region);
      const focused = (): Promise<string> =>
        page.evaluate('(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()');
      const tabTo = async (text: string): Promise<void> => {
        for (let count = 0; count < 40; count++) {
          await page.keyboard.press('Tab');
          if ((await focused()).startsWith(text)) return assertFocusShown(page, text);
        }
        assert.fail(`Tab does not reach ${text}`);
      };
      await page.goto(`${region.url}/console`);
      await page.getByLabel('E-mail').waitFor();
      await page.keyboard.type(basic.email); // the field has the focus
      await page.keyboard.press('Tab');
      await page.keyboard.type(basic.password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await untilEqual(focused, 'Overview');
      await page.reload();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.keyboard.press('Tab');
      await untilEqual(focused, 'Skip to content');
      await assertFocusShown(page, 'the way past the navigation');
      await picture(page, 'skip');
      await page.keyboard.press('Enter');
      await untilHolds(page, 'document.activeElement.id === "main"');
      await page.goto(`${region.url}/console`);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await tabTo('Tokens');
      await page.keyboard.press('Enter');
      await page.getByText(/in use$/).waitFor();
      await untilEqual(focused, 'Tokens');
      await tabTo('Create token');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await untilHolds(page, 'document.activeElement.name === "ttl"');
      await page.keyboard.press('Home');
      await tabTo('Create');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your new token' }).waitFor();
      const id = idOf(await page.getByLabel('Token', { exact: true }).inputValue());
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Close without saving it?' }).waitFor();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await untilEqual(focused, 'Create token', 'the focus is back where it was');
      await row(page, id).waitFor();
      await tabTo(`Delete token ${id}`);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await untilEqual(focused, 'Cancel', 'the way out comes first');
      await page.keyboard.press('Shift+Tab');
      await untilEqual(focused, 'Delete');
      await page.keyboard.press('Enter');
      await page.getByText('Token deleted.').waitFor(); // the toast disappears after a while
      await row(page, id).waitFor({ state: 'detached' });
      await page.goto(`${region.url}/console/tokens`);
      await page.getByText(/in use$/).waitFor();
      await tabTo('Sign out');
      await page.keyboard.press('Enter');
      await page.getByText('You have signed out.').waitFor();
    });
  });

  test("[AUTH-10] expired tokens are recognized by the region's clock and deleted together", async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const advance = (minutes: number) =>
        region.call('PUT', '/lab/clock', { advanceMs: Math.round(minutes * 60_000) });
      const { basic } = await addPerson(region);
      await signInBy(page, region, basic, '/console/tokens');
      const short = await makeToken(page, '1 Hour');
      await page.getByRole('button', { name: 'Done' }).click();
      const long = await makeToken(page, '1 Day');
      await page.getByRole('button', { name: 'Done' }).click();
      await row(page, idOf(long)).getByText('in 24 hours').waitFor();
      // An hour without a call would end the session. Minutes are rounded, so the text may change after a while.
      await advance((claimsOf(short).exp - (await secondsOf(region))) / 60 - 20.4);
      await goTo(page, 'Tokens');
      await row(page, idOf(short)).getByText('in 20 minutes').waitFor();
      const removal = page.getByRole('button', { name: 'Delete expired' });
      await untilTrue('nothing has expired', () => removal.isDisabled());
      await advance(40);
      await goTo(page, 'Tokens');
      await row(page, idOf(short)).getByText('Expired').waitFor();
      await page.getByText('2 of 100 in use, 1 expired').waitFor();
      await picture(page, 'tokens-expired');
      await assertReadable(page, 'expired tokens');
      await page.getByRole('button', { name: 'Delete expired' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete expired' }).click();
      await row(page, idOf(short)).waitFor({ state: 'detached' });
      assert.equal(await row(page, idOf(long)).count(), 1);
      await page.getByRole('button', { name: 'Delete all' }).click();
      await page.getByRole('heading', { name: 'Delete all 2 tokens?' }).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await untilHolds(page, 'document.activeElement.textContent === "Delete all"');
      await page.getByRole('button', { name: 'Delete all' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click();
      await page.getByText('There are no tokens yet.').waitFor();
    });
  });

  test('a region that does not answer is reported, and the user can try again', async (t) => {
    await desk.see(t, { expected: /ERR_INTERNET_DISCONNECTED/ }, async (page) => {
      await signInBy(page, desk.region, desk.region.owner);
      await page.context().setOffline(true);
      await goTo(page, 'Tokens');
      await page.getByRole('alert').getByText('The region does not answer.').waitFor();
      await picture(page, 'no-answer');
      await assertReadable(page, 'no answer');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('dialog').getByText('The region does not answer.').waitFor();
      await page.keyboard.press('Escape');
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText(/in use/).waitFor();
    });
  });
});

// In seconds.
const claimsOf = (token: string): Record<'iat' | 'exp', number> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<'iat' | 'exp', number>;

async function assertFocusShown(page: Page, what: string): Promise<void> {
  const ring = await page.evaluate('const { outline } = getComputedStyle(document.activeElement); outline');
  assert.match(String(ring), /solid [2-9]/, `the focus on ${what} can not be seen`);
}
