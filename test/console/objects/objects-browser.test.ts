// Buckets and objects in a real browser: created, filled, previewed, shared, restored, emptied and deleted.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketPolicyCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import { makeStorageKey, s3Client } from '../../harness/objects.ts';
import { addPerson } from '../../harness/people.ts';
import { consoleS3, signIn } from '../harness/calls.ts';
import {
  assertReadable,
  Desk,
  picture,
  refusedCall,
  savedBy,
  signInBy,
  untilEqual,
  untilTrue,
} from '../harness/window.ts';

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

suite('buckets in a browser', () => {
  const desk = new Desk();
  let client: S3Client | undefined;
  const storage = async (): Promise<S3Client> => {
    client ??= s3Client(desk.region, await makeStorageKey(desk.region));
    return client;
  };
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-uploads-'));
  const fileOf = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  before(() => desk.open());
  after(async () => {
    client?.destroy();
    rmSync(folder, { recursive: true });
    await desk.close();
  });

  const line = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const choose = (page: Page, label: string) => page.locator(`input[type=file][aria-label="${label}"]`);

  test('a file is uploaded, previewed, downloaded, shared and deleted; a large one is sent in parts', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const s3 = await storage();
      await signInBy(page, region, region.owner, '/console/buckets');
      await page.getByText('There are no buckets yet').waitFor();
      await picture(page, 'buckets-empty');
      await page.getByRole('button', { name: 'Create bucket' }).first().click();
      await page.getByLabel('Name').fill('journey');
      await page.getByLabel('Versioning').check();
      await picture(page, 'bucket-new');
      await assertReadable(page, 'a new bucket');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('This bucket is empty').waitFor();
      await page.getByText(/^Bucket in .+ · 0 versions · 0 B/).waitFor();
      await assertReadable(page, 'an empty bucket');

      const large = Buffer.alloc(20 * 1024 * 1024, 'the quick brown fox jumps over the lazy dog 0123456789\n');
      large.writeUInt32BE(0xdeadbeef, 7_654_321);
      await choose(page, 'Upload files').setInputFiles([
        fileOf('large.bin', large),
        fileOf('note.json', '{"hello":["<b>world</b>"]}'),
      ]);
      await line(page, 'large.bin').getByText('21.0 MB').waitFor();
      await page.getByText('2 done').waitFor();
      await picture(page, 'bucket-uploaded');
      await assertReadable(page, 'a bucket');
      const head = await s3.send(new HeadObjectCommand({ Bucket: 'journey', Key: 'large.bin' }));
      assert.match(head.ETag ?? '', /-3"$/, 'it went in three parts');

      await page.getByRole('button', { name: 'Close transfers' }).click();
      const file = await savedBy(page, () => page.getByRole('button', { name: 'Download large.bin' }).click());
      assert.equal(file.name, 'large.bin');
      assert.equal(sha(file.content), sha(large));

      await page.getByRole('link', { name: 'note.json' }).click();
      await page.getByText('"<b>world</b>"').waitFor();
      await picture(page, 'object');
      await assertReadable(page, 'an object');
      await page.getByRole('button', { name: 'Share' }).click();
      await page.getByLabel('Access key').selectOption('new access key');
      await page.getByRole('button', { name: 'Create link' }).click();
      const url = await page.getByLabel('Link', { exact: true }).inputValue();
      await picture(page, 'object-link');
      await assertReadable(page, 'a link');
      assert.equal(await (await fetch(url)).text(), '{"hello":["<b>world</b>"]}');
      await page.getByRole('button', { name: 'Done' }).click();

      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'journey' }).waitFor();
      await line(page, 'large.bin').waitFor();
      await untilEqual(() => line(page, 'note.json').count(), 0);
      await page.getByLabel('All versions').check();
      await line(page, 'note.json').getByText('Deleted').waitFor();
      await picture(page, 'bucket-versions');
      await line(page, 'note.json')
        .filter({ hasText: 'Deleted' })
        .getByRole('button', { name: /Restore/ })
        .click();
      await page.getByText('Object restored.').waitFor();
      await page.getByLabel('All versions').uncheck();
      await line(page, 'note.json').waitFor();
    });
  });

  test('files and folders are dropped on a folder, and the back button leads out of it', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const s3 = await storage();
      await s3.send(new CreateBucketCommand({ Bucket: 'dropped' }));
      await s3.send(new PutObjectCommand({ Bucket: 'dropped', Key: 'photos/2026/a.txt', Body: 'a' }));
      await signInBy(page, region, region.owner, '/console/buckets/dropped');
      await page.getByRole('link', { name: 'photos/' }).click();
      await page.getByRole('link', { name: '2026/' }).click();
      await line(page, 'a.txt').waitFor();
      await page.evaluate(`{
        const data = new DataTransfer();
        data.items.add(new File(['dropped'], 'b.txt', { type: 'text/plain' }));
        const event = (type) => new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true });
        document.body.dispatchEvent(event('dragover'));
        document.body.dispatchEvent(event('drop'));
      }`);
      await line(page, 'b.txt').waitFor();
      const { ContentType } = await s3.send(new HeadObjectCommand({ Bucket: 'dropped', Key: 'photos/2026/b.txt' }));
      assert.equal(ContentType, 'text/plain');
      await page.goBack();
      await page.getByRole('link', { name: '2026/' }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'photos/' }).waitFor();
      await page.getByLabel('Select photos/').check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByText('Everything in the folders is deleted').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('This bucket is empty').waitFor();
    });
  });

  test('buckets and objects that others create and delete appear without loading the page again', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const s3 = await storage();
      const Bucket = 'seen';
      await signInBy(page, region, region.owner, '/console/buckets');
      await page.getByRole('heading', { name: 'Buckets' }).waitFor();
      await s3.send(new CreateBucketCommand({ Bucket }));
      await line(page, Bucket).getByText('0 B').waitFor();
      await s3.send(new PutObjectCommand({ Bucket, Key: 'a.txt', Body: 'x'.repeat(1500) }));
      await line(page, Bucket).getByText('1.5 KB').waitFor();
      await page.getByRole('link', { name: Bucket }).click();
      await line(page, 'a.txt').waitFor();
      await s3.send(new PutObjectCommand({ Bucket, Key: 'b.txt', Body: 'x' }));
      await line(page, 'b.txt').waitFor();
      for (const Key of ['a.txt', 'b.txt']) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
      await page.getByText('This bucket is empty').waitFor();
    });
  });

  test('a cancelled upload leaves no parts behind, and can be tried again', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const s3 = await storage();
      await s3.send(new CreateBucketCommand({ Bucket: 'cancelled' }));
      await signInBy(page, region, region.owner, '/console/buckets/cancelled');
      await page.getByText('This bucket is empty').waitFor();
      const held = Promise.withResolvers<void>();
      await page.route(/partNumber=2/, () => held.resolve()); // it is never sent
      await choose(page, 'Upload files').setInputFiles(fileOf('half.bin', Buffer.alloc(17 * 1024 * 1024)));
      await held.promise;
      const begun = await s3.send(new ListMultipartUploadsCommand({ Bucket: 'cancelled' }));
      assert.equal(begun.Uploads?.length, 1);
      await page.getByRole('button', { name: 'Cancel half.bin' }).click();
      await page.getByText('1 cancelled').waitFor();
      const left = await s3.send(new ListMultipartUploadsCommand({ Bucket: 'cancelled' }));
      assert.equal(left.Uploads, undefined);
      await page.unroute(/partNumber=2/);
      await page.getByRole('button', { name: 'Try half.bin again' }).click();
      await line(page, 'half.bin').getByText('17.8 MB').waitFor();
    });
  });

  test('lifecycle, policy and public access are set by forms', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const s3 = await storage();
      await s3.send(new CreateBucketCommand({ Bucket: 'settled' }));
      await signInBy(page, region, region.owner, '/console/buckets/settled?tab=settings');
      await page.getByRole('button', { name: 'Create rule' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('At least one action needs to be specified').waitFor();
      await dialog.getByLabel('Key prefix').fill('tmp/<b>');
      await dialog.getByLabel('Expire after (days)').fill('30');
      await picture(page, 'bucket-lifecycle');
      await assertReadable(page, 'a lifecycle rule');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Objects expire after 30 days').waitFor();
      const { Rules } = await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket: 'settled' }));
      assert.deepEqual([Rules?.[0]?.Filter?.Prefix, Rules?.[0]?.Expiration?.Days], ['tmp/<b>', 30]);

      await page.getByRole('link', { name: 'Access', exact: true }).click();
      await page.getByText('Not public').waitFor();
      await page.getByLabel('Policy (JSON)').fill('{\n"Statement": [,]}');
      await page.getByText(/^Line 2: /).waitFor();
      await untilTrue('nothing to save', () => page.getByRole('button', { name: 'Save policy' }).isDisabled());
      await page.getByLabel('Policy (JSON)').fill('{"Statement": [{"Effect": "Allow", "Action": "s3:GetObjekt"}]}');
      await page.getByRole('button', { name: 'Save policy' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByRole('button', { name: 'Public read' }).click();
      await page.getByRole('button', { name: 'Save policy' }).click();
      await page.getByText('Policy saved.').waitFor();
      const { Policy = '' } = await s3.send(new GetBucketPolicyCommand({ Bucket: 'settled' }));
      assert.match(Policy, /PublicRead/);
      await page.getByRole('button', { name: 'Change: Public access' }).click();
      await dialog.getByLabel('Limit public policies').check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('Limit public policies to the own contract').waitFor();
      await assertReadable(page, 'access');
    });
  });

  test('a full bucket is deleted with all versions and uploads after its name is typed', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const s3 = await storage();
      const Bucket = 'full';
      await s3.send(new CreateBucketCommand({ Bucket }));
      const VersioningConfiguration = { Status: 'Enabled' } as const;
      await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
      const owner = await signIn(region, region.owner);
      const put = (at: number) => owner.call('PUT', consoleS3(Bucket, `many/${at % 600}`), 'x');
      for (let from = 0; from < 1100; from += 100)
        await Promise.all(Array.from({ length: 100 }, (_, at) => put(from + at)));
      await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'unfinished' }));
      await signInBy(page, region, region.owner, '/console/buckets/full?tab=settings');
      await page.getByRole('button', { name: 'Delete bucket' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('1,100 object versions').waitFor();
      await dialog.getByText('1 unfinished upload').waitFor();
      await picture(page, 'bucket-delete');
      await assertReadable(page, 'the deletion of a bucket');
      assert.ok(await dialog.getByRole('button', { name: 'Delete everything' }).isDisabled());
      await dialog.getByLabel('Type full to confirm').fill('full');
      await dialog.getByRole('button', { name: 'Delete everything' }).click();
      await page.getByText('Bucket full deleted.').waitFor();
      await page.getByRole('heading', { name: 'Buckets' }).waitFor();
      await assert.rejects(s3.send(new HeadBucketCommand({ Bucket })), { name: 'NotFound' });
    });
  });

  const hostile = [
    '<img src=x onerror=alert(1)>',
    '../../etc/passwd',
    'a//b',
    '\u202egnp.exe',
    'n'.repeat(1024),
    ' spaces ',
    '東京/ñ.txt',
    'line\nbreak\u0001',
    '..',
  ];

  test('hostile names are listed, opened, downloaded and deleted like others', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const owner = await signIn(region, region.owner);
      assert.equal((await owner.call('PUT', consoleS3('hostile'))).status, 200);
      for (const key of hostile)
        assert.equal((await owner.call('PUT', consoleS3('hostile', key), key)).status, 200, key);
      await signInBy(page, region, region.owner, '/console/buckets/hostile');
      await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).waitFor();
      await untilEqual(() => page.getByRole('row').count(), hostile.length + 1);
      assert.equal(await page.locator('main img').count(), 0);
      await picture(page, 'bucket-hostile');
      await assertReadable(page, 'hostile names');
      const file = await savedBy(page, () => page.getByRole('button', { name: 'Download ..', exact: true }).click());
      assert.equal(file.content.toString(), '..');
      await page.getByRole('link', { name: '⟨202E⟩gnp.exe' }).click();
      await page.getByRole('heading', { name: '⟨202E⟩gnp.exe' }).waitFor();
      await page.getByText('Entity tag').waitFor();
      await page.goBack();
      await page.getByRole('link', { name: /^n{100}/ }).click();
      await page.getByText('Entity tag').waitFor();
      await assertReadable(page, 'a long name');
      await page.goBack();
      await page.getByRole('link', { name: '../', exact: true }).click();
      await page.getByRole('link', { name: '../', exact: true }).click();
      await page.getByRole('link', { name: 'etc/' }).click();
      await line(page, 'passwd').waitFor();
      await page.goto(`${region.url}/console/buckets/hostile`);
      await page.getByLabel('Select all rows').check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('This bucket is empty').waitFor();
    });
  });

  test('a user without rights sees an error', async (t) => {
    await desk.see(t, { expected: refusedCall }, async (page) => {
      const { region } = desk;
      const { basic } = await addPerson(region);
      const s3 = await storage();
      await s3.send(new CreateBucketCommand({ Bucket: 'closed' }));
      await signInBy(page, region, basic, '/console/buckets');
      await page.getByRole('alert').waitFor();
      await picture(page, 'buckets-refused');
      await page.goto(`${region.url}/console/buckets/closed`);
      await page.getByRole('alert').getByText('Access Denied').waitFor();
    });
  });
});
