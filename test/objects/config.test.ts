// The configurations of buckets through the AWS SDK: stored values are returned, missing ones have their own error
// codes, and values that the bucket can't have are refused.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { makeStorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';

const Bucket = 'config-bucket';

describe('configurations of buckets', () => {
  let region: Region;
  let s3: aws.S3Client;
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new aws.CreateBucketCommand({ Bucket }));
  });
  after(() => region.stop());

  const cors: aws.CORSRule[] = [
    {
      ID: '1',
      AllowedHeaders: ['x-amz-*'],
      AllowedMethods: ['GET', 'PUT'],
      AllowedOrigins: ['https://*.example.com'],
      ExposeHeaders: ['ETag'],
      MaxAgeSeconds: 600,
    },
  ];
  const website: aws.WebsiteConfiguration = {
    IndexDocument: { Suffix: 'index.html' },
    ErrorDocument: { Key: 'error.html' },
    RoutingRules: [
      { Condition: { KeyPrefixEquals: 'old/' }, Redirect: { ReplaceKeyPrefixWith: 'new/', HttpRedirectCode: '302' } },
    ],
  };
  const block = {
    BlockPublicAcls: true,
    IgnorePublicAcls: false,
    BlockPublicPolicy: true,
    RestrictPublicBuckets: false,
  };
  const encryption: aws.ServerSideEncryptionConfiguration = {
    Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: false }],
  };
  const tags = [{ Key: 'team', Value: 'a + b' }];
  const ownership: aws.OwnershipControls = { Rules: [{ ObjectOwnership: 'BucketOwnerPreferred' }] };

  // How a configuration is read and set, and the code while it is not set.
  const settings: [string, () => Promise<unknown>, () => Promise<unknown>, unknown, () => Promise<unknown>][] = [
    [
      'NoSuchCORSConfiguration',
      async () => (await s3.send(new aws.GetBucketCorsCommand({ Bucket }))).CORSRules,
      () => s3.send(new aws.PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: cors } })),
      cors,
      () => s3.send(new aws.DeleteBucketCorsCommand({ Bucket })),
    ],
    [
      'NoSuchWebsiteConfiguration',
      async () => {
        const { $metadata: _, ...rest } = await s3.send(new aws.GetBucketWebsiteCommand({ Bucket }));
        return rest;
      },
      () => s3.send(new aws.PutBucketWebsiteCommand({ Bucket, WebsiteConfiguration: website })),
      website,
      () => s3.send(new aws.DeleteBucketWebsiteCommand({ Bucket })),
    ],
    [
      'NoSuchPublicAccessBlockConfiguration',
      async () => (await s3.send(new aws.GetPublicAccessBlockCommand({ Bucket }))).PublicAccessBlockConfiguration,
      () => s3.send(new aws.PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: block })),
      block,
      () => s3.send(new aws.DeletePublicAccessBlockCommand({ Bucket })),
    ],
    [
      'ServerSideEncryptionConfigurationNotFoundError',
      async () => (await s3.send(new aws.GetBucketEncryptionCommand({ Bucket }))).ServerSideEncryptionConfiguration,
      () => s3.send(new aws.PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: encryption })),
      encryption,
      () => s3.send(new aws.DeleteBucketEncryptionCommand({ Bucket })),
    ],
    [
      'NoSuchTagSet',
      async () => (await s3.send(new aws.GetBucketTaggingCommand({ Bucket }))).TagSet,
      () => s3.send(new aws.PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: tags } })),
      tags,
      () => s3.send(new aws.DeleteBucketTaggingCommand({ Bucket })),
    ],
    [
      'OwnershipControlsNotFoundError',
      async () => (await s3.send(new aws.GetBucketOwnershipControlsCommand({ Bucket }))).OwnershipControls,
      () => s3.send(new aws.PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: ownership })),
      ownership,
      () => s3.send(new aws.DeleteBucketOwnershipControlsCommand({ Bucket })),
    ],
  ];

  it('[OBJ-01] a stored configuration is returned, and a missing one has its own code', async () => {
    for (const [code, read, put, value, remove] of settings) {
      await assert.rejects(read(), { name: code });
      await put();
      assert.deepEqual(await read(), value, code);
      await remove();
      await remove();
      await assert.rejects(read(), { name: code });
    }
    await assert.rejects(s3.send(new aws.GetBucketReplicationCommand({ Bucket })), {
      name: 'ReplicationConfigurationNotFoundError',
    });
  });

  it('the public access block is JSON for clients that request it', async () => {
    await s3.send(new aws.PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: block }));
    const url = await getSignedUrl(s3, new aws.GetPublicAccessBlockCommand({ Bucket }));
    const answer = await fetch(url, { headers: { accept: 'application/json' } });
    assert.deepEqual(await answer.json(), block);
    await s3.send(new aws.DeletePublicAccessBlockCommand({ Bucket }));
  });

  it('lifecycle rules keep the form in which they were sent, and get ids', async () => {
    const read = async () => (await s3.send(new aws.GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules;
    const put = (Rules: aws.LifecycleRule[]) =>
      s3.send(new aws.PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }));
    await assert.rejects(read(), { name: 'NoSuchLifecycleConfiguration' });
    const rules: aws.LifecycleRule[] = [
      { ID: 'a', Status: 'Enabled', Prefix: 'logs/', Expiration: { Days: 30 } },
      { ID: 'b', Status: 'Disabled', Filter: { Prefix: '' }, Expiration: { Date: new Date('2030-01-01T00:00:00Z') } },
      {
        ID: 'c',
        Status: 'Enabled',
        Filter: { And: { Tags: [{ Key: 'k', Value: 'v' }] } },
        NoncurrentVersionExpiration: { NoncurrentDays: 3, NewerNoncurrentVersions: 2 },
      },
      {
        Status: 'Enabled',
        Filter: { ObjectSizeGreaterThan: 500 },
        Expiration: { Days: 5 },
      },
      {
        ID: 'e',
        Status: 'Enabled',
        Filter: { Prefix: 'parts/' },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
      },
    ];
    await put(rules);
    const kept = (await read()) ?? [];
    assert.match(kept[3]?.ID ?? '', /./);
    assert.deepEqual(kept, rules.with(3, { ...rules[3], ID: kept[3]?.ID } as aws.LifecycleRule));
    await assert.rejects(put([{ Status: 'Enabled', Filter: {}, Expiration: { Days: 0 } }]), {
      name: 'InvalidArgument',
    });
    await s3.send(new aws.DeleteBucketLifecycleCommand({ Bucket }));
    await assert.rejects(read(), { name: 'NoSuchLifecycleConfiguration' });
  });

  it('object lock needs versioning, can be enabled later, and keeps versioning from being suspended', async () => {
    const lock = (Rule?: aws.ObjectLockRule) =>
      s3.send(
        new aws.PutObjectLockConfigurationCommand({
          Bucket,
          ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled', ...(Rule && { Rule }) },
        }),
      );
    const version = (Status: aws.BucketVersioningStatus) =>
      s3.send(new aws.PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
    const versioning = async () => (await s3.send(new aws.GetBucketVersioningCommand({ Bucket }))).Status;
    const locked = new aws.GetObjectLockConfigurationCommand({ Bucket });
    assert.equal(await versioning(), undefined);
    await assert.rejects(s3.send(locked), { name: 'ObjectLockConfigurationNotFoundError' });
    await assert.rejects(lock(), { name: 'InvalidBucketState' });
    await version('Suspended');
    await version('Enabled');
    assert.equal(await versioning(), 'Enabled');
    const rule: aws.ObjectLockRule = { DefaultRetention: { Mode: 'GOVERNANCE', Days: 3 } };
    await lock(rule);
    const { ObjectLockConfiguration } = await s3.send(locked);
    assert.deepEqual(ObjectLockConfiguration, { ObjectLockEnabled: 'Enabled', Rule: rule });
    await lock();
    // The text is one that Terraform recognizes.
    await assert.rejects(version('Suspended'), {
      name: 'InvalidBucketState',
      message: 'bucket versioning cannot be disabled on buckets with object lock enabled',
    });
    assert.equal(await versioning(), 'Enabled');
  });

  it('unsupported parts of S3 are empty when read, and NotImplemented when set', async () => {
    const logging = await s3.send(new aws.GetBucketLoggingCommand({ Bucket }));
    assert.equal(logging.LoggingEnabled, undefined);
    const { $metadata: _, ...notification } = await s3.send(
      new aws.GetBucketNotificationConfigurationCommand({ Bucket }),
    );
    assert.deepEqual(notification, {});
    assert.equal((await s3.send(new aws.GetBucketAccelerateConfigurationCommand({ Bucket }))).Status, undefined);
    assert.equal((await s3.send(new aws.GetBucketRequestPaymentCommand({ Bucket }))).Payer, 'BucketOwner');
    const put = new aws.PutBucketRequestPaymentCommand({
      Bucket,
      RequestPaymentConfiguration: { Payer: 'Requester' },
    });
    await assert.rejects(s3.send(put), { name: 'NotImplemented' });
  });

  it('a preflight needs no credentials, and answers to allowed origins have the headers of the rules', async () => {
    await s3.send(new aws.PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: cors } }));
    const preflight = (origin: string) =>
      fetch(`${storageUrl(region)}/${Bucket}/some/key`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'x-amz-meta-a, X-Amz-Acl',
        },
      });
    const allowed = await preflight('https://app.example.com');
    assert.equal(allowed.status, 200);
    assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example.com');
    assert.equal(allowed.headers.get('access-control-allow-methods'), 'GET, PUT');
    assert.equal(allowed.headers.get('access-control-allow-headers'), 'x-amz-meta-a, x-amz-acl');
    assert.equal(allowed.headers.get('access-control-max-age'), '600');
    const other = await preflight('https://example.org');
    assert.equal(other.status, 403);
    assert.match(await other.text(), /<Code>AccessForbidden<\/Code>/);
    const refused = await fetch(`${storageUrl(region)}/${Bucket}/key`, {
      headers: { origin: 'https://a.example.com' },
    });
    assert.equal(refused.status, 403);
    assert.equal(refused.headers.get('access-control-allow-origin'), 'https://a.example.com');
    assert.equal(refused.headers.get('access-control-expose-headers'), 'ETag');
  });
});
