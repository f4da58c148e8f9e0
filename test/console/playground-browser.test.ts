// The playground in a real browser, with the tiny model that every region has.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './accessible.ts';
import { assertReadable, Desk, goTo, picture, refusedCall, signInBy, untilEqual, untilHolds } from './window.ts';

const desk = new Desk();

suite('the playground in a browser', () => {
  before(() => desk.open());
  after(() => desk.close());

  // While the model answers there is a button to stop it instead, and nothing is sent.
  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send' }).waitFor();
  };
  const turns = (page: Page) => page.locator('.playground-turn');

  test('a chat is streamed, drawn again, edited, and follows a schema', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner);
      await goTo(page, 'Playground');
      await page.getByText('the tiny built-in model, not mistralai').waitFor();
      await page.getByText('Stand-in').waitFor();
      await page.getByLabel('Seed').fill('7');
      await say(page, 'What is <b>bold</b>?');
      const answer = turns(page).nth(1);
      await answer.getByText('You said: "What is <b>bold</b>?"').waitFor();
      assert.match(await answer.locator('.playground-figures').innerText(), /^\d+ \+ \d+ tokens · first after \d+/);
      const said = await answer.locator('.playground-said').innerText();
      await page.getByRole('button', { name: 'Regenerate' }).click();
      const saidAgain = (): Promise<string> => turns(page).nth(1).locator('.playground-said').innerText();
      await untilEqual(page, saidAgain, said, 'the seed is the same');

      await page.getByRole('button', { name: 'Example: JSON schema' }).click();
      await say(page, 'Name a city.');
      await turns(page).nth(3).locator('.playground-figures').waitFor(); // told at its end
      const { city, inhabitants } = JSON.parse(await turns(page).nth(3).locator('pre').innerText()) as Record<
        string,
        unknown
      >;
      assert.deepEqual([typeof city, typeof inhabitants], ['string', 'number']);
      await picture(page, 'playground');

      await page.getByRole('button', { name: 'As Python' }).click();
      const python = await page.getByRole('textbox', { name: 'Command' }).inputValue();
      assert.ok(python.includes(`base_url="${desk.region.url}/inference/v1"`) && python.includes('"Name a city."'));
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

      await turns(page).nth(2).getByRole('button', { name: 'Edit' }).click();
      await untilEqual(page, () => page.getByLabel('Message').inputValue(), 'Name a city.');
      await untilEqual(page, () => turns(page).count(), 2);
      const kept = 'JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }])';
      assert.doesNotMatch(String(await page.evaluate(kept)), /bold|city/, 'nothing of it is kept');
    });
  });

  test('a tool is called and answers; what is refused is told', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/playground');
      await page.getByRole('button', { name: 'Example: Tools' }).click();
      await say(page, 'Please call get_weather.');
      await page.getByText('get_weather({').waitFor();
      await page.getByLabel('What get_weather answers').fill('20 degrees');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Regenerate' }).waitFor();
      await page.getByLabel('Most tokens').fill('0');
      await say(page, 'x');
      await turns(page).last().getByRole('alert').getByText('1').first().waitFor();
    });
  });

  test('texts are compared, and an image is drawn', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/playground');
      await page.getByRole('button', { name: 'Embeddings' }).click();
      await page.getByLabel('Text 1').fill('the cat sat on the mat');
      await page.getByLabel('Text 2').fill('the cat sat on the mat');
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('row', { name: 'the cat sat' }).first().getByText('1.000').first().waitFor();
      await page.getByRole('button', { name: 'Images' }).click();
      await page.getByLabel('What the image shows').fill('a lighthouse');
      await page.getByLabel('Size').selectOption('256x256');
      await page.getByRole('button', { name: 'Make' }).click();
      await page.getByRole('button', { name: 'Download' }).waitFor();
      await untilHolds(page, "document.querySelector('canvas').width === 256");
    });
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`the playground is readable in ${colorScheme}, in wide and narrow windows`, async (t) => {
      await desk.see(t, { colorScheme }, async (page) => {
        await signInBy(page, desk.region, desk.region.owner, '/console/playground');
        await say(page, 'w'.repeat(4000));
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 900 });
          await picture(page, `playground-${colorScheme}-${width}`);
          await assertReadable(page, `${colorScheme} ${width}`);
          await assertAccessible(page, `${colorScheme} ${width}`);
        }
      });
    });
});
