// Forms of resources in a browser: what is refused is seen, and what is told once is shown.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addPerson, core } from '../harness/people.ts';
import { createDone } from '../harness/region.ts';
import { assertAccessible } from './accessible.ts';
import { Desk, refusedCall, signInBy } from './window.ts';

suite('forms of resources', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('say why the region refuses what is asked', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const person = await addPerson(desk.region);
    await desk.see(t, { expected: refusedCall }, async (page) => {
      await signInBy(page, desk.region, person.basic, '/console/resources/cloudapi/datacenters/new');
      await page.getByLabel('Name').fill('mine');
      await page.getByLabel('Location').selectOption('de/fra');
      await page.getByRole('button', { name: 'Create datacenter' }).click();
      await page.getByRole('alert').getByText('createDataCenter').waitFor();
    });
  });

  test('unfold what is wrong in a field that was folded', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const properties = { name: 'shop', location: 'de/fra' };
    const { id } = await createDone(desk.region, `${core}/datacenters`, { properties });
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const url = `/console/resources/cloudapi/datacenters/${id}/volumes/new`;
      await signInBy(page, desk.region, desk.region.owner, url);
      await page.getByLabel('Name', { exact: true }).fill('disk');
      await page.getByLabel('Type', { exact: true }).selectOption('SSD');
      await page.getByLabel('Size', { exact: true }).fill('10');
      await page.getByRole('button', { name: 'Create volume' }).click();
      await page.getByText(/One of .*licenceType.* is needed/).waitFor();
      await assertAccessible(page, url);
    });
  });

  test('send no JSON that is broken, nor ask to leave after what was sent', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/resources/cloudapi/datacenters/new');
      await page.getByLabel('Name').fill('mine');
      const sent: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && sent.push(request.postData() ?? ''));
      await page.getByRole('button', { name: 'Edit as JSON' }).click();
      const body = page.getByLabel('Body');
      for (const [text, message] of [
        ['{bad', /JSON/],
        ['{"name":"mine"}', /properties: an object is expected/],
      ] as const) {
        await body.fill(text);
        await page.getByRole('button', { name: 'Create datacenter' }).click();
        await page.getByText(message).waitFor();
        assert.equal(await body.getAttribute('aria-invalid'), 'true');
      }
      assert.deepEqual(sent, []);
      await body.fill('{"properties":{"name":"by JSON","location":"de/fra"}}');
      await page.getByRole('button', { name: 'Create datacenter' }).click();
      await page.getByRole('heading', { name: 'by JSON' }).waitFor();
      assert.equal(sent.length, 1);
    });
  });

  test('offer each field its own choices, also where several come from one address', async (t) => {
    const { region } = desk;
    const made = await createDone(region, `${core}/datacenters`, { properties: { name: 'own', location: 'de/fra' } });
    await desk.see(t, {}, async (page) => {
      await signInBy(page, region, region.owner, `/console/resources/cloudapi/datacenters/${made.id}/servers/new`);
      const optionsOf = (label: string): Promise<string[]> =>
        page.getByLabel(label, { exact: true }).locator('option').allInnerTexts();
      const alias = page.getByLabel('Image alias', { exact: true });
      await alias.locator('option', { hasText: /^ubuntu:latest$/ }).waitFor({ state: 'attached' });
      assert.ok(
        (await optionsOf('Image alias')).every((one) => !/[0-9a-f]{8}…/.test(one)),
        'aliases only',
      );
      const disks = await optionsOf('Boot CD-ROM');
      assert.ok(!disks.includes('ubuntu:latest'), disks.join());
    });
  });

  test('attach a volume that is there, by its name', async (t) => {
    if (!desk.isOpen) return t.skip('no browser');
    const { region } = desk;
    const made = await createDone(region, `${core}/datacenters`, { properties: { name: 'stage', location: 'de/fra' } });
    const place = `/datacenters/${made.id}`;
    const disk = { name: 'spare', size: 10, type: 'SSD', licenceType: 'LINUX' };
    await createDone(region, `${core}${place}/volumes`, { properties: disk });
    const server = await createDone(region, `${core}${place}/servers`, {
      properties: { name: 'a', cores: 1, ram: 1024 },
    });
    await desk.see(t, {}, async (page) => {
      const url = `/console/resources/cloudapi${place}/servers/${server.id}/volumes`;
      await signInBy(page, region, region.owner, `${url}/new`);
      const choice = page.getByLabel('Volume that is there');
      await choice.getByRole('option', { name: /^spare/ }).waitFor({ state: 'attached' });
      await choice.selectOption({ label: (await choice.getByRole('option', { name: /^spare/ }).innerText()).trim() });
      await page.getByRole('button', { name: 'Attach volume' }).click();
      await page.getByRole('link', { name: 'spare' }).waitFor();
    });
  });

  test('show the secret of an access key once, and ask before it is renewed', async (t) => {
    await desk.see(t, {}, async (page) => {
      await signInBy(page, desk.region, desk.region.owner, '/console/resources/objectstorage/accesskeys/new');
      await page.getByLabel('Description').fill('of a test');
      await page.getByRole('button', { name: 'Create access key' }).click();
      const secret = page.getByRole('dialog').getByRole('textbox');
      const first = await secret.inputValue();
      assert.ok(first.length > 20, first);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { name: 'of a test' }).waitFor();
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Renew' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Renew' }).click();
      await page.getByText('This is the only time that it is shown').waitFor();
      assert.notEqual(await secret.inputValue(), first);
    });
  });
});
