// The tabs of zones and certificates in a real browser: the resolver, the zone file, the chain.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { sampleCertificate } from '../../src/testing/black-box/certificates.ts';
import { assertReadable, Desk, picture, signInBy } from './window.ts';

suite('names in a browser', () => {
  const desk = new Desk();
  before(() => desk.open());
  after(() => desk.close());

  test('a zone is asked by its resolver, saved as a file and replaced by another', async (t) => {
    await desk.see(t, {}, async (page) => {
      const { region } = desk;
      const { body: zone } = await region.call('POST', '/dns/zones', { properties: { zoneName: 'shop.example' } });
      const properties = { name: 'www', type: 'A', content: '192.0.2.7', ttl: 300 };
      await region.call('POST', `/dns/zones/${zone.id}/records`, { properties });
      await signInBy(page, region, region.owner, `/console/resources/dns/zones/${zone.id}?tab=resolver`);
      await page.getByLabel('Name in shop.example').fill('www');
      await page.getByRole('button', { name: 'Ask' }).click();
      await page.getByRole('cell', { name: '192.0.2.7' }).waitFor();
      await page.getByText('dig @127.0.0.1').waitFor();
      await picture(page, 'zone-resolver');
      await assertReadable(page, 'the resolver');
      await page.getByLabel('Name in shop.example').fill('nobody');
      await page.keyboard.press('Enter');
      await page.getByText('There is no such name.').waitFor();

      await page.goto(`${region.url}/console/resources/dns/zones/${zone.id}?tab=zonefile`);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      const text = readFileSync(await download.path(), 'utf8');
      assert.match(text, /192\.0\.2\.7/);
      await picture(page, 'zone-file');
      await assertReadable(page, 'a zone file');
      const buffer = Buffer.from(text.replace('192.0.2.7', '192.0.2.8'));
      await page.locator('input[type=file]').setInputFiles({ name: 'new.zone', mimeType: 'text/plain', buffer });
      await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
      await page.getByText('The records were replaced.').waitFor();
      const { body } = await region.call('GET', `/dns/zones/${zone.id}/records`);
      assert.equal(body.items[0]?.properties.content, '192.0.2.8');
    });
  });

  test('a certificate shows its chain, its names and the days that are left', async (t) => {
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
