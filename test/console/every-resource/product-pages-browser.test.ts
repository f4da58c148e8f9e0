// Browser tests of product pages: tabs of zones and certificates, messages and groups of topics, and the playground
// with the tiny model that every region has.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { sampleCertificate } from '../../../src/testing/black-box/certificates.ts';
import { kafkajsOf, producerOf } from '../../../src/testing/kafkajs.ts';
import type { ResourceBody } from '../../harness/region.ts';
import { addCluster, addTopic, reach } from '../../streaming/clusters.ts';
import { assertAccessible } from '../harness/accessible.ts';
import {
  assertReadable,
  Desk,
  goTo,
  inLooks,
  looksOf,
  picture,
  refusedCall,
  savedBy,
  signInBy,
  untilEqual,
  untilHolds,
} from '../harness/window.ts';

const desk = new Desk();
before(() => desk.open());
after(() => desk.close());

suite('zones and certificates in a browser', () => {
  test('a zone is queried, downloaded as a file and replaced by another file', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const { body: zone } = await region.call('POST', '/dns/zones', { properties: { zoneName: 'shop.example' } });
      const properties = { name: 'www', type: 'A', content: '192.0.2.7', ttl: 300 };
      await region.call('POST', `/dns/zones/${zone.id}/records`, { properties });
      await signInBy(page, region, region.owner, `/console/resources/dns/zones/${zone.id}?tab=resolver`);
      await page.getByLabel('Name in shop.example').fill('www');
      await page.getByRole('button', { name: 'Query' }).click();
      await page.getByRole('cell', { name: '192.0.2.7' }).waitFor();
      await page.getByText('dig @127.0.0.1').waitFor();
      await picture(page, 'zone-resolver');
      await assertReadable(page, 'the resolver');
      await page.getByLabel('Name in shop.example').fill('nobody');
      await page.keyboard.press('Enter');
      await page.getByText('The name does not exist.').waitFor();

      await page.goto(`${region.url}/console/resources/dns/zones/${zone.id}?tab=zonefile`);
      const file = await savedBy(page, () => page.getByRole('button', { name: 'Download' }).click());
      const text = file.content.toString();
      assert.match(text, /192\.0\.2\.7/);
      await picture(page, 'zone-file');
      await assertReadable(page, 'a zone file');
      const buffer = Buffer.from(text.replace('192.0.2.7', '192.0.2.8'));
      await page.locator('input[type=file]').setInputFiles({ name: 'new.zone', mimeType: 'text/plain', buffer });
      await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
      await page.getByText('Records replaced.').waitFor();
      const { body } = await region.call('GET', `/dns/zones/${zone.id}/records`);
      assert.equal(body.items[0]?.properties.content, '192.0.2.8');
    });
  });

  test('a certificate shows its chain, its names and the remaining days', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const { certificate, certificateChain, privateKey } = sampleCertificate;
      const properties = { name: 'shop', certificate, certificateChain, privateKey };
      const { body, status } = await region.call('POST', '/certificate-manager/certificates', { properties });
      assert.equal(status, 201, JSON.stringify(body));
      await signInBy(page, region, region.owner, `/console/resources/certificates/certificates/${body.id}`);
      await page
        .getByText(/days left|Expired|Valid in/)
        .first()
        .waitFor();
      await page.getByText('SHA-256').first().waitFor();
      await picture(page, 'certificate-chain');
      await assertReadable(page, 'a chain');
    });
  });
});

const hostile = `<img src=x onerror=alert(1)> \u202Egnirts ${'w'.repeat(4096)}`;

suite('topics in a browser', () => {
  let cluster: ResourceBody;
  let topic: ResourceBody;
  before(async () => {
    if (!desk.isOpen) return;
    const { region } = desk;
    cluster = await addCluster(region, { name: 'events' });
    topic = await addTopic(region, cluster.id, { name: 'orders', numberOfPartitions: 2, replicationFactor: 3 });
    const kafka = kafkajsOf(await reach(region, cluster));
    const producer = await producerOf(kafka);
    const messages = Array.from({ length: 60 }, (_, at) => ({
      partition: 0,
      key: `order-${at}`,
      value: JSON.stringify({ id: at }),
      headers: { trace: `t${at}` },
    }));
    await producer.send({ topic: 'orders', acks: -1, messages });
    await producer.send({ topic: 'orders', acks: -1, messages: [{ partition: 1, key: hostile, value: hostile }] });
    await producer.disconnect();
    const admin = kafka.admin();
    await admin.connect();
    await admin.setOffsets({ groupId: 'billing', topic: 'orders', partitions: [{ partition: 0, offset: '18' }] });
    await admin.disconnect();
  });

  const topicPage = (): string => `/console/resources/streaming/clusters/${cluster.id}/topics/${topic.id}`;

  test('a message is found by its offset, and opened with key and headers', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, topicPage());
      const rows = page.locator('.topics-messages tbody tr');
      await rows.first().waitFor();
      assert.match(await rows.first().innerText(), /<img src=x/, 'the newest comes first, and markup is text');
      await page.getByLabel('Partition', { exact: true }).selectOption('Partition 0');
      await rows.getByText('{"id":59}').waitFor();
      await page.getByLabel('From').selectOption('Offset');
      await page.getByRole('textbox', { name: 'Offset' }).fill('7');
      await page.keyboard.press('Enter');
      await rows.first().getByText('order-7').waitFor();
      await page.locator('.head-facts', { hasText: 'Retention7 d' }).waitFor();
      await picture(page, 'topic-messages');
      await page.getByRole('button', { name: 'Open message 9 of partition 0' }).click();
      const dialog = page.getByRole('dialog');
      await untilEqual(() => dialog.getByRole('textbox').inputValue(), '{\n  "id": 9\n}');
      await dialog.getByText('t9').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Later' }).click();
      await rows.first().getByText('order-57').waitFor();
    });
  });

  test('a message is sent by a form, and appears among the live ones', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, topicPage());
      await page.getByRole('button', { name: 'Show new messages live' }).click();
      await page.getByRole('button', { name: 'Send message' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Partition').selectOption('1');
      await dialog.getByLabel('Key', { exact: true }).fill('order-60');
      await dialog.getByLabel('Value format').selectOption('JSON');
      await dialog.getByLabel('Value', { exact: true }).fill('{"id":60');
      await dialog.getByRole('button', { name: 'Send' }).click();
      await dialog.getByText('This is not valid JSON').waitFor();
      await dialog.getByLabel('Value', { exact: true }).fill('{"id":60}');
      await dialog.getByRole('button', { name: 'Add' }).click();
      const header = dialog.getByRole('group', { name: 'Header 1' });
      await header.getByLabel('Key').fill('trace');
      await header.getByLabel('Value').fill('t60');
      await dialog.getByRole('button', { name: 'Send' }).click();
      await dialog.getByText('Sent to partition 1 with offset 1.').waitFor();
      await inLooks(page, looksOf(1440, 390), async (look) => {
        await picture(page, `topic-send-${look}`);
        await assertReadable(page, `${look}, a new message`);
        await assertAccessible(page, `${look}, a new message`);
      });
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.locator('.topics-messages tbody tr').first().getByText('order-60').waitFor();
      await page.getByRole('button', { name: 'Pause live messages' }).click();
    });
  });

  test('partitions and the lag of groups are shown', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, `${topicPage()}?tab=partitions`);
      await page
        .getByRole('row', { name: /billing/ })
        .getByText('42 records')
        .waitFor();
      await page.goto(`${desk.region.url}/console/resources/streaming/clusters/${cluster.id}?tab=brokers`);
      await page.getByRole('row', { name: /orders\/0 at 18, 42 behind/ }).waitFor();
    });
  });

  test('topics are readable in light and dark, in wide and narrow windows', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, topicPage());
      await page.locator('.topics-open').first().waitFor();
      const looks = looksOf(1440, 390);
      await inLooks(page, looks, async (look) => {
        await picture(page, `topic-${look}`);
        await assertReadable(page, look);
        await assertAccessible(page, look);
      });
      await page.locator('.topics-open').first().click();
      await page.getByRole('dialog').getByRole('textbox').waitFor();
      await inLooks(page, looks, async (look) => {
        await picture(page, `topic-message-${look}`);
        await assertReadable(page, `${look}, a message`);
      });
    });
  });
});

suite('the playground in a browser', () => {
  // While the model answers, there is a Stop button instead of Send.
  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send' }).waitFor();
  };
  const turns = (page: Page) => page.locator('.playground-turn');

  test('a chat is streamed, regenerated, edited, and follows a schema', async (t) => {
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
      await untilEqual(saidAgain, said, 'the seed is the same');

      await page.getByRole('button', { name: 'Example: Answer JSON schema' }).click();
      await say(page, 'Name a city.');
      await turns(page).nth(3).locator('.playground-figures').waitFor(); // shown at its end
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
      await untilEqual(() => page.getByLabel('Message').inputValue(), 'Name a city.');
      await untilEqual(() => turns(page).count(), 2);
      const kept = 'JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }])';
      assert.doesNotMatch(String(await page.evaluate(kept)), /bold|city/, 'the browser stores nothing of it');
    });
  });

  test('a tool is called and answers; refusals are shown', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/playground');
      await page.getByRole('button', { name: 'Example: Tools' }).click();
      await say(page, 'Please call get_weather.');
      await page.getByText('get_weather({').waitFor();
      await page.getByLabel('Result of get_weather').fill('20 degrees');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Regenerate' }).waitFor();
      await page.getByLabel('Max tokens').fill('0');
      await say(page, 'x');
      await turns(page).last().getByRole('alert').getByText('1').first().waitFor();
    });
  });

  test('texts are compared, and an image is generated', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/playground');
      await page.getByRole('button', { name: 'Embeddings' }).click();
      await page.getByLabel('Text 1').fill('the cat sat on the mat');
      await page.getByLabel('Text 2').fill('the cat sat on the mat');
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('row', { name: 'the cat sat' }).first().getByText('1.000').first().waitFor();
      await page.getByRole('button', { name: 'Images' }).click();
      await page.getByLabel('Prompt').fill('a lighthouse');
      await page.getByLabel('Size').selectOption('256x256');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('button', { name: 'Download' }).waitFor();
      await untilHolds(page, "document.querySelector('canvas').width === 256");
    });
  });

  test('the playground is readable in light and dark, in wide and narrow windows', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/playground');
      await say(page, 'w'.repeat(4000));
      await inLooks(page, looksOf(1440, 390), async (look) => {
        await picture(page, `playground-${look}`);
        await assertReadable(page, look);
        await assertAccessible(page, look);
      });
    });
  });
});
