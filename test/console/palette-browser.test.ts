// The command palette in a real browser: by the keyboard alone, with the reasons and questions of a thing's page.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../src/testing/waiting.ts';
import { addDatacenter, addServer } from '../harness/landscape.ts';
import { assertAccessible } from './accessible.ts';
import { consoleS3, signIn } from './calls.ts';
import { assertReadable, Desk, picture, signInBy } from './window.ts';

suite('the palette in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  async function openPalette(page: Page, text: string): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Pages, things' }).fill(text);
  }

  test('a server is stopped by words, a bucket found, and a thing deleted by its actions', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const path = await addServer(region, await addDatacenter(region), { name: 'web-1' });
      const stateOf = async (): Promise<unknown> => (await region.call('GET', path)).body.properties.vmState;
      assert.equal(await stateOf(), 'RUNNING');
      await signInBy(page, region, region.owner);

      await openPalette(page, 'start web-1');
      const start = page.getByRole('option', { name: 'Start web-1' });
      await start.getByText('It runs.').waitFor();
      assert.equal(await start.getAttribute('aria-disabled'), 'true');
      await picture(page, 'palette-command');
      await assertReadable(page, 'a command');
      await assertAccessible(page, 'a command');
      await page.getByRole('combobox', { name: 'Pages, things' }).fill('stop web-1');
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
      await page.getByRole('option', { name: 'New server Asks in which datacenter' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('combobox', { name: 'In which datacenter' }).waitFor();
      await picture(page, 'palette-in-which');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'New server' }).waitFor();

      await openPalette(page, 'web-1');
      await page.getByRole('option', { name: /^web-1 Server in / }).waitFor();
      await page.keyboard.press('Tab');
      await page.getByRole('combobox', { name: 'What to do with web-1' }).waitFor();
      await page.getByRole('option', { name: /^Edit/ }).waitFor();
      await picture(page, 'palette-actions');
      await assertReadable(page, 'actions of a thing');
      await assertAccessible(page, 'actions of a thing');
      await page.keyboard.type('delete');
      await page.keyboard.press('Enter');
      const removal = page.getByRole('dialog', { name: 'Delete web-1?' });
      await removal.getByRole('button', { name: 'Delete' }).click();
      await until(
        'the server is gone',
        () => region.call('GET', path),
        ({ status }) => status === 404,
      );
    });
  });
});
