// Things whose names, descriptions, labels and values want to break the page: markup, writing from the right, one word
// without end, signs that are not to be seen. Nothing runs, nothing leaves its box, and names are told as they are.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import { addLogPipeline, post, stream } from '../harness/logs.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region } from '../harness/region.ts';
import { follow } from './every-resource.ts';
import { assertReadable, Desk, picture, refusedCall, signInBy, untilHolds } from './window.ts';

const markup = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`;
const names = [
  markup,
  `\u202Egnirts \u2067\u2066 sdrawkcab`,
  'w'.repeat(255),
  '👩‍👩‍👧‍👦'.repeat(20),
  `a\u0007b\u001B[31mc\td\u2028e`,
] as const;
const description = `${markup} \u202E${'d'.repeat(4000)}`;

interface Landscape {
  datacenter: string; // the paths of things below their API
  server: string;
  nic: string;
  zone: string;
  pipeline: string;
}

async function landscapeOf(region: Region): Promise<Landscape> {
  const properties = { name: markup, description, location: 'de/txl' };
  const datacenter = `/datacenters/${(await createDone(region, `${core}/datacenters`, { properties })).id}`;
  const lan = await createDone(region, `${core}${datacenter}/lans`, { properties: { name: names[2], public: true } });
  const nics = { items: [{ properties: { name: names[1], lan: Number(lan.id) } }] };
  const volumes = { items: [{ properties: { name: names[2], type: 'HDD', size: 10, licenceType: 'LINUX' } }] };
  const made = await Promise.all(
    names.map((name) =>
      createDone(region, `${core}${datacenter}/servers`, {
        properties: { name, cores: 1, ram: 1024 },
        entities: { nics, volumes },
      }),
    ),
  );
  const server = `${datacenter}/servers/${made[0]?.id}`;
  const { body } = await region.call('GET', `${core}${server}/nics`);
  const nic = `${server}/nics/${body.items[0]?.id}`;
  const rule = { name: markup, protocol: 'TCP', portRangeStart: 80, portRangeEnd: 80 };
  await createDone(region, `${core}${nic}/firewallrules`, { properties: rule });
  for (const value of [markup, names[2]]) {
    const label = { properties: { key: value === markup ? 'markup' : 'k'.repeat(63), value } };
    assert.equal((await region.call('POST', `${core}${server}/labels`, label)).status, 201);
  }
  const zone = await region.call('POST', '/dns/zones', {
    properties: { zoneName: 'hostile.example.com', description },
  });
  assert.equal(zone.status, 202, JSON.stringify(zone.body));
  const record = { name: 'www', type: 'TXT', content: `${'t'.repeat(200)}<img src=x onerror=alert(3)>` };
  assert.equal((await region.call('POST', `/dns/zones/${zone.body.id}/records`, { properties: record })).status, 202);
  const pipeline = await addLogPipeline(region, [stream('web')], {
    at: '/de-fra/logging/pipelines',
    name: '<img src=x onerror=>',
  });
  assert.equal((await post(region, pipeline, '/web', { level: markup, message: description })).status, 200);
  const client = s3Client(region, await makeStorageKey(region));
  await client.send(new CreateBucketCommand({ Bucket: 'hostile' }));
  for (const Key of [`${markup}/inside`, `${names[1]}.txt`, names[2], 'k'.repeat(900)])
    await client.send(new PutObjectCommand({ Bucket: 'hostile', Key, Body: description }));
  client.destroy();
  return { datacenter, server, nic, zone: `/zones/${zone.body.id}`, pipeline: `/pipelines/${pipeline.id}` };
}

suite('hostile names in a browser', () => {
  const desk = new Desk();
  let made: Landscape;
  before(async () => {
    await desk.open();
    if (desk.isOpen) made = await landscapeOf(desk.region);
  });
  after(() => desk.close());

  // Markup that was taken for markup would be an element of these.
  const assertHarmless = async (page: Page, where: string): Promise<void> => {
    assert.equal(await page.locator('[onerror], img[src="x"], body script').count(), 0, where);
    await assertReadable(page, where);
    await picture(page, `hostile-${where.replace(/\W+/g, '-').slice(-60)}`);
  };

  const at = (service: string, path: string): string => `/console/resources/${service}${path}`;
  const tabs = (url: string, ...more: string[]): string[] => [url, ...more.map((tab) => `${url}?tab=${tab}`)];

  const walk = async (page: Page, urls: readonly string[]): Promise<void> => {
    page.on('dialog', () => assert.fail('something ran'));
    await signInBy(page, desk.region, desk.region.owner);
    for (const url of urls) {
      await follow(page, url);
      await assertHarmless(page, url);
    }
  };

  test('neither run nor leave their box in a narrow window', async (t) => {
    await desk.see(t, { viewport: { width: 390, height: 900 }, expected: refusedCall }, async (page) => {
      const { datacenter, server, nic, zone, pipeline } = made;
      await walk(page, [
        at('cloudapi', '/datacenters'),
        ...tabs(at('cloudapi', datacenter), 'properties', 'servers', 'lans', 'volumes', 'activity', 'json'),
        `${at('cloudapi', datacenter)}/edit`,
        ...tabs(at('cloudapi', server), 'properties', 'metrics', 'nics', 'volumes', 'labels'),
        ...tabs(at('cloudapi', nic), 'firewallrules'),
        ...tabs(at('dns', zone), 'records'),
        at('logging', pipeline),
        '/console',
        '/console/requests',
        '/console/activity',
        '/console/costs',
        '/console/lab',
        '/console/logging/de-fra',
        '/console/monitoring/de-fra',
        '/console/buckets/hostile',
        `/console/buckets/hostile/object?${new URLSearchParams({ key: 'k'.repeat(900) })}`,
      ]);
    });
  });

  test('nor in a wide one', async (t) => {
    await desk.see(t, { viewport: { width: 1440, height: 900 }, expected: refusedCall }, async (page) => {
      const { datacenter, server } = made;
      await walk(page, [
        ...tabs(at('cloudapi', datacenter), 'servers'),
        `${at('cloudapi', server)}/edit`,
        '/console',
        '/console/requests',
        '/console/activity',
        '/console/logging/de-fra',
        '/console/buckets/hostile',
      ]);
    });
  });

  test('are told as they are: in a list, by the palette, before a deletion, and after a change', async (t) => {
    await desk.see(t, {}, async (page) => {
      page.on('dialog', () => assert.fail('something ran'));
      const list = `/console/resources/cloudapi${made.datacenter}?tab=servers`;
      await signInBy(page, desk.region, desk.region.owner, list);
      for (const name of [markup, names[2], names[3]]) await page.getByRole('link', { name }).first().waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Pages' }).fill('<script>');
      await page.getByRole('option').filter({ hasText: markup }).first().waitFor();
      await assertHarmless(page, 'the palette');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: markup }).first().click();
      await page.waitForURL('**/servers/*'); // the datacenter has the same name
      await page.getByRole('heading', { name: markup }).waitFor();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByText('With it go').waitFor();
      await assertHarmless(page, 'the deletion');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(`${markup}${'n'.repeat(150)}`);
      await page.getByRole('button', { name: 'Save' }).click();
      await page
        .getByRole('status')
        .filter({ hasText: `${markup}n` })
        .first()
        .waitFor();
      await assertHarmless(page, 'the message');
      await untilHolds(page, `document.querySelector('h1')?.textContent.includes('<script>alert(1)</script>')`);
    });
  });
});
