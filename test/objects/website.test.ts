// Websites: the answers of a bucket's website host to a browser.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-s3';
import { makeStorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';

const Bucket = 'site';

describe('websites of buckets', () => {
  let region: Region;
  let s3: aws.S3Client;
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new aws.CreateBucketCommand({ Bucket }));
    const pages = { 'index.html': 'home', 'docs/index.html': 'docs', 'error.html': 'lost', 'style.css': 'a{}' };
    for (const [Key, Body] of Object.entries(pages))
      await s3.send(new aws.PutObjectCommand({ Bucket, Key, Body, ContentType: 'text/html' }));
    await s3.send(new aws.PutObjectCommand({ Bucket, Key: 'moved', Body: '', WebsiteRedirectLocation: '/docs/' }));
    await s3.send(new aws.PutObjectCommand({ Bucket, Key: 'private/page', Body: 'secret' }));
  });
  after(() => region.stop());

  // fetch() does not allow a custom Host.
  const visit = (path: string, { host = `${Bucket}.s3-website.localhost`, method = 'GET', headers = {} } = {}) =>
    new Promise<{ status: number | undefined; location: string | undefined; type: string | undefined; body: string }>(
      (resolve, reject) => {
        const url = new URL(path, storageUrl(region));
        const sent = request(url, { method, headers: { ...headers, host: `${host}:${url.port}` } }, async (answer) => {
          let body = '';
          for await (const piece of answer) body += piece;
          const { location, 'content-type': type } = answer.headers;
          resolve({ status: answer.statusCode, location, type, body });
        });
        sent.once('error', reject).end();
      },
    );
  const configure = (WebsiteConfiguration: aws.WebsiteConfiguration) =>
    s3.send(new aws.PutBucketWebsiteCommand({ Bucket, WebsiteConfiguration }));
  const allow = (...Action: string[]) =>
    s3.send(
      new aws.PutBucketPolicyCommand({
        Bucket,
        Policy: JSON.stringify({
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Principal: '*',
              Action,
              Resource: [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`],
            },
            { Effect: 'Deny', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${Bucket}/private/*` },
          ],
        }),
      }),
    );

  it('serves nothing before it is configured and public', async () => {
    const none = await visit('/');
    assert.equal(none.status, 404);
    assert.match(none.body, /NoSuchWebsiteConfiguration/);
    assert.match(none.type ?? '', /text\/html/);
    await configure({ IndexDocument: { Suffix: 'index.html' }, ErrorDocument: { Key: 'error.html' } });
    assert.equal((await visit('/')).status, 403);
    assert.match((await visit('/', { host: 'nobody.s3-website.localhost' })).body, /NoSuchBucket/);
  });

  it('[OBJ-01] serves index documents, pages, errors and redirects of objects', async () => {
    await configure({ IndexDocument: { Suffix: 'index.html' }, ErrorDocument: { Key: 'error.html' } });
    await allow('s3:GetObject');
    const { body } = await region.call('GET', '/regions/eu-central-3');
    const named = new URL(String(body.properties.website));
    assert.equal(named.port, new URL(storageUrl(region)).port);
    const hosts = [named.hostname, 's3-website.localhost', 's3-website.eu-central-3.ionoscloud.com'];
    for (const host of hosts.map((one) => `site.${one}`)) {
      const home = await visit('/', { host });
      assert.deepEqual([home.status, home.body, home.type], [200, 'home', 'text/html']);
    }
    assert.equal((await visit('/docs/')).body, 'docs');
    const { ETag = '' } = await s3.send(new aws.HeadObjectCommand({ Bucket, Key: 'docs/index.html' }));
    const known = await visit('/docs/', { headers: { 'if-none-match': ETag } });
    assert.deepEqual(known, { status: 304, location: undefined, type: undefined, body: '' });
    const answer = await visit('/style.css?response-content-type=text/plain&partNumber=7&versionId=x');
    assert.deepEqual([answer.status, answer.type, answer.body], [200, 'text/html', 'a{}']);
    assert.deepEqual(await visit('/docs'), { status: 302, location: '/docs/', type: undefined, body: '' });
    assert.equal((await visit('/style.css', { method: 'HEAD' })).status, 200);
    assert.deepEqual((await visit('/moved')).location, '/docs/');
    const missing = await visit('/missing');
    assert.deepEqual([missing.status, missing.body], [403, 'lost']);
    await allow('s3:GetObject', 's3:ListBucket');
    assert.equal((await visit('/missing')).status, 404);
    assert.equal((await visit('/private/page')).body, 'lost');
    assert.equal((await visit('/', { method: 'PUT' })).status, 405);
  });

  it('routing rules redirect by prefix before, and by error after the lookup', async () => {
    await allow('s3:GetObject', 's3:ListBucket');
    await configure({
      IndexDocument: { Suffix: 'index.html' },
      RoutingRules: [
        { Condition: { KeyPrefixEquals: 'old/' }, Redirect: { ReplaceKeyPrefixWith: 'docs/' } },
        {
          Condition: { KeyPrefixEquals: 'shop/', HttpErrorCodeReturnedEquals: '404' },
          Redirect: { HostName: 'shop.example', Protocol: 'https', ReplaceKeyWith: 'x', HttpRedirectCode: '307' },
        },
      ],
    });
    const { port } = new URL(storageUrl(region));
    const old = await visit('/old/a%20b');
    assert.deepEqual([old.status, old.location], [301, `http://site.s3-website.localhost:${port}/docs/a%20b`]);
    const shop = await visit('/shop/cart');
    assert.deepEqual([shop.status, shop.location], [307, 'https://shop.example/x']);
    assert.match((await visit('/other')).body, /<h1>404 Not Found<\/h1>/);
    await configure({ RedirectAllRequestsTo: { HostName: 'new.example', Protocol: 'https' } });
    const all = await visit('/a/b');
    assert.deepEqual([all.status, all.location], [301, 'https://new.example/a/b']);
  });
});
