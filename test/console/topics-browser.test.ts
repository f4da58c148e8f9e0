// Messages, partitions and groups of a topic in a real browser.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import type { Shown } from '../harness/region.ts';
import { addCluster, addTopic, reach } from '../streaming/clusters.ts';
import { assertAccessible } from './accessible.ts';
import { assertReadable, Desk, picture, signInBy, untilEqual } from './window.ts';

const desk = new Desk();
let cluster: Shown;
let topic: Shown;
const hostile = `<img src=x onerror=alert(1)> \u202Egnirts ${'w'.repeat(4096)}`;

suite('topics in a browser', () => {
  before(async () => {
    await desk.open();
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
  after(() => desk.close());

  const topicPage = (): string => `/console/resources/streaming/clusters/${cluster.id}/topics/${topic.id}`;

  test('a message is found by its offset, and opened with key and headers', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, topicPage());
      const rows = page.locator('.topics-messages tbody tr');
      await rows.first().waitFor();
      assert.match(await rows.first().innerText(), /<img src=x/, 'the newest comes first, and markup is text');
      await page.getByLabel('Partition', { exact: true }).selectOption('Partition 0');
      await rows.getByText('{"id":59}').waitFor();
      await page.getByLabel('From').selectOption('An offset');
      await page.getByRole('textbox', { name: 'Offset' }).fill('7');
      await page.keyboard.press('Enter');
      await rows.first().getByText('order-7').waitFor();
      await picture(page, 'topic-messages');
      await page.getByRole('button', { name: 'Open message 9 of partition 0' }).click();
      const dialog = page.getByRole('dialog');
      await untilEqual(page, () => dialog.getByRole('textbox').inputValue(), '{\n  "id": 9\n}');
      await dialog.getByText('t9').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Later' }).click();
      await rows.first().getByText('order-57').waitFor();
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

  for (const colorScheme of ['light', 'dark'] as const)
    test(`topics are readable in ${colorScheme}, in wide and narrow windows`, async (t) => {
      await desk.see(t, { colorScheme }, async (page) => {
        await signInBy(page, desk.region, desk.region.owner, topicPage());
        await page.locator('.topics-open').first().waitFor();
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 900 });
          await picture(page, `topic-${colorScheme}-${width}`);
          await assertReadable(page, `${colorScheme} ${width}`);
          await assertAccessible(page, `${colorScheme} ${width}`);
        }
        await page.locator('.topics-open').first().click();
        await page.getByRole('dialog').getByRole('textbox').waitFor();
        await picture(page, `topic-message-${colorScheme}`);
        await assertReadable(page, `${colorScheme}, a message`);
      });
    });
});
