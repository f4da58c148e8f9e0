// Requests to the object storage that are small or legal, and costly to judge: none of them blocks the main thread.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { sign } from '../../../src/testing/black-box/s3-signature.ts';
import { makeStorageKey, type StorageKey, storageUrl } from '../../harness/objects.ts';
import { assertYields, type MeteredRegion, startMetered } from '../../harness/turns.ts';

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
const times = (count: number, one: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => one(nth)).join('');
const bucket = 'attacked-bucket';

interface Sent {
  method: string;
  path: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  payloadHash?: string;
  isAnonymous?: boolean;
}

const policyOf = (...statements: object[]): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: statements.map((one) => ({ ...allow, ...one })) });
const allow = { Effect: 'Deny', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` };

// A pattern that no key of a's matches, but only at its end.
const hard = (length: number): string => `arn:aws:s3:::${bucket}/*${'a'.repeat(length)}?b*`;
const policies: Record<string, string> = {
  '? patterns': policyOf({ Action: 's3:*', Resource: Array.from({ length: 34 }, () => hard(520)) }),
  'many short patterns': policyOf({
    Action: 's3:*',
    Resource: Array.from({ length: 500 }, (_, nth) => `arn:aws:s3:::*/***?${nth}`),
  }),
  'many networks': policyOf({
    Action: 's3:*',
    Condition: {
      IpAddress: { 'aws:SourceIp': Array.from({ length: 1200 }, (_, nth) => `10.${nth >> 8}.${nth & 255}.1`) },
    },
  }),
  'many statements': policyOf(
    ...Array.from({ length: 130 }, () => ({ Action: 's3:*', Resource: `arn:aws:s3:::${bucket}/?*?` })),
  ),
};

const many = (count: number, length: number): string =>
  `<Delete>${times(count, (nth) => `<Object><Key>${'a'.repeat(length)}${nth}</Key></Object>`)}</Delete>`;
const parts = times(
  10_000,
  (nth) => `<Part><PartNumber>${nth + 1}</PartNumber><ETag>"${'0'.repeat(32)}"</ETag></Part>`,
);
const rule = (nth: number): string =>
  `<Rule><ID>${nth}</ID><Status>Enabled</Status><Filter><Prefix>${nth}/</Prefix></Filter>` +
  '<Expiration><Days>3</Days></Expiration></Rule>';
const grant = '<Grant><Grantee><ID>31000000</ID></Grantee><Permission>READ</Permission></Grant>';
const tag = (nth: number): string => `<Tag><Key>k${nth}</Key><Value>v</Value></Tag>`;
const route = (nth: number): string =>
  `<RoutingRule><Condition><KeyPrefixEquals>${nth}</KeyPrefixEquals></Condition><Redirect>` +
  '<ReplaceKeyPrefixWith>x</ReplaceKeyPrefixWith></Redirect></RoutingRule>';
const corsRules = times(50, (nth) => {
  const others = times(44, (at) => `<AllowedHeader>*x-${nth}-${at}</AllowedHeader>`);
  const headers = `${others}<AllowedHeader>h*</AllowedHeader>`;
  return `<CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>${headers}</CORSRule>`;
});
const cors = `<CORSConfiguration>${corsRules}</CORSConfiguration>`;

const documents: Record<string, [path: string, body: string]> = {
  'deep elements': ['tagging', '<a>'.repeat(80_000)],
  'many elements': ['tagging', `<Tagging>${'<a/>'.repeat(60_000)}</Tagging>`],
  'many attributes': ['tagging', `<Tagging ${times(30_000, (nth) => `a${nth}="" `)}/>`],
  'many entities': ['tagging', `<Tagging>${'&lt;'.repeat(60_000)}</Tagging>`],
  'a long comment': ['tagging', `<Tagging><!--${'- '.repeat(120_000)}--></Tagging>`],
  'comments that do not end': ['tagging', `<Tagging>${'<!--'.repeat(60_000)}</Tagging>`],
  'CDATA sections': ['tagging', `<Tagging>${'<![CDATA[x]]>'.repeat(9000)}</Tagging>`],
  'many tags': ['tagging', `<Tagging><TagSet>${times(1600, tag)}</TagSet></Tagging>`],
  'many lifecycle rules': ['lifecycle', `<LifecycleConfiguration>${times(1000, rule)}</LifecycleConfiguration>`],
  'lifecycle rules': ['lifecycle', `<LifecycleConfiguration>${times(700, rule)}</LifecycleConfiguration>`],
  'many grants': [
    'acl',
    `<AccessControlPolicy><AccessControlList>${grant.repeat(1200)}</AccessControlList></AccessControlPolicy>`,
  ],
  'many routing rules': [
    'website',
    '<WebsiteConfiguration><IndexDocument><Suffix>i</Suffix></IndexDocument>' +
      `<RoutingRules>${times(900, route)}</RoutingRules></WebsiteConfiguration>`,
  ],
  'CORS rules': ['cors', cors],
  'a policy of nested lists': ['policy', '['.repeat(20_000)],
  'a policy of nested objects': ['policy', `{"Statement":${'{"a":'.repeat(4000)}1${'}'.repeat(4000)}}`],
  ...Object.fromEntries(Object.entries(policies).map(([name, body]) => [`a policy of ${name}`, ['policy', body]])),
};

const oneByteChunks = Buffer.from(`${'1\r\na\r\n'.repeat(200_000)}0\r\n\r\n`);
const chunked = {
  'content-encoding': 'aws-chunked',
  'x-amz-decoded-content-length': '200000',
};
const boundary = 'b';
const field = (nth: number): string => `--${boundary}\r\nContent-Disposition: form-data; name="f${nth}"\r\n\r\nx\r\n`;

const requests: Record<string, Sent> = {
  'a completion with 10,000 unknown parts': {
    method: 'POST',
    path: 'key?uploadId=unknown',
    body: `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`,
  },
  'a deletion of 1000 objects': { method: 'POST', path: '?delete', body: many(1000, 1000) },
  'a deletion of short keys': { method: 'POST', path: '?delete', body: many(1000, 1) },
  'a deletion of far too many objects': { method: 'POST', path: '?delete', body: many(20_000, 100) },
  'chunks of one byte': {
    method: 'PUT',
    path: 'chunks',
    body: oneByteChunks,
    headers: { ...chunked, 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' },
    payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  },
  'a long query': { method: 'GET', path: `?list-type=2&${times(2500, (nth) => `a${nth}&`)}prefix=x` },
  'a long prefix and delimiter': {
    method: 'GET',
    path: `?list-type=2&prefix=${'a'.repeat(6000)}&delimiter=${'b'.repeat(6000)}`,
  },
  'many headers': {
    method: 'GET',
    path: 'key',
    headers: Object.fromEntries(Array.from({ length: 900 }, (_, nth) => [`x-amz-meta-${nth}`, 'v'])),
  },
  'a form of many fields': {
    method: 'POST',
    path: '',
    isAnonymous: true,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${times(12_000, field)}--${boundary}--\r\n`,
  },
  'a form with one long line': {
    method: 'POST',
    path: '',
    isAnonymous: true,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `--${boundary}\r\nContent-Disposition: form-data; ${'name="x"; '.repeat(90_000)}\r\n\r\n`,
  },
  'a preflight for many headers': {
    method: 'OPTIONS',
    path: 'key',
    isAnonymous: true,
    headers: {
      origin: 'https://example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': `${times(190, (nth) => `h${nth.toString(36)},`)}zz`,
    },
  },
};

suite('hostile requests to the object storage', () => {
  let metered: MeteredRegion;
  let key: StorageKey;
  before(async () => {
    metered = await startMetered({ args: ['--rate-burst', '100000'] });
    key = await makeStorageKey(metered.region);
    assert.equal(await send({ method: 'PUT', path: '' }), 200);
    for (const [query, body] of [...Object.values(documents).slice(7, 9), ['tagging', '<Tagging/>'] as const])
      await send({ method: 'PUT', path: `?${query}`, body });
    await send({ method: 'POST', path: '?delete', body: many(1000, 100) });
    await send({ ...requests['a form of many fields'], body: `${field(0)}--${boundary}--\r\n` } as Sent); // loads its parser
  });
  after(() => metered.region.stop());

  async function send({
    method,
    path,
    body = '',
    headers = {},
    payloadHash = sha256(body),
    isAnonymous,
  }: Sent): Promise<number> {
    const url = new URL(`${storageUrl(metered.region)}/${bucket}/${path}`);
    const credentials = { accessKey: key.accessKeyId, secretKey: key.secretAccessKey, region: 'eu-central-3' };
    const signed = isAnonymous ? headers : sign({ method, url, headers, payloadHash }, credentials, Date.now());
    const answer = await fetch(url, { method, headers: signed, ...(body.length > 0 && { body }) });
    await answer.arrayBuffer();
    assert.ok(answer.status < 500, `${method} ${path.slice(0, 40)}: ${answer.status}`);
    return answer.status;
  }

  for (const [name, [query, body]] of Object.entries(documents))
    test(`a document: ${name}`, async () => {
      await assertYields(metered, name, () => send({ method: 'PUT', path: `?${query}`, body }));
    });

  for (const [name, sent] of Object.entries(requests))
    test(name, async () => {
      await send({ method: 'DELETE', path: '?policy' });
      assert.equal(await send({ method: 'PUT', path: '?cors', body: cors }), 200);
      await assertYields(metered, name, () => send(sent));
    });

  for (const [name, policy] of Object.entries(policies))
    test(`a deletion of 1000 objects under a policy of ${name}`, async () => {
      assert.equal(await send({ method: 'PUT', path: '?policy', body: policy }), 204);
      await assertYields(metered, name, () => send({ method: 'POST', path: '?delete', body: many(1000, 1000) }));
    });
});
