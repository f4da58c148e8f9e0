// The management API of the object storage: access keys of users, and the regions.
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { after, before, describe, it, test } from 'node:test';
import { CreateBucketCommand, ListBucketsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { openState } from '../../src/testing/black-box/state.ts';
import { makeStorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { type Region, type ResourceBody, startRegion, waitRequest } from '../harness/region.ts';
import { urlOf } from '../harness/states.ts';

const keys = '/objectstorage-management/accesskeys';

describe('object storage management', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const isAccepted = async (made: ResourceBody, secretAccessKey: string): Promise<boolean> => {
    const s3 = s3Client(region, { accessKeyId: String(made.properties.accessKey), secretAccessKey });
    return s3.send(new ListBucketsCommand({})).then(
      () => true,
      (error: Error) => {
        assert.match(error.name, /^(SignatureDoesNotMatch|InvalidAccessKeyId)$/);
        return false;
      },
    );
  };

  it('[OBJ-01] an access key signs, returns its secret once, and stops working after a renewal or deletion', async () => {
    const sent = { properties: { description: 'mine', accessKey: '', secretKey: '' } }; // as the Go client sends it
    const { status, body: made } = await region.call('POST', keys, sent);
    assert.equal(status, 202);
    const secret = String(made.properties.secretKey);
    assert.equal(String(made.properties.accessKey).length, 92);
    assert.ok((made.metadata.supportedRegions as string[]).includes('eu-central-3'));
    assert.ok(await isAccepted(made, secret));
    const { body: read } = await region.call('GET', `${keys}/${made.id}`);
    assert.equal(read.metadata.status, 'AVAILABLE');
    assert.equal(read.properties.secretKey, undefined);

    const renewed = await region.call('PUT', `/accesskeys/${made.id}/renew`);
    assert.equal(renewed.status, 200);
    assert.equal(renewed.body.properties.accessKey, made.properties.accessKey);
    assert.ok(!(await isAccepted(made, secret)), 'the old secret');
    assert.ok(await isAccepted(made, String(renewed.body.properties.secretKey)));
    const changed = await region.call('PUT', `${keys}/${made.id}`, { properties: { description: 'yours' } });
    assert.deepEqual(
      [changed.status, changed.body.properties.description, changed.body.properties.accessKey],
      [200, 'yours', made.properties.accessKey],
    );
    assert.ok(await isAccepted(made, String(renewed.body.properties.secretKey)), 'a change of the description');
    assert.equal((await region.call('DELETE', `${keys}/${made.id}`)).status, 202);
    assert.ok(!(await isAccepted(made, String(renewed.body.properties.secretKey))), 'when it is removed');
  });

  it('the regions have the address of the S3 interface', async () => {
    const { body } = await region.call('GET', '/objectstorage-management/regions');
    assert.ok(body.items.length >= 6);
    const { status, body: one } = await region.call('GET', '/regions/eu-central-3');
    assert.deepEqual([status, one.properties.endpoint], [200, storageUrl(region)]);
    assert.equal((await region.call('GET', '/regions/nowhere-1')).status, 404);
  });

  it("through the proxy, the regions have the platform's own names", async () => {
    const { body } = await region.call('GET', '/regions/de', undefined, { headers: { host: 's3.ionos.com' } });
    assert.deepEqual(body.properties, {
      version: 2,
      endpoint: 's3.eu-central-1.ionoscloud.com',
      website: 's3-website.de-central.profitbricks.com',
      capability: { iam: false, s3select: false },
      storageClasses: ['standard'],
      location: 'de',
    });
  });
});

test('[OBJ-01] a key of a version without object storage is found when the region starts', async () => {
  await using region = await startRegion();
  const key = await makeStorageKey(region);
  const claim = { contract: 0, place: 'access-key', id: key.accessKeyId };
  await region.halt('SIGTERM');
  // As that version left it: a row without its claim.
  const state = await openState(urlOf(region.data) ?? `sqlite:${region.data}`, Date.now);
  const claimed = await state.get('claim', claim.contract, claim.place, claim.id);
  const { contract, path } = JSON.parse(claimed?.body ?? '{}') as { contract: number; path: string };
  const row = await state.get('resource', contract, path.slice(0, -21), key.accessKeyId);
  assert.ok(row);
  const { holds, ...hidden } = JSON.parse(row.hidden) as { holds: object; secret: string };
  const old = { ...row, hidden: JSON.stringify({ ...hidden, holds: { ...holds, claims: [] } }) };
  const outcome = await state.apply([
    { op: 'update', table: 'resource', row: old },
    { op: 'remove', table: 'claim', key: claim },
  ]);
  assert.ok(outcome.ok);
  await state.close();

  await region.start();
  const buckets = s3Client(region, key).send(new ListBucketsCommand({}));
  assert.deepEqual((await buckets).Buckets ?? [], []);
  const gone = await region.call('DELETE', `/cloudapi/v6/${path}`);
  await waitRequest(region, gone.headers.location);
  await assert.rejects(s3Client(region, key).send(new ListBucketsCommand({})), { name: 'InvalidAccessKeyId' });
});

test('[OBJ-01] behind a balancer, the endpoints are at --objects-public-url, which leads to buckets by path and by host', async () => {
  const args = ['--public-url', 'https://cloud.example', '--objects-public-url', 'https://s3.cloud.example:8443'];
  await using region = await startRegion({ args });
  const { properties } = (await region.call('GET', '/regions/eu-central-3')).body;
  assert.equal(properties.endpoint, 'https://s3.cloud.example:8443');
  assert.equal(properties.website, 'https://s3-website.cloud.example:8443');
  const key = await makeStorageKey(region);
  await s3Client(region, key).send(new CreateBucketCommand({ Bucket: 'public-bucket' }));
  const lookup = (_: unknown, __: unknown, done: (error: null, all: object[]) => void): void =>
    done(null, [{ address: '127.0.0.1', family: 4 }]);
  const httpAgent = new Agent({ lookup: lookup as never });
  const endpoint = `http://s3.cloud.example:${new URL(storageUrl(region)).port}`;
  for (const forcePathStyle of [true, false]) {
    const s3 = s3Client(region, key, { endpoint, forcePathStyle, requestHandler: { httpAgent } });
    const { Name } = await s3.send(new ListObjectsV2Command({ Bucket: 'public-bucket' }));
    assert.equal(Name, 'public-bucket', `path style: ${forcePathStyle}`);
  }
});
