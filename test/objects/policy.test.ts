// Rights in a bucket: anonymous callers, other contracts, policies, access control lists, and blocks of public access.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-s3';
import { makeStorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { addGroup, addPerson } from '../harness/people.ts';
import { type Region, startRegion, waitRequest } from '../harness/region.ts';
import { secondContract } from '../sweep/world.ts';

const denied = { name: 'AccessDenied' };

describe('access to buckets', () => {
  let region: Region;
  let s3: aws.S3Client; // of the bucket's contract
  let other: aws.S3Client; // of another contract
  let otherContract: number;
  let otherCanonicalId: string; // of the other contract's owner
  let buckets = 0;
  let Bucket = '';
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
    const { contract, token } = await secondContract(region);
    otherContract = contract;
    const users = await region.call('GET', '/cloudapi/v6/um/users?depth=1', undefined, { token });
    otherCanonicalId = String(users.body.items[0]?.properties.s3CanonicalUserId);
    other = s3Client(region, await makeStorageKey(region, { id: users.body.items[0]?.id ?? '', token }));
  });
  beforeEach(async () => {
    Bucket = `bucket-${++buckets}`;
    await s3.send(new aws.CreateBucketCommand({ Bucket }));
    await s3.send(new aws.PutObjectCommand({ Bucket, Key: 'open/a.txt', Body: 'hello' }));
    await s3.send(new aws.PutObjectCommand({ Bucket, Key: 'secret', Body: 'hidden' }));
  });
  after(() => region.stop());

  const anonymous = (key: string, init: RequestInit = {}) => fetch(`${storageUrl(region)}/${Bucket}/${key}`, init);
  const setPolicy = (...statements: object[]) =>
    s3.send(
      new aws.PutBucketPolicyCommand({
        Bucket,
        Policy: JSON.stringify({ Version: '2012-10-17', Statement: statements }),
      }),
    );
  const statement = (more: object) => ({
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::${Bucket}/open/*`,
    ...more,
  });
  const setBlock = (block: aws.PublicAccessBlockConfiguration) =>
    s3.send(new aws.PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: block }));
  const isPublic = async () => (await s3.send(new aws.GetBucketPolicyStatusCommand({ Bucket }))).PolicyStatus?.IsPublic;

  it('[OBJ-01] anonymous callers and other contracts cannot access a bucket that is not shared', async () => {
    const attempts: aws.S3Client[] = [other, s3Client(region, { accessKeyId: '', secretAccessKey: '' }, unsigned)];
    for (const client of attempts) {
      for (const attempt of [
        () => client.send(new aws.GetObjectCommand({ Bucket, Key: 'secret' })),
        () => client.send(new aws.GetObjectCommand({ Bucket, Key: 'missing' })),
        () => client.send(new aws.PutObjectCommand({ Bucket, Key: 'secret', Body: 'mine' })),
        () => client.send(new aws.DeleteObjectCommand({ Bucket, Key: 'secret' })),
        () => client.send(new aws.ListObjectsV2Command({ Bucket })),
        () => client.send(new aws.GetBucketPolicyCommand({ Bucket })),
        () => client.send(new aws.PutBucketPolicyCommand({ Bucket, Policy: '{}' })),
        () => client.send(new aws.PutBucketAclCommand({ Bucket, ACL: 'public-read-write' })),
        () => client.send(new aws.GetBucketTaggingCommand({ Bucket })),
        () =>
          client.send(new aws.PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } })),
        () => client.send(new aws.DeleteBucketCommand({ Bucket })),
      ])
        await assert.rejects(attempt(), denied);
    }
    await assert.rejects(other.send(new aws.CreateBucketCommand({ Bucket })), { name: 'BucketAlreadyExists' });
    const mine = await s3.send(new aws.GetObjectCommand({ Bucket, Key: 'secret' }));
    assert.equal(await mine.Body?.transformToString(), 'hidden');
  });

  it('a policy is returned as sent, allows what it names, and a denial overrides it', async () => {
    await assert.rejects(s3.send(new aws.GetBucketPolicyCommand({ Bucket })), { name: 'NoSuchBucketPolicy' });
    const Policy = `{"Version": "2012-10-17",\n "Statement": ${JSON.stringify(statement({ Sid: 'open' }))}}`;
    await s3.send(new aws.PutBucketPolicyCommand({ Bucket, Policy }));
    assert.equal((await s3.send(new aws.GetBucketPolicyCommand({ Bucket }))).Policy, Policy);
    assert.equal(await isPublic(), true);
    assert.equal(await (await anonymous('open/a.txt')).text(), 'hello');
    assert.equal((await anonymous('secret')).status, 403);
    assert.equal((await anonymous('open/missing')).status, 403);
    assert.equal((await anonymous('open/a.txt', { method: 'PUT', body: 'x' })).status, 403);
    await setPolicy(statement({}), statement({ Effect: 'Deny', Resource: `arn:aws:s3:::${Bucket}/open/a.txt` }));
    assert.equal((await anonymous('open/a.txt')).status, 403);
    await assert.rejects(s3.send(new aws.GetObjectCommand({ Bucket, Key: 'open/a.txt' })), denied);
    await s3.send(new aws.DeleteBucketPolicyCommand({ Bucket }));
    await s3.send(new aws.GetObjectCommand({ Bucket, Key: 'open/a.txt' }));
    await assert.rejects(s3.send(new aws.PutBucketPolicyCommand({ Bucket, Policy: '{' })), { name: 'MalformedPolicy' });
  });

  it('a policy can give another contract rights, but never to the policy itself', async () => {
    const principal = { Principal: { AWS: `arn:aws:iam::${otherContract}:root` } };
    const Resource = [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`];
    await setPolicy(statement({ ...principal, Action: 's3:*', Resource }));
    assert.equal(await isPublic(), false);
    await other.send(new aws.GetObjectCommand({ Bucket, Key: 'secret' }));
    await other.send(new aws.PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: [{ Key: 'a', Value: 'b' }] } }));
    await assert.rejects(other.send(new aws.GetBucketPolicyCommand({ Bucket })), { name: 'MethodNotAllowed' });
    await assert.rejects(other.send(new aws.DeleteBucketPolicyCommand({ Bucket })), { name: 'MethodNotAllowed' });
    assert.equal((await anonymous('secret')).status, 403);
  });

  it('callers who may list a prefix learn that a key below it is missing', async () => {
    const Condition = { StringLike: { 's3:prefix': 'open/*' } };
    await setPolicy(statement({ Action: 's3:ListBucket', Resource: `arn:aws:s3:::${Bucket}`, Condition }));
    assert.equal((await anonymous('open/missing', { method: 'HEAD' })).status, 404);
    assert.equal((await anonymous('missing', { method: 'HEAD' })).status, 403);
    assert.equal((await anonymous('open/a.txt', { method: 'HEAD' })).status, 403);
  });

  it('an administrator who is locked out by a policy can still delete it', async () => {
    const Resource = [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`];
    await setPolicy(statement({ Effect: 'Deny', Action: 's3:*', Resource }));
    await assert.rejects(s3.send(new aws.ListObjectsV2Command({ Bucket })), denied);
    await s3.send(new aws.DeleteBucketPolicyCommand({ Bucket }));
    await s3.send(new aws.ListObjectsV2Command({ Bucket }));
  });

  it('[OBJ-01] blocks of public access refuse to make a bucket public, and close public ones', async () => {
    await setBlock({ BlockPublicPolicy: true, BlockPublicAcls: true });
    await assert.rejects(setPolicy(statement({})), denied);
    await assert.rejects(s3.send(new aws.PutBucketAclCommand({ Bucket, ACL: 'public-read' })), denied);
    await assert.rejects(
      s3.send(new aws.PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ACL: 'public-read' })),
      denied,
    );
    await setPolicy(statement({ Principal: { AWS: `${otherContract}` } }));
    await s3.send(new aws.DeletePublicAccessBlockCommand({ Bucket }));
    await setPolicy(statement({}));
    await s3.send(new aws.PutBucketAclCommand({ Bucket, ACL: 'public-read' }));
    assert.equal((await anonymous('open/a.txt')).status, 200);
    assert.equal((await anonymous('')).status, 200);
    await setBlock({ RestrictPublicBuckets: true, IgnorePublicAcls: true });
    assert.equal((await anonymous('open/a.txt')).status, 403);
    assert.equal((await anonymous('')).status, 403);
    await assert.rejects(other.send(new aws.GetObjectCommand({ Bucket, Key: 'open/a.txt' })), denied);
    await s3.send(new aws.GetObjectCommand({ Bucket, Key: 'open/a.txt' }));
  });

  it('access control lists are set by canned names, headers and documents', async () => {
    const acl = async () => (await s3.send(new aws.GetBucketAclCommand({ Bucket }))).Grants ?? [];
    const owner = String(region.contract);
    const id = String(otherContract);
    assert.deepEqual(
      (await acl()).map(({ Grantee, Permission }) => [Grantee?.ID, Permission]),
      [[owner, 'FULL_CONTROL']],
    );
    await assert.rejects(other.send(new aws.ListObjectsV2Command({ Bucket })), denied);
    await s3.send(new aws.PutBucketAclCommand({ Bucket, GrantRead: `id="${id}"` }));
    await other.send(new aws.ListObjectsV2Command({ Bucket }));
    await assert.rejects(other.send(new aws.GetBucketAclCommand({ Bucket })), denied);
    await s3.send(new aws.PutBucketAclCommand({ Bucket, GrantRead: `id=${'0'.repeat(32)}` }));
    await assert.rejects(other.send(new aws.ListObjectsV2Command({ Bucket })), denied);
    await s3.send(new aws.PutBucketAclCommand({ Bucket, GrantRead: `id=${otherCanonicalId}` }));
    await other.send(new aws.ListObjectsV2Command({ Bucket }));
    await s3.send(new aws.PutBucketAclCommand({ Bucket, ACL: 'authenticated-read' }));
    assert.equal((await acl())[0]?.Grantee?.URI, 'http://acs.amazonaws.com/groups/global/AuthenticatedUsers');
    assert.equal((await anonymous('')).status, 403);
    const Grants: aws.Grant[] = [{ Grantee: { Type: 'CanonicalUser', ID: id }, Permission: 'WRITE' }];
    const document = { Owner: { ID: owner }, Grants };
    await s3.send(new aws.PutBucketAclCommand({ Bucket, AccessControlPolicy: document }));
    await other.send(new aws.PutObjectCommand({ Bucket, Key: 'theirs', Body: 'x' }));
    await assert.rejects(other.send(new aws.ListObjectsV2Command({ Bucket })), denied);
    const enforced = new aws.PutBucketOwnershipControlsCommand({
      Bucket,
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    });
    await assert.rejects(s3.send(enforced), { name: 'InvalidBucketAclWithObjectOwnership' });
    await s3.send(new aws.PutBucketAclCommand({ Bucket, ACL: 'private' }));
    await s3.send(enforced);
    const unsupported = { name: 'AccessControlListNotSupported' };
    await assert.rejects(s3.send(new aws.PutBucketAclCommand({ Bucket, ACL: 'public-read' })), unsupported);
    const put = (ACL?: aws.ObjectCannedACL) => s3.send(new aws.PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ACL }));
    await assert.rejects(put('private'), unsupported);
    await put('bucket-owner-full-control');
    await put();
  });

  it('callers who may write to a bucket may upload in parts, list the parts and abort the upload', async () => {
    const begin = () => other.send(new aws.CreateMultipartUploadCommand({ Bucket, Key: 'parts' }));
    await assert.rejects(begin(), denied);
    const { UploadId } = await s3.send(new aws.CreateMultipartUploadCommand({ Bucket, Key: 'parts' }));
    const ofOwner = { Bucket, Key: 'parts', UploadId };
    await assert.rejects(other.send(new aws.ListPartsCommand(ofOwner)), denied);
    await assert.rejects(other.send(new aws.AbortMultipartUploadCommand(ofOwner)), denied);
    await s3.send(new aws.PutBucketAclCommand({ Bucket, GrantWrite: `id="${otherContract}"` }));
    const upload = { Bucket, Key: 'parts', UploadId: (await begin()).UploadId };
    await other.send(new aws.UploadPartCommand({ ...upload, PartNumber: 1, Body: 'x' }));
    assert.equal((await other.send(new aws.ListPartsCommand(upload))).Parts?.length, 1);
    await other.send(new aws.AbortMultipartUploadCommand(upload));
    await assert.rejects(other.send(new aws.ListPartsCommand(upload)), { name: 'NoSuchUpload' });
  });

  it('unknown actions and principals are refused', async () => {
    const malformed = { name: 'MalformedPolicy' };
    for (const Action of ['s3:GetObjekt', 's3:Gett*', ['s3:GetObject', 's3:ListBuckets']])
      await assert.rejects(setPolicy(statement({ Action })), malformed);
    for (const AWS of ['somebody', 'arn:aws:s3:::user/x', 'arn:aws:iam::31000002:group/x'])
      await assert.rejects(setPolicy(statement({ Principal: { AWS } })), malformed);
    const Resource = [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`];
    const Action = ['s3:Get*', 's3:getobjectACL', 's3:*Tagging', 's3:PutLifecycleConfiguration', 's3:?istBucket'];
    await setPolicy(statement({ Action, Resource, Principal: { AWS: ['31000002', 'arn:aws:iam::31000002:root'] } }));
  });

  it('a policy may name another bucket, which gives no rights to this one', async () => {
    const policy = { Principal: '*', Resource: ['arn:aws:s3:::tf-test-bucket', 'arn:aws:s3:::tf-test-bucket/*'] };
    await setPolicy(statement({ Effect: 'Deny', Action: 's3:*', ...policy }));
    await s3.send(new aws.ListObjectsV2Command({ Bucket }));
    await setPolicy(statement({ Action: 's3:*', ...policy }));
    await assert.rejects(other.send(new aws.ListObjectsV2Command({ Bucket })), { name: 'AccessDenied' });
  });

  it("a user's bucket belongs to that user alone, and to the administrators once the user is deleted", async () => {
    const LocationConstraint = 'de' as aws.BucketLocationConstraint;
    const create = new aws.CreateBucketCommand({
      Bucket: `${Bucket}-own`,
      CreateBucketConfiguration: { LocationConstraint },
    });
    const { user, token } = await addPerson(region);
    await addGroup(region, ['s3Privilege'], [user]);
    const theirs = s3Client(region, await makeStorageKey(region, { id: user.id, token }));
    await theirs.send(create);
    await theirs.send(new aws.PutObjectCommand({ Bucket: `${Bucket}-own`, Key: 'k', Body: 'x' }));
    await assert.rejects(theirs.send(create), { name: 'BucketAlreadyOwnedByYou' });
    await assert.rejects(s3.send(create), { name: 'BucketAlreadyExists' });
    const names = async () => (await s3.send(new aws.ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name);
    const get = () => s3.send(new aws.GetObjectCommand({ Bucket: `${Bucket}-own`, Key: 'k' }));
    await assert.rejects(get(), denied);
    assert.ok(!(await names())?.includes(`${Bucket}-own`));
    const colleague = await addPerson(region);
    await addGroup(region, ['s3Privilege'], [colleague.user]);
    const others = s3Client(region, await makeStorageKey(region, { id: colleague.user.id, token: colleague.token }));

    await waitRequest(region, (await region.call('DELETE', `/cloudapi/v6/um/users/${user.id}`)).headers.location);
    assert.equal(await (await get()).Body?.transformToString(), 'x');
    assert.ok((await names())?.includes(`${Bucket}-own`));
    await assert.rejects(s3.send(create), { name: 'BucketAlreadyOwnedByYou' });
    await assert.rejects(others.send(new aws.ListObjectsV2Command({ Bucket: `${Bucket}-own` })), denied);
    await s3.send(new aws.DeleteObjectCommand({ Bucket: `${Bucket}-own`, Key: 'k' }));
    await s3.send(new aws.DeleteBucketCommand({ Bucket: `${Bucket}-own` }));
  });

  it('the expected owner of a bucket is checked', async () => {
    const ask = (ExpectedBucketOwner: string) =>
      s3.send(new aws.GetBucketLocationCommand({ Bucket, ExpectedBucketOwner }));
    await ask(String(region.contract));
    await assert.rejects(ask(String(otherContract)), denied);
  });
});

// Sends requests without a signature.
const unsigned: aws.S3ClientConfig = { signer: { sign: async (request) => request } };
