// Browser tests of the console: sign-in, navigation and session protection, by mouse or by keyboard alone, in light and
// dark themes, in wide and narrow windows.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { addPerson, changePerson, core } from '../../harness/people.ts';
import { cumulet } from '../../harness/process.ts';
import type { Region } from '../../harness/region.ts';
import { assertAccessible } from '../harness/accessible.ts';
import {
  assertReadable,
  Desk,
  goTo,
  idOf,
  inLooks,
  looksOf,
  makeToken,
  picture,
  refusedCall,
  row,
  signInBy,
  signOut,
  untilEqual,
  untilHolds,
} from '../harness/window.ts';

suite('the console in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('[AUTH-10] all pages are readable in light and dark, in wide and narrow windows', async (t) => {
    await desk.see(t, { reducedMotion: 'reduce' }, async (page) => {
      const { region } = desk;
      const isReadable = (where: string): Promise<void> =>
        inLooks(page, looksOf(1280, 360), async (look) => {
          await picture(page, `${where}-${look}`);
          await assertReadable(page, `${where}, ${look}`);
          const ground = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
          assert.equal(Number(/\d+/.exec(ground)?.[0]) < 100, look.startsWith('dark'), ground);
        });
      await page.goto(region.url);
      await page.getByLabel('E-mail').waitFor();
      assert.equal(new URL(page.url()).pathname, '/console');
      await isReadable('sign-in');
      await signInBy(page, region, region.owner);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await isReadable('overview');
      await page.setViewportSize({ width: 360, height: 900 });
      await goTo(page, 'Tokens');
      await page.getByRole('row').first().waitFor({ state: 'attached' });
      await isReadable('tokens');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('dialog').waitFor();
      await isReadable('new token');
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await page.setViewportSize({ width: 1280, height: 900 });
      await goTo(page, 'Monitoring');
      await page.getByRole('heading', { name: 'Monitoring' }).waitFor();
      await isReadable('monitoring');
    });
  });

  test('a wrong password shows an error, the right one opens the requested page', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const { basic } = await addPerson(region);
      await page.goto(`${region.url}/console/tokens`);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await untilHolds(page, 'document.activeElement.name === "email"'); // the first empty field has the focus
      await page.getByLabel('E-mail').fill(basic.email);
      await page.getByLabel('Password').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByText('wrong e-mail or password').waitFor();
      await picture(page, 'sign-in-wrong');
      await assertReadable(page, 'a wrong password');
      await page.getByLabel('Password').fill(basic.password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Tokens' }).waitFor();
      await untilEqual(() => page.title(), 'Tokens · Cumulet');
      const [cookie, ...others] = await page.context().cookies();
      assert.deepEqual(others, []);
      assert.deepEqual(
        [cookie?.httpOnly, cookie?.sameSite, cookie?.path, cookie?.secure],
        [true, 'Strict', '/', false],
      );
      // The key is worthless without the cookie.
      assert.equal(await page.evaluate('document.cookie + Object.keys(localStorage)'), 'page-key');
      await page.reload();
      await page.getByRole('heading', { name: 'Tokens' }).waitFor();
      await signOut(page);
      await page.reload();
      await page.getByLabel('E-mail').waitFor();
    });
  });

  test('the sign-in page shows where a generated password is', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const facts = await region.call<object>('GET', '/console/facts', undefined, { token: null });
      assert.ok(!('ownerFile' in facts.body), 'the caller has chosen the password of this region');
      const command = page.getByRole('region', { name: 'First sign-in' });
      await page.goto(`${region.url}/console`);
      await page.getByLabel('E-mail').waitFor();
      assert.equal(await command.count(), 0);
      await page.route('**/console/facts', (route) =>
        route.fulfill({ json: { ...facts.body, ownerFile: '/a b/o.json' } }),
      );
      await page.reload();
      await command.getByText("cat '/a b/o.json'").waitFor();
      await inLooks(page, looksOf(1280, 360), async (look) => {
        await picture(page, `sign-in-hint-${look}`);
        await assertReadable(page, `the sign-in page, ${look}`);
        await assertAccessible(page, `the sign-in page, ${look}`);
      });
    });
  });

  test('password guessing is throttled', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const { basic } = await addPerson(region);
      const guess = (password: string) =>
        region.call('GET', `${core}/datacenters`, undefined, { basic: { ...basic, password } });
      await page.goto(`${region.url}/console`);
      await page.getByLabel('E-mail').fill(basic.email);
      await page.getByLabel('Password').fill(basic.password);
      // The last check, because the wait is short.
      for (let count = 0; (await guess(`wrong ${count}`)).status === 401; count++) assert.ok(count < 60);
      await page.keyboard.press('Enter');
      await page.getByText('Too many failed log-ins. Wait before you try again.').waitFor();
    });
  });

  test('an account with 2FA is asked to sign in by token, and can do so', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const person = await addPerson(region);
      await changePerson(region, person, { secAuthActive: true });
      await page.goto(`${region.url}/console`);
      await page.getByLabel('E-mail').fill(person.basic.email);
      await page.getByLabel('Password').fill(person.basic.password);
      await page.keyboard.press('Enter');
      await page.getByText('This account has 2FA').waitFor();
      await picture(page, 'sign-in-token');
      await assertReadable(page, 'sign-in with a token');
      await page.getByLabel('Bearer token').fill(person.token);
      await page.keyboard.press('Enter');
      await goTo(page, 'Tokens');
      await row(page, idOf(person.token)).getByText('Current').waitFor();
      await picture(page, 'tokens-current');
      await page.getByRole('button', { name: 'Delete all' }).click();
      await page.getByText('so you will be signed out').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click();
      await page.getByText('Your session has ended').waitFor();
    });
  });

  test('a user of two contracts selects one and sees its resources', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const both = { email: 'both@example.com', password: 'Person-Of-Two-1' };
      await add(region, ['user', 'add', '--email', both.email, '--password', both.password]);
      await add(region, ['contract', 'add', '--number', '31000222', '--owner', both.email]);
      await signInBy(page, region, both);
      await goTo(page, 'Account');
      await page.getByText(`user of contract ${region.contract}`).waitFor();
      await page.getByLabel('Contract').selectOption('31000222');
      await page.getByText('owner of contract 31000222').waitFor();
      await picture(page, 'contracts');
      await goTo(page, 'Tokens');
      const token = await makeToken(page, '1 Hour');
      await page.getByRole('button', { name: 'Done' }).click();
      await row(page, idOf(token)).waitFor();
      await page.reload();
      await row(page, idOf(token)).waitFor();
      await page.getByLabel('Contract').selectOption(String(region.contract));
      await page.getByText('There are no tokens yet.').waitFor();
    });
  });

  test('[METRIC-01] the pipelines of a region are listed; a user without the right sees the reason', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      for (const [place, name] of [
        ['de-fra', 'in Frankfurt'],
        ['de-txl', 'in Berlin'],
      ]) {
        const made = await region.call('POST', `/${place}/monitoring/pipelines`, { properties: { name } });
        assert.ok(made.status < 300, JSON.stringify(made.body));
      }
      await signInBy(page, region, region.owner, '/console/monitoring');
      await page.getByRole('main').getByRole('link', { name: 'de-fra' }).click();
      await row(page, 'in Frankfurt').waitFor();
      await picture(page, 'pipelines');
      await assertReadable(page, 'pipelines');
      assert.equal(await row(page, 'in Berlin').count(), 0);
      await page.getByRole('navigation', { name: 'Regions' }).getByRole('link', { name: 'de-txl' }).click();
      await row(page, 'in Berlin').waitFor();
      await signOut(page);
      await signInBy(page, region, (await addPerson(region)).basic, '/console/monitoring/de-fra');
      await page.getByRole('alert').getByText('accessAndManageMonitoring').waitFor();
      await picture(page, 'refused');
      await assertReadable(page, 'what was refused');
    });
  });

  test('a page of another origin can not use the session', async (t) => {
    await using evil = await otherOrigin();
    await desk.see(t, { expected: /a request to|CORS|Failed to load|blocked/ }, async (page) => {
      const { region } = desk;
      await signInBy(page, region, region.owner);
      const before = await seen(region);
      // Browsers send the cookie to all ports of the host, but not from another host.
      for (const host of ['127.0.0.1', 'localhost']) {
        await page.goto(evil.url.replace('127.0.0.1', host));
        assert.deepEqual(await page.evaluate(attack(region.url)), ['sent', 'refused', 'sent', 'refused', 'sent']);
      }
      await page.goto(`${region.url}/console/tokens`);
      await page.getByText(/in use/).waitFor();
      assert.deepEqual(await seen(region), before);
    });
  });

  test('a session that ended elsewhere leads to the sign-in page, and then back to the same page', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const person = await addPerson(region);
      await signInBy(page, region, person.basic);
      await goTo(page, 'Tokens');
      await page.getByRole('heading', { name: 'Tokens' }).waitFor();
      await goTo(page, 'Activity');
      await page.getByRole('heading', { name: 'Activity' }).waitFor();
      await changePerson(region, person, { password: 'Another-Password-2' });
      // The page may know already and have no links any more, so the test uses the browser's Back button.
      await page.goBack();
      await page.getByText('Your session has ended. Sign in again.').waitFor();
      await page.getByLabel('E-mail').fill(person.basic.email);
      await page.getByLabel('Password').fill('Another-Password-2');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Tokens' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.goto(`${region.url}/console/nothing/here`);
      await page.getByText('This page does not exist.').waitFor();
    });
  });
});

// Attacks by a page: the browser sends form-like requests without preflight and asks us before any other request.
const attack = (url: string): string => `
  const send = (path, options) => fetch('${url}' + path, { credentials: 'include', ...options });
  const body = JSON.stringify({ properties: { name: 'evil', location: 'de/txl' } });
  Promise.all([
    send('/cloudapi/v6/datacenters', { method: 'POST', body, mode: 'no-cors' }),
    send('/cloudapi/v6/datacenters', { method: 'POST', body, headers: { 'X-Console': '1' } }),
    send('/auth/v1/tokens/generate', { mode: 'no-cors' }),
    send('/console/session', { method: 'DELETE' }),
    send('/console/session', { method: 'POST', body: '{"email":"a@b.c","password":"x"}', mode: 'no-cors' }),
  ].map((one) => one.then(() => 'sent', () => 'refused')))`;

async function seen(region: Region): Promise<unknown[]> {
  const [datacenters, tokens] = [`${core}/datacenters`, '/auth/v1/tokens'].map((path) => region.call('GET', path));
  return [(await datacenters)?.body.items, (await tokens)?.body.tokens];
}

async function otherOrigin(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<h1>Evil</h1>'));
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

async function add(region: Region, args: string[]): Promise<void> {
  const ended = await cumulet([...args, '--data', region.data]);
  assert.equal(ended.code, 0, ended.stderr);
}
