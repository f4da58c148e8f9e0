// Object storage by ionosctl, where it is installed: buckets, their configurations and objects, by IONOS_API_URL and by
// the proxy, which leads to the public hosts of the regions.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeStorageKey } from '../../harness/objects.ts';
import { startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { wayTo, workFolder } from '../run.ts';
import { type Ctl, ctlOf } from './ionosctl.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('ionosctl and the object storage', { skip: ionosctl.skip ?? false }, async (t) => {
  await using region = await startRegion();
  const key = await makeStorageKey(region);
  const keys = { IONOS_S3_ACCESS_KEY: key.accessKeyId, IONOS_S3_SECRET_KEY: key.secretAccessKey };
  const home = workFolder(t);
  for (const name of ['direct', 'config', 'proxy'] as const) {
    const way = await wayTo(region, name, home);
    const ctl = ctlOf(ionosctl.path as string, region, way).as(keys);
    await t.test(name, (inner) => journey(inner, ctl, home));
  }
});

// The input of `put` for each configuration, and the expected output of `get`.
const configurations: [name: string, document: object, shown: RegExp][] = [
  [
    'cors',
    {
      CORSRules: [
        { ID: 7, AllowedOrigins: ['https://www.example.com'], AllowedMethods: ['GET'], AllowedHeaders: ['*'] },
      ],
    },
    /https:\/\/www\.example\.com/,
  ],
  ['encryption', { Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }] }, /AES256/],
  ['lifecycle', { Rules: [{ ID: 'logs', Prefix: 'logs/', Status: 'Enabled', Expiration: { Days: 30 } }] }, /logs/],
  ['tagging', { TagSet: [{ Key: 'stage', Value: 'test' }] }, /stage/],
  [
    'public-access-block',
    { BlockPublicAcls: true, IgnorePublicAcls: true, BlockPublicPolicy: false, RestrictPublicBuckets: false },
    /true/,
  ],
];

async function journey(t: TestContext, ctl: Ctl, home: string): Promise<void> {
  const bucket = `${ctl.tag}-bucket`;
  const of = (...args: string[]): string[] => ['object-storage', ...args, '--force'];
  const inBucket = (...args: string[]): string[] => of(...args, '--name', bucket);
  const file = (name: string, content: string): string => {
    writeFileSync(join(home, name), content);
    return join(home, name);
  };

  await t.test('[OBJ-01] bucket create, list, get and head', async () => {
    await ctl.text(...inBucket('bucket', 'create', '--object-lock'));
    assert.match(await ctl.text(...of('bucket', 'list')), new RegExp(bucket));
    assert.match(await ctl.text(...inBucket('bucket', 'get')), new RegExp(`${bucket}.*eu-central-3`));
    await ctl.text(...inBucket('bucket', 'head'));
    assert.match(await ctl.fails(...of('bucket', 'head', '--name', 'nobodys-bucket')), /404|not found/i);
  });
  for (const [name, document, shown] of configurations)
    await t.test(`[OBJ-01] bucket ${name}: put, get and delete`, async () => {
      const put = ['--json-properties', file(`${name}.json`, JSON.stringify(document))];
      await ctl.text(...inBucket('bucket', name, 'put', ...put));
      assert.match(await ctl.text(...inBucket('bucket', name, 'get'), '-o', 'json'), shown);
      await ctl.text(...inBucket('bucket', name, 'delete'));
      await ctl.fails(...inBucket('bucket', name, 'get'));
    });
  await t.test('[OBJ-01] bucket policy: put, get, status and delete', async () => {
    const example = JSON.parse(
      await ctl.text('object-storage', 'bucket', 'policy', 'put', '--json-properties-example'),
    );
    const policy = JSON.parse(JSON.stringify(example).replaceAll('BUCKET_NAME', bucket)) as object;
    const put = ['--json-properties', file('policy.json', JSON.stringify(policy))];
    await ctl.text(...inBucket('bucket', 'policy', 'put', ...put));
    assert.match(await ctl.text(...inBucket('bucket', 'policy', 'get'), '-o', 'json'), /arn:aws:s3:::/);
    await ctl.text(...inBucket('bucket', 'policy', 'status'));
    await ctl.text(...inBucket('bucket', 'policy', 'delete'));
    await ctl.fails(...inBucket('bucket', 'policy', 'get'));
  });
  await t.test('[OBJ-01] bucket versioning and object-lock', async () => {
    assert.match(await ctl.text(...inBucket('bucket', 'versioning', 'get')), /Enabled/);
    await ctl.text(...inBucket('bucket', 'versioning', 'set', '--status', 'Enabled'));
    await ctl.text(...inBucket('bucket', 'object-lock', 'put', '--mode', 'GOVERNANCE', '--days', '1'));
    assert.match(await ctl.text(...inBucket('bucket', 'object-lock', 'get')), /GOVERNANCE/);
  });

  await t.test('[OBJ-01] object put, head, list, copy and get', async () => {
    const source = file('source.txt', 'content of ionosctl');
    await ctl.text(...inBucket('object', 'put', '--key', 'a/b c.txt', '--source', source));
    assert.match(await ctl.text(...inBucket('object', 'head', '--key', 'a/b c.txt')), /19/);
    await ctl.text(...inBucket('object', 'copy', '--key', 'copied', '--copy-source', `/${bucket}/a/b c.txt`));
    const listed = await ctl.text(...inBucket('object', 'list'));
    assert.match(listed, /a\/b c\.txt/);
    assert.match(listed, /copied/);
    assert.doesNotMatch(await ctl.text(...inBucket('object', 'list', '--prefix', 'a/')), /copied/);
    const destination = join(home, `got-${ctl.tag}`);
    await ctl.text(...inBucket('object', 'get', '--key', 'copied', '--destination', destination));
    assert.equal(readFileSync(destination, 'utf8'), 'content of ionosctl');
  });
  await t.test('[OBJ-01] object tagging, legal-hold and retention', async () => {
    const named = ['--key', 'copied'];
    const tags = ['--json-properties', file('tags.json', JSON.stringify({ TagSet: [{ Key: 'kind', Value: 'copy' }] }))];
    await ctl.text(...inBucket('object', 'tagging', 'put', ...named, ...tags));
    assert.match(await ctl.text(...inBucket('object', 'tagging', 'get', ...named), '-o', 'json'), /kind/);
    await ctl.text(...inBucket('object', 'tagging', 'delete', ...named));
    await ctl.text(...inBucket('object', 'legal-hold', 'put', ...named, '--status', 'ON'));
    assert.match(await ctl.text(...inBucket('object', 'legal-hold', 'get', ...named)), /ON/);
    await ctl.text(...inBucket('object', 'legal-hold', 'put', ...named, '--status', 'OFF'));
    const until = ['--mode', 'GOVERNANCE', '--retain-until-date', '2099-01-01T00:00:00Z'];
    await ctl.text(...inBucket('object', 'retention', 'put', ...named, ...until));
    assert.match(await ctl.text(...inBucket('object', 'retention', 'get', ...named)), /GOVERNANCE/);
  });
  await t.test('[OBJ-01] object delete --all, and bucket delete', async () => {
    await ctl.text(...inBucket('object', 'delete', '--all', '--bypass-governance-retention'));
    await ctl.text(...inBucket('bucket', 'delete'));
    assert.doesNotMatch(await ctl.text(...of('bucket', 'list')), new RegExp(bucket));
  });
}
