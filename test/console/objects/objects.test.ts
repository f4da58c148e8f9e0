// S3 calls with a console session: who is accepted or refused, and that no uploaded object can run as a page.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CreateBucketCommand, PutBucketPolicyCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { presign } from '../../../src/testing/black-box/s3-signature.ts';
import { makeStorageKey, s3Client, storageUrl } from '../../harness/objects.ts';
import { addContract, addGroup, addPerson } from '../../harness/people.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { consoleS3 as at, type Headers, ownPage, signIn, type Visitor } from '../harness/calls.ts';

describe('S3 for the console', () => {
  let region: Region;
  let owner: Visitor;
  const statusOf = async (who: Visitor, method: string, path: string, body?: string, headers: Headers = ownPage) =>
    (await who.call<string>(method, path, body, headers)).status;

  before(async () => {
    region = await startRegion();
    owner = await signIn(region, region.owner);
    assert.equal(await statusOf(owner, 'PUT', at('ours')), 200);
    assert.equal(await statusOf(owner, 'PUT', at('ours', 'a/page.html'), '<script>1</script>'), 200);
  });
  after(() => region.stop());

  it('performs the operations of S3 with the rights of the signed-in user', async () => {
    const got = await owner.call<string>('GET', at('ours', 'a/page.html'));
    assert.equal(got.body, '<script>1</script>');
    const list = await owner.call<string>('GET', at('ours', undefined, '?list-type=2&prefix=a/'));
    assert.match(list.body, /<Key>a\/page.html<\/Key>/);
    const head = await owner.call('HEAD', at('ours'));
    assert.equal(head.headers['x-rgw-object-count'], '1');
    assert.equal(head.headers['x-rgw-bytes-used'], '18');
    const people = await Promise.all([addPerson(region), addPerson(region)]);
    const [stranger, member] = people;
    await addGroup(region, ['s3Privilege'], [member.user]);
    const [without, withPrivilege] = [await signIn(region, stranger.basic), await signIn(region, member.basic)];
    assert.equal(await statusOf(without, 'GET', at('ours', 'a/page.html')), 403);
    assert.equal(await statusOf(without, 'GET', '/console/s3/'), 403);
    assert.equal(await statusOf(without, 'PUT', at('theirs')), 403);
    assert.equal(await statusOf(withPrivilege, 'GET', at('ours', 'a/page.html')), 200);
    const other = await addContract(region, 31000077);
    const theirs = await signIn(region, other.basic);
    assert.equal(await statusOf(theirs, 'GET', at('ours', 'a/page.html')), 403);
    assert.equal(await statusOf(theirs, 'DELETE', at('ours', 'a/page.html')), 403);
    assert.equal(await statusOf(theirs, 'GET', at('ours', undefined, '?list-type=2')), 403);
    assert.doesNotMatch((await theirs.call<string>('GET', '/console/s3/')).body, /ours/);
  });

  it("serves only the console's pages, even for public objects and open CORS rules", async () => {
    const s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new CreateBucketCommand({ Bucket: 'public' }));
    const statement = { Effect: 'Allow', Principal: '*', Action: 's3:*', Resource: ['arn:aws:s3:::public/*'] };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await s3.send(new PutBucketPolicyCommand({ Bucket: 'public', Policy }));
    await s3.send(new PutObjectCommand({ Bucket: 'public', Key: 'page.html', Body: '<p>', ContentType: 'text/html' }));
    const path = at('public', 'page.html');
    assert.equal((await region.call('GET', path, undefined, { token: null })).status, 401);
    assert.equal((await region.call('GET', path)).status, 401, 'a bearer token');
    const origin = { 'x-console': '1', origin: 'https://evil.example' };
    const others: Headers[] = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'x-console': '1', 'sec-fetch-site': 'cross-site' },
      { 'x-console': '1', 'sec-fetch-site': 'same-site' },
      origin,
    ];
    const rule = '<AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod><AllowedHeader>*</AllowedHeader>';
    const cors = `<CORSConfiguration><CORSRule>${rule}</CORSRule></CORSConfiguration>`;
    assert.equal(await statusOf(owner, 'PUT', at('public', undefined, '?cors'), cors), 200);
    for (const headers of others) {
      const { status, headers: received } = await owner.call('GET', path, undefined, headers);
      const refused = headers['x-console'] === undefined ? 401 : 403; // the latter are of other origins
      assert.equal(status, refused, JSON.stringify(headers));
      assert.equal(received['access-control-allow-origin'], undefined);
      assert.equal(await statusOf(owner, 'PUT', path, 'x', headers), refused);
    }
    const preflightHeaders = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
    const preflight = await owner.call('OPTIONS', path, undefined, preflightHeaders);
    assert.equal(preflight.status, 405);
    assert.equal(preflight.headers['access-control-allow-origin'], undefined);
    const own = await owner.call('GET', path, undefined, { ...ownPage, origin: region.url });
    assert.equal(own.headers['access-control-allow-origin'], undefined);
    // A signed-in user can read public objects.
    const other = await signIn(region, (await addContract(region, 31000078)).basic);
    assert.equal(await statusOf(other, 'GET', path), 200);
  });

  it('seals contents, so that no browser shows them as pages of this origin', async () => {
    const stored = {
      ...ownPage,
      'content-type': 'text/html',
      'content-disposition': 'inline',
      'cache-control': 'public',
    };
    const path = at('ours', 'inline.html');
    const sent = await owner.call('PUT', path, '<script>alert(1)</script>', { ...stored, 'content-encoding': 'gzip' });
    assert.equal(sent.status, 200);
    const { headers } = await owner.call('GET', path);
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-disposition'], 'attachment');
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(headers['cache-control'], 'no-store');
    const wished = '?response-content-disposition=inline&response-content-type=text/html';
    assert.equal((await owner.call('GET', path + wished)).headers['content-disposition'], 'attachment');
    const fault = await owner.call('GET', at('ours', '<b>'));
    assert.equal(fault.status, 404);
    assert.equal(fault.headers['content-disposition'], 'attachment');
    const head = await owner.call('HEAD', path);
    assert.equal(head.headers['content-disposition'], 'inline', 'the stored headers are returned');
  });

  it('lets no browser run an object as a page of the console’s origin, which also serves presigned addresses', async () => {
    const { accessKeyId, secretAccessKey } = await makeStorageKey(region);
    // Header names as values don't replace the missing headers.
    const hiding = { 'x-amz-meta-a': 'Content-Security-Policy', 'x-amz-meta-b': 'X-Content-Type-Options' };
    const put = { ...ownPage, ...hiding, 'content-type': 'text/html', 'content-language': 'Content-Security-Policy' };
    assert.equal((await owner.call('PUT', at('ours', 'evil.html'), '<script>1</script>', put)).status, 200);
    const opened = (endpoint: string, key: string): Promise<Response> => {
      const request = { method: 'GET', endpoint, bucket: 'ours', key, query: {}, expiresS: 60 };
      const signer = { accessKey: accessKeyId, secretKey: secretAccessKey, region: 'eu-central-3' };
      return fetch(presign(request, signer, Date.now()));
    };
    for (const key of ['evil.html', '<script>']) {
      const { status, headers } = await opened(region.url, key);
      assert.equal(status, key === 'evil.html' ? 200 : 404);
      assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'", key);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', key);
    }
    // The S3 listener is another origin, where uploaded pages work.
    const fromStorage = await opened(storageUrl(region), 'evil.html');
    assert.equal(fromStorage.headers.get('content-type'), 'text/html');
    assert.equal(fromStorage.headers.get('content-security-policy'), null);
    const text = await region.call('GET', '/metrics', undefined, { token: null });
    assert.equal(text.headers['content-security-policy'], "sandbox; default-src 'none'");
  });

  it('accepts any key, including those whose dots a browser would resolve', async () => {
    const keys = [
      '..',
      '.',
      '../../etc',
      'a/../b',
      '/',
      '//',
      ' trailing ',
      '<img src=x>',
      '\u202egnp.exe',
      'x'.repeat(1024),
    ];
    for (const key of keys) {
      const path = new URL(at('ours', key), region.url).pathname; // as a browser would send it
      assert.equal(await statusOf(owner, 'PUT', path, key), 200, key);
      const got = await owner.call<string>('GET', path);
      assert.equal(got.body, key);
      assert.equal(await statusOf(owner, 'DELETE', path), 204, key);
    }
  });

  it("creates presigned links only with the user's own keys", async () => {
    const key = await makeStorageKey(region);
    const link = { method: 'GET', bucket: 'ours', key: 'a/../ü b.txt', accessKey: key.accessKeyId, expiresS: 60 };
    assert.equal(await statusOf(owner, 'PUT', at('ours', link.key), 'shared'), 200);
    const made = await owner.call<{ url: string }>('POST', '/console/object-links', { ...link, fileName: 'ü.txt' });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const got = await fetch(made.body.url);
    assert.equal(await got.text(), 'shared');
    assert.equal(got.headers.get('content-disposition'), "attachment; filename*=UTF-8''%C3%BC.txt");
    assert.equal((await fetch(made.body.url, { method: 'PUT', body: 'x' })).status, 403);
    const person = await addPerson(region);
    await addGroup(region, ['s3Privilege'], [person.user]);
    const member = await signIn(region, person.basic);
    assert.equal((await member.call('POST', '/console/object-links', link)).status, 422);
    const wrong = [{ expiresS: 0 }, { expiresS: 604_801 }, { method: 'DELETE' }, { key: '' }, { bucket: '..' }];
    for (const more of wrong) {
      const { status } = await owner.call('POST', '/console/object-links', { ...link, ...more });
      assert.ok(status >= 400 && status < 500, `${JSON.stringify(more)}: ${status}`);
    }
    const cross = { 'x-console': '1', 'sec-fetch-site': 'cross-site' };
    assert.equal((await owner.call('POST', '/console/object-links', link, cross)).status, 403);
  });
});
