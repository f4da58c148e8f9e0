// The account page, the second step of the sign-in, and live updates in a real browser.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addContract, addPerson, changePerson, core, joinContract } from '../../harness/people.ts';
import { createDone } from '../../harness/region.ts';
import { assertAccessible } from '../harness/accessible.ts';
import { Authenticator, setUp } from '../harness/authenticator.ts';
import { signIn } from '../harness/calls.ts';
import {
  assertReadable,
  Desk,
  picture,
  refusedCall,
  row,
  signInBy,
  signOut,
  untilEqual,
  untilHolds,
} from '../harness/window.ts';

const secretIn = async (page: Page): Promise<string> =>
  (await page.getByLabel('Secret', { exact: true }).inputValue()).replaceAll(' ', '');

// Decodes the QR code from its drawn modules.
const drawnModules = (page: Page): Promise<unknown> =>
  page.evaluate("document.querySelector('.account-qr path').getAttribute('d').length");

async function passwordStep(page: Page, url: string, { email, password }: { email: string; password: string }) {
  await page.goto(`${url}/console/account`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

suite('the account page in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('2FA is set up by QR code, required at the sign-in and switched off; sessions can be ended', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const hostile = { firstname: '<img src=x onerror=alert(1)>', lastname: '\u202eevil'.padEnd(200, 'x') };
      const person = await addPerson(region, hostile);
      const other = await signIn(region, person.basic);
      await signInBy(page, region, person.basic);
      await page.getByRole('link', { name: person.basic.email }).click();
      await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
      await row(page, 'This browser').waitFor();
      await picture(page, 'account');
      await assertReadable(page, 'the account page');
      await assertAccessible(page, 'the account page');
      await page.getByRole('button', { name: 'Set up 2FA' }).click();
      await untilHolds(page, 'document.activeElement.name === "password"');
      await page.keyboard.type('wrong');
      await page.keyboard.press('Enter');
      await page.getByText('The password is wrong').waitFor();
      await picture(page, 'account-set-up-password');
      await assertAccessible(page, 'the password before 2FA');
      await page.getByRole('dialog').getByLabel('Password').fill(person.basic.password);
      await page.keyboard.press('Enter');
      await page.getByLabel('QR code of the secret').waitFor();
      await untilHolds(page, 'document.activeElement.name === "code"');
      assert.ok(Number(await drawnModules(page)) > 1000);
      await picture(page, 'account-set-up');
      await assertReadable(page, 'the dialog of 2FA');
      await assertAccessible(page, 'the dialog of 2FA');
      const app = new Authenticator(await secretIn(page));
      await page.keyboard.type(app.wrong());
      await page.keyboard.press('Enter');
      await page.getByText('The code is wrong, or was used already').waitFor();
      await page.getByLabel('Code from the app').fill(app.next());
      await page.keyboard.press('Enter');
      const [code = '', ...rest] = (await page.getByRole('textbox', { name: 'Recovery codes' }).inputValue()).split(
        '\n',
      );
      assert.equal(rest.length, 9);
      await page.keyboard.press('Escape'); // closing asks first, because the codes are shown only once
      await page.getByRole('button', { name: 'Go back' }).click();
      await picture(page, 'account-recovery-codes');
      await assertReadable(page, 'the recovery codes');
      await assertAccessible(page, 'the recovery codes');
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByText('10 recovery codes are left.').waitFor();
      assert.equal(await other.statusOf(), 401);
      await signOut(page);

      await passwordStep(page, region.url, person.basic);
      await page.getByRole('heading', { name: 'Second step' }).waitFor();
      await untilHolds(page, 'document.activeElement.name === "code"');
      await picture(page, 'sign-in-code');
      await assertReadable(page, 'the second step');
      await assertAccessible(page, 'the second step');
      await page.keyboard.type(code);
      await page.keyboard.press('Enter');
      await page.getByText('9 recovery codes are left.').waitFor();
      await row(page, 'This browser').getByText('with password and code').waitFor();
      await page.getByRole('button', { name: 'Switch off' }).click();
      await page.getByRole('dialog').getByLabel('Code', { exact: true }).fill(app.next());
      await page.keyboard.press('Enter');
      await page.getByText('2FA is off.').waitFor();
      await page.getByRole('button', { name: 'Set up 2FA' }).waitFor();

      const [one, two] = [await signIn(region, person.basic), await signIn(region, person.basic)];
      await page.reload();
      await row(page, 'Unknown program').first().getByRole('button', { name: 'End' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
      await page.getByText('Session ended.').waitFor();
      assert.deepEqual([await one.statusOf(), await two.statusOf()].sort(), [200, 401]);
      await page.getByRole('button', { name: 'End all others' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
      await page.getByText('Other sessions ended.').waitFor();
      assert.deepEqual([await one.statusOf(), await two.statusOf()], [401, 401]);

      await page.getByLabel('Your password').fill('wrong');
      await page.getByLabel('New password').fill('Another-Password-1');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('The password is wrong').waitFor();
      await page.getByLabel('Your password').fill(person.basic.password);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Password changed.').waitFor();
      await untilEqual(() => page.getByLabel('New password').inputValue(), '');
      await signIn(region, { ...person.basic, password: 'Another-Password-1' });
    });
  });

  test('required 2FA is set up at the sign-in, in a narrow and dark window', async (t) => {
    await desk.see(t, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }, async (page) => {
      const { region } = desk;
      const person = await addPerson(region);
      await changePerson(region, person, { forceSecAuth: true });
      await passwordStep(page, region.url, person.basic);
      await page.getByRole('heading', { name: 'Set up 2FA' }).waitFor();
      await page.getByLabel('QR code of the secret').waitFor();
      await picture(page, 'sign-in-set-up-narrow');
      await assertReadable(page, '2FA at the sign-in');
      await assertAccessible(page, '2FA at the sign-in');
      await page.getByLabel('Code from the app').fill(new Authenticator(await secretIn(page)).next());
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByText('An administrator requires 2FA').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Switch off' }).isDisabled());
      await picture(page, 'account-narrow');
      await assertReadable(page, 'the narrow account page');
      await assertAccessible(page, 'the narrow account page');
    });
  });

  test("administrators reset a user's 2FA on the user's page", async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const person = await addPerson(region);
      await setUp(await signIn(region, person.basic), person.basic);
      await signInBy(page, region, region.owner, `/console/resources/cloudapi/um/users/${person.user.id}?tab=2fa`);
      await page.getByText('An authenticator is set up.').waitFor();
      await picture(page, 'user-2fa');
      await assertReadable(page, "a user's 2FA");
      await assertAccessible(page, "a user's 2FA");
      await page.getByRole('button', { name: 'Reset 2FA' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
      await page.getByText('No authenticator is set up.').waitFor();
      await joinContract(region, person, await addContract(region, 31_000_078));
      await setUp(await signIn(region, person.basic), person.basic);
      await page.reload();
      await page.getByText('or the operator resets their 2FA').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Reset 2FA' }).count(), 0);
      await picture(page, 'user-2fa-refused');
      await assertReadable(page, '2FA that others have to reset');
    });
  });

  test('a page shows changes between its load and the start of its event stream', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const make = (name: string) =>
        createDone(region, `${core}/datacenters`, { properties: { name, location: 'de/txl' } });
      await make('made before');
      const held = Promise.withResolvers<void>();
      await page.route('**/console/events', async (route) => {
        await held.promise;
        await route.continue();
      });
      await signInBy(page, region, region.owner, '/console/resources/cloudapi/datacenters');
      await page.getByText('made before').first().waitFor();
      await make('made later');
      held.resolve();
      await page.getByText('made later').first().waitFor();
    });
  });

  test('a page shows changes by others, and a session that is ended in another browser signs out', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const person = await addPerson(region, { administrator: true });
      await signInBy(page, region, person.basic, '/console/resources/cloudapi/datacenters');
      await page.getByRole('heading', { name: 'Datacenters' }).waitFor();
      await createDone(region, `${core}/datacenters`, { properties: { name: 'made elsewhere', location: 'de/txl' } });
      await page.getByText('made elsewhere').first().waitFor();
      const otherSession = await signIn(region, person.basic);
      assert.equal((await otherSession.call('DELETE', '/console/sessions')).status, 200);
      await page.getByText('Your session has ended. Sign in again.').waitFor();
    });
  });
});
