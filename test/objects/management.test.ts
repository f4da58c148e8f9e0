// The management API of the object storage: access keys of users, and the regions.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ListBucketsCommand } from '@aws-sdk/client-s3';
import { s3Client, storageUrl } from '../harness/objects.ts';
import { type Region, type Shown, startRegion } from '../harness/region.ts';

const keys = '/objectstorage-management/accesskeys';

describe('object storage management', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const isAccepted = async (made: Shown, secretAccessKey: string): Promise<boolean> => {
    const s3 = s3Client(region, { accessKeyId: String(made.properties.accessKey), secretAccessKey });
    return s3.send(new ListBucketsCommand({})).then(
      () => true,
      (error: Error) => {
        assert.match(error.name, /^(SignatureDoesNotMatch|InvalidAccessKeyId)$/);
        return false;
      },
    );
  };

  it('[OBJ-01] an access key signs, tells its secret once, and stops working when it is renewed or removed', async () => {
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

  it('the regions name the address of the S3 interface', async () => {
    const { body } = await region.call('GET', '/objectstorage-management/regions');
    assert.ok(body.items.length >= 6);
    const { status, body: one } = await region.call('GET', '/regions/eu-central-3');
    assert.deepEqual([status, one.properties.endpoint], [200, storageUrl(region)]);
    assert.equal((await region.call('GET', '/regions/nowhere-1')).status, 404);
  });
});
