// List, page and forms of every resource in a browser, in a region with one of everything: as the owner, and as a user
// without any rights.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { isFull } from '../../src/testing/seed.ts';
import { addPerson } from '../harness/people.ts';
import { worldOf } from '../sweep/world.ts';
import { assertAccessible } from './accessible.ts';
import { type Addresses, addressesOf, follow } from './every-resource.ts';
import { assertReadable, Desk, looksOf, picture, refusedCall, signInBy, untilEqual, untilTrue } from './window.ts';

const refusals = /It is not there|Could not get it/;

const textOf = async (page: Page, selector: string): Promise<string> =>
  (await page.locator(selector).allInnerTexts()).join(' ').trim();

suite('the pages of every resource', () => {
  const desk = new Desk();
  let addresses: Addresses[] = [];

  before(async () => {
    await desk.open();
    if (!desk.isOpen) return;
    await worldOf(desk.region);
    addresses = await addressesOf(desk.region);
  });
  after(() => desk.close());

  test('are shown to the owner: list, thing and forms', async (t) => {
    await desk.see(t, {}, async (page) => {
      assert.ok(addresses.length > 60, String(addresses.length));
      await signInBy(page, desk.region, desk.region.owner);
      assert.ok(addresses.filter(({ across }) => across).length > 10, 'lists across datacenters');
      for (const { model, list, item, across } of addresses) {
        for (const one of [list, across].filter((url) => url !== undefined)) {
          await follow(page, one);
          await untilEqual(page, () => textOf(page, 'main h1'), model.titles, one);
          await untilEqual(page, () => page.locator('main :is([role="grid"], .state)').count(), 1, one);
          assert.equal(await textOf(page, 'main .failed'), '', one);
        }
        if (model.create) {
          await follow(page, `${list}/new`);
          await untilEqual(page, () => page.locator('main button[type="submit"]').count(), 1, `${list}/new`);
          assert.equal(await textOf(page, 'main .failed'), '', `${list}/new`);
        }
        if (item === undefined) continue;
        await follow(page, `${item}?tab=properties`);
        await untilTrue(page, item, async () => (await page.locator('main .properties dt').count()) > 0);
        assert.equal(await textOf(page, 'main .failed'), '', item);
        if (!model.change) continue;
        await follow(page, `${item}/edit`);
        const isFixed = model.name === 'image'; // those of the catalogue are: the page says so
        const shown = isFixed ? 'main .state' : 'main button[type="submit"]';
        await untilEqual(page, () => page.locator(shown).count(), 1, `${item}/edit`);
      }
    });
  });

  test('tell a user without rights nothing of what others have', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const person = await addPerson(desk.region);
    await desk.see(t, { expected: refusedCall }, async (page) => {
      await signInBy(page, desk.region, person.basic);
      for (const { list, item } of addresses) {
        if (item === undefined) continue;
        const id = decodeURIComponent(item.slice(item.lastIndexOf('/') + 1));
        if (id.length < 20) continue; // of the catalogue, which is everybody's, and numbers
        await follow(page, item);
        const isPublic = /(?:images|templates|locations|models|regions)\//.test(item);
        if (!isPublic) await page.getByRole('main').getByText(refusals).first().waitFor();
        await follow(page, list);
        if (!isPublic) assert.ok(!(await textOf(page, 'main')).includes(id), list);
      }
    });
  });

  for (const { colorScheme, width } of looksOf(1440, 390))
    test(`have nothing that bars anybody, ${colorScheme} and ${width} wide`, async (t) => {
      await desk.see(t, { colorScheme, viewport: { width, height: 900 } }, async (page) => {
        await signInBy(page, desk.region, desk.region.owner);
        const some = addresses.filter(({ model }) => isFull || ['server', 'image', 'zone'].includes(model.name));
        for (const { model, list, item, across } of some) {
          const urls = [list, across, model.create && `${list}/new`, item, item && `${item}?tab=json`].filter(
            (url): url is string => url !== undefined,
          );
          for (const url of urls) {
            await follow(page, url);
            await assertAccessible(page, url);
            await assertReadable(page, url);
            await picture(page, `${colorScheme}-${width}${url.replace(/[/?=]/g, '-').slice(0, 80)}`);
          }
        }
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Pages' }).fill('server');
        await assertAccessible(page, 'the palette');
      });
    });
});
