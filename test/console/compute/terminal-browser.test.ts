// The terminal of a server on Docker in a browser.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { until } from '../../../src/testing/waiting.ts';
import { type DockerEngine, dockerEngine } from '../../harness/machines/docker-engine.ts';
import { done, idOf, makeDatacenter, makeServer } from '../../harness/machines/servers.ts';
import { assertAccessible } from '../harness/accessible.ts';
import { Desk, inLooks, looksOf, picture, signInBy, signOut } from '../harness/window.ts';

const found = isFull ? await dockerEngine() : { skip: 'only in a full run (--full)' };

suite('the terminal of a server', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  const desk = new Desk();
  let server: string;
  let pageUrl: string;

  before(async () => {
    await desk.open({ args: ['--machines', engine.setting] });
    if (!desk.isOpen) return;
    server = await makeServer(desk.region, await makeDatacenter(desk.region), 'web-1');
    pageUrl = `/console/resources${server.replace('/cloudapi/v6', '/cloudapi')}?tab=terminal`;
  });

  after(async () => {
    await desk.close();
    await engine.stop();
  });

  test('runs commands, follows the size of the window, and ends with the session', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, pageUrl);
      const screen = page.getByRole('region', { name: 'Terminal of web-1' });
      const rows = screen.locator('.xterm-rows');
      const shows = (what: RegExp) =>
        until(
          `the terminal shows ${what}`,
          async () => (await rows.innerText()).replaceAll('\u00a0', ' '),
          (text) => what.test(text),
          { limitMs: limits.page },
        );
      await shows(/root@web-1/);
      await page.keyboard.type('echo size-$(stty size | tr " " x)\n');
      await shows(/size-\d+x\d+/);
      await inLooks(page, looksOf(1440, 390), async (look) => {
        await picture(page, `terminal-${look}`);
        await assertAccessible(page, `the terminal, ${look}`);
      });
      await page.setViewportSize({ width: 390, height: 900 });
      await page.keyboard.type('clear; echo now-$(stty size | cut -d" " -f2)\n');
      const columns = await shows(/now-\d+/);
      assert.ok(Number(/now-(\d+)/.exec(columns)?.[1]) < 80, columns);
      await page.keyboard.press('F6');
      await page.getByText('F6 leaves the terminal').waitFor();
      await page.keyboard.type('not-sent');
      await screen.click();
      await page.keyboard.type('exit\n');
      await page.getByText('The shell has ended.').waitFor();
      await page.getByRole('button', { name: 'Connect again' }).click();
      await shows(/root@web-1/);
      assert.doesNotMatch(await rows.innerText(), /not-sent/);
      await signOut(page);
    });
  });

  test('is the page of the remote console, for users who may change the server', async () => {
    if (!desk.isOpen) return;
    const { region } = desk;
    const { body } = await region.call<{ url: string }>('GET', `${server}/remoteconsole`);
    assert.equal(body.url, `${region.url}${pageUrl}`);
    const { body: found } = await region.call<{ token: string }>('GET', `${server}/token`);
    const shown = await region.call<string>('GET', `/cloudapi/v6/remoteconsole/${found.token}`, undefined, {
      token: null,
      headers: { accept: 'text/plain' },
    });
    assert.match(shown.body, /login:|systemd|firmware/, idOf(server));
    await done(region, 'POST', `${server}/stop`);
    assert.equal((await region.call('GET', `${server}/remoteconsole`)).status, 422);
  });
});
