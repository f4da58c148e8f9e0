// The documents that clients send to S3, in their original form, and the errors of others.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { cannedGrants, grantsContent, isPublicAcl, readAccessControlPolicy } from './access-control-document.ts';
import {
  readCorsConfiguration,
  readCreateBucketConfiguration,
  readEncryptionConfiguration,
  readPublicAccessBlock,
  readTagging,
  readVersioningConfiguration,
} from './bucket-documents.ts';
import { readLifecycleConfiguration } from './lifecycle-document.ts';
import {
  readCompleteMultipartUpload,
  readDelete,
  readLegalHold,
  readObjectLockConfiguration,
  readRetention,
} from './object-documents.ts';
import { readWebsiteConfiguration } from './website-document.ts';
import { writeXml } from './writer.ts';

const refuses = (read: () => unknown, code = 'MalformedXML'): void =>
  assert.throws(read, (error) => error instanceof Fault && error.detail.code === code, `${code} is expected`);

const now = Date.UTC(2026, 0, 1);

suite('buckets', () => {
  test('CreateBucketConfiguration', () => {
    assert.deepEqual(readCreateBucketConfiguration(''), { locationConstraint: undefined });
    const body =
      '<CreateBucketConfiguration xmlns="urn:x"><LocationConstraint>de</LocationConstraint></CreateBucketConfiguration>';
    assert.deepEqual(readCreateBucketConfiguration(body), { locationConstraint: 'de' });
    const wrapped = `<CreateBucketRequest>${body}</CreateBucketRequest>`; // by Terraform, for buckets of users
    assert.deepEqual(readCreateBucketConfiguration(wrapped), { locationConstraint: 'de' });
    assert.deepEqual(readCreateBucketConfiguration('<CreateBucketRequest/>'), { locationConstraint: undefined });
    refuses(() => readCreateBucketConfiguration('<Other/>'));
  });

  test('VersioningConfiguration', () => {
    const read = (inside: string) =>
      readVersioningConfiguration(`<VersioningConfiguration>${inside}</VersioningConfiguration>`);
    assert.deepEqual(read('<Status>Enabled</Status>'), { status: 'Enabled' });
    assert.deepEqual(read('<Status>Suspended</Status><MfaDelete>Disabled</MfaDelete>'), {
      status: 'Suspended',
      mfaDelete: 'Disabled',
    });
    refuses(() => read('<Status>enabled</Status>'));
    refuses(() => read(''), 'IllegalVersioningConfigurationException');
    refuses(() => read('<Status>Enabled</Status><MfaDelete>Enabled</MfaDelete>'), 'NotImplemented');
  });

  test('Tagging', () => {
    assert.deepEqual(readTagging('<Tagging><Tag><Key>a</Key><Value>b</Value></Tag></Tagging>', 10), [
      { key: 'a', value: 'b' },
    ]);
    const read = (inside: string) => readTagging(`<Tagging><TagSet>${inside}</TagSet></Tagging>`, 10);
    const tag = (key: string, value: string) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`;
    assert.deepEqual(read(tag('a', '') + tag('b', 'x y')), [
      { key: 'a', value: '' },
      { key: 'b', value: 'x y' },
    ]);
    assert.deepEqual(read(''), []);
    refuses(() => readTagging('<Tagging/>', 10));
    refuses(() => read('<Tag><Key>a</Key></Tag>'));
    refuses(() => read(tag('a', '1') + tag('a', '2')), 'InvalidTag');
    refuses(() => read(tag('', '1')), 'InvalidTag');
    refuses(() => read(tag('aws:x', '1')), 'InvalidTag');
    refuses(() => read(tag('x'.repeat(129), '1')), 'InvalidTag');
    refuses(() => read(tag('x', 'y'.repeat(257))), 'InvalidTag');
    refuses(() => read(Array.from({ length: 11 }, (_, at) => tag(`k${at}`, '')).join('')), 'InvalidTag');
  });

  test('ServerSideEncryptionConfiguration', () => {
    const read = (algorithm: string) =>
      readEncryptionConfiguration(
        `<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>${algorithm}` +
          '</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>',
      );
    assert.deepEqual(read('AES256'), { algorithm: 'AES256', bucketKeyEnabled: undefined });
    refuses(() => read('aws:kms'), 'InvalidArgument');
    refuses(() => readEncryptionConfiguration('<ServerSideEncryptionConfiguration/>'));
  });

  test('PublicAccessBlockConfiguration', () => {
    const body =
      '<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls>' +
      '<RestrictPublicBuckets>TRUE</RestrictPublicBuckets></PublicAccessBlockConfiguration>';
    assert.deepEqual(readPublicAccessBlock(body), {
      blockPublicAcls: true,
      ignorePublicAcls: false,
      blockPublicPolicy: false,
      restrictPublicBuckets: true,
    });
    refuses(() => readPublicAccessBlock(body.replace('TRUE', 'yes')));
  });

  test('CORSConfiguration', () => {
    const read = (inside: string) =>
      readCorsConfiguration(`<CORSConfiguration><CORSRule>${inside}</CORSRule></CORSConfiguration>`);
    const least = '<AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin>';
    const [rule] = read(`<ID>1</ID>${least}<AllowedMethod>PUT</AllowedMethod><MaxAgeSeconds>30</MaxAgeSeconds>`);
    assert.deepEqual(rule, {
      id: '1',
      allowedOrigins: ['*'],
      allowedMethods: ['GET', 'PUT'],
      allowedHeaders: [],
      exposeHeaders: [],
      maxAgeSeconds: 30,
    });
    refuses(() => read('<AllowedMethod>GET</AllowedMethod>'));
    refuses(() => readCorsConfiguration('<CORSConfiguration/>'));
    refuses(() => read(`${least}<AllowedMethod>PATCH</AllowedMethod>`), 'InvalidRequest');
    refuses(() => read(`${least}<AllowedOrigin>*.a.*</AllowedOrigin>`), 'InvalidRequest');
  });

  test('WebsiteConfiguration', () => {
    const read = (inside: string) => readWebsiteConfiguration(`<WebsiteConfiguration>${inside}</WebsiteConfiguration>`);
    const index = '<IndexDocument><Suffix>index.html</Suffix></IndexDocument>';
    const rule =
      '<RoutingRules><RoutingRule><Condition><KeyPrefixEquals>docs/</KeyPrefixEquals></Condition><Redirect>' +
      '<ReplaceKeyPrefixWith>documents/</ReplaceKeyPrefixWith></Redirect></RoutingRule></RoutingRules>';
    const site = read(`${index}<ErrorDocument><Key>error.html</Key></ErrorDocument>${rule}`);
    assert.equal(site.indexSuffix, 'index.html');
    assert.equal(site.errorKey, 'error.html');
    assert.equal(site.routingRules[0]?.condition?.keyPrefixEquals, 'docs/');
    assert.equal(site.routingRules[0]?.redirect.replaceKeyPrefixWith, 'documents/');
    const all = '<RedirectAllRequestsTo><HostName>example.com</HostName></RedirectAllRequestsTo>';
    assert.deepEqual(read(all).redirectAll, { hostName: 'example.com', protocol: undefined });
    refuses(() => read(all + index), 'InvalidRequest');
    refuses(() => read(''), 'InvalidArgument');
    refuses(() => read('<IndexDocument><Suffix>a/b</Suffix></IndexDocument>'), 'InvalidArgument');
  });
});

suite('objects', () => {
  test('Delete', () => {
    const body =
      '<Delete><Quiet>true</Quiet><Object><Key> a&amp;/../b </Key><Size>3</Size></Object>' +
      '<Object><Key>c</Key><VersionId>v</VersionId></Object></Delete>';
    const none = { etag: undefined, size: undefined, lastModified: undefined };
    assert.deepEqual(readDelete(body), {
      isQuiet: true,
      objects: [
        { ...none, key: ' a&/../b ', versionId: undefined, size: '3' },
        { ...none, key: 'c', versionId: 'v' },
      ],
    });
    const many = (count: number) => `<Delete>${'<Object><Key>k</Key></Object>'.repeat(count)}</Delete>`;
    assert.equal(readDelete(many(1000)).objects.length, 1000);
    refuses(() => readDelete(many(1001)));
    refuses(() => readDelete(many(100_000)));
    refuses(() => readDelete(many(1_000_000)), 'MaxMessageLengthExceeded');
    refuses(() => readDelete('<Delete/>'));
    refuses(() => readDelete('<Delete><Object/></Delete>'));
  });

  test('CompleteMultipartUpload', () => {
    const part = (number: number | string, more = '') =>
      `<Part><PartNumber>${number}</PartNumber><ETag>&quot;e&quot;</ETag>${more}</Part>`;
    const read = (inside: string) =>
      readCompleteMultipartUpload(`<CompleteMultipartUpload>${inside}</CompleteMultipartUpload>`);
    assert.deepEqual(read(part(1) + part(3, '<ChecksumCRC32C>AAAAAA==</ChecksumCRC32C>')), [
      { partNumber: 1, etag: '"e"', checksum: undefined },
      { partNumber: 3, etag: '"e"', checksum: { algorithm: 'CRC32C', value: 'AAAAAA==' } },
    ]);
    refuses(() => read(''));
    refuses(() => read(part(2) + part(1)), 'InvalidPartOrder');
    refuses(() => read(part(1) + part(1)), 'InvalidPartOrder');
    refuses(() => read(part(10_001)), 'InvalidArgument');
    refuses(() => read(part(0)), 'InvalidArgument');
    refuses(() => read(part('x')));
    refuses(() => read('<Part><PartNumber>1</PartNumber></Part>'));
  });

  test('Retention, LegalHold, ObjectLockConfiguration', () => {
    const retention = (mode: string, date: string) =>
      readRetention(`<Retention><Mode>${mode}</Mode><RetainUntilDate>${date}</RetainUntilDate></Retention>`, now);
    assert.deepEqual(retention('GOVERNANCE', '2026-01-02T00:00:00.000Z'), {
      mode: 'GOVERNANCE',
      retainUntil: now + 86_400_000,
    });
    assert.equal(readRetention('<Retention/>', now), undefined);
    refuses(() => retention('COMPLIANCE', '2025-01-01T00:00:00Z'), 'InvalidArgument');
    refuses(() => retention('compliance', '2027-01-01T00:00:00Z'));
    refuses(() => retention('COMPLIANCE', 'soon'));
    refuses(() => retention('COMPLIANCE', '2027-02-30T00:00:00Z'));
    assert.deepEqual(readLegalHold('<LegalHold><Status>ON</Status></LegalHold>'), { status: 'ON' });
    refuses(() => readLegalHold('<LegalHold><Status>on</Status></LegalHold>'));
    const lock = (inside: string) =>
      readObjectLockConfiguration(
        `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>${inside}</ObjectLockConfiguration>`,
      );
    const rule = (inside: string) =>
      `<Rule><DefaultRetention><Mode>GOVERNANCE</Mode>${inside}</DefaultRetention></Rule>`;
    assert.deepEqual(lock(''), { defaultRetention: undefined });
    assert.deepEqual(lock(rule('<Days>3</Days>')).defaultRetention, { mode: 'GOVERNANCE', days: 3, years: undefined });
    refuses(() => lock(rule('<Days>3</Days><Years>1</Years>')));
    refuses(() => lock(rule('')));
    refuses(() => lock(rule('<Days>0</Days>')), 'InvalidRetentionPeriod');
    refuses(() => readObjectLockConfiguration('<ObjectLockConfiguration/>'));
  });
});

suite('LifecycleConfiguration', () => {
  const read = (...rules: string[]) =>
    readLifecycleConfiguration(
      `<LifecycleConfiguration>${rules.map((rule) => `<Rule>${rule}</Rule>`).join('')}</LifecycleConfiguration>`,
    );
  const head = '<ID>r</ID><Status>Enabled</Status>';
  const days = '<Expiration><Days>3</Days></Expiration>';
  const abort =
    '<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>';

  test('rules with every kind of filter and action', () => {
    const [old] = read(`${head}<Prefix>logs/</Prefix>${days}`);
    assert.deepEqual([old?.filter.prefix, old?.hasFilterElement, old?.expiration], ['logs/', false, { days: 3 }]);
    const and =
      '<Filter><And><Prefix>a</Prefix><Tag><Key>k</Key><Value>v</Value></Tag>' +
      '<ObjectSizeGreaterThan>5</ObjectSizeGreaterThan></And></Filter>';
    const [rule] = read(
      `<Status>Disabled</Status>${and}<NoncurrentVersionExpiration><NoncurrentDays>2</NoncurrentDays>` +
        '</NoncurrentVersionExpiration><Expiration><Date>2026-01-01T00:00:00Z</Date></Expiration>',
    );
    assert.equal(rule?.isEnabled, false);
    assert.deepEqual(rule?.filter, {
      hasAnd: true,
      prefix: 'a',
      tags: [{ key: 'k', value: 'v' }],
      sizeGreaterThan: 5,
      sizeLessThan: undefined,
    });
    assert.deepEqual(rule?.expiration, { date: now });
    assert.equal(rule?.noncurrentVersionExpiration?.noncurrentDays, 2);
    assert.equal(read(`${head}<Filter/>${abort}`)[0]?.abortIncompleteMultipartUpload?.daysAfterInitiation, 1);
    assert.equal(read(`${head}<Filter/>${days}`)[0]?.filter.prefix, undefined);
  });

  test('contradictory rules', () => {
    refuses(() => read());
    refuses(() => read(`${head}<Filter/>`), 'InvalidRequest');
    refuses(() => read(`${head}${days}`));
    refuses(() => read(`${head}<Filter/><Prefix>a</Prefix>${days}`));
    refuses(() => read(`<ID>r</ID><Filter/>${days}`));
    refuses(() => read(`${head}<Filter/><Expiration><Days>0</Days></Expiration>`), 'InvalidArgument');
    refuses(() => read(`${head}<Filter/><Expiration><Days>1</Days><Date>2026-01-01</Date></Expiration>`));
    refuses(
      () => read(`${head}<Filter/><Expiration><Date>2026-01-01T10:00:00Z</Date></Expiration>`),
      'InvalidArgument',
    );
    refuses(() => read(`${head}<Filter/><Transition><Days>1</Days></Transition>`), 'InvalidStorageClass');
    refuses(() => read(`${head}<Filter/>${days}`, `${head}<Filter/>${days}`), 'InvalidArgument');
    const markers = '<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>';
    for (const what of ['<Tag><Key>k</Key><Value>v</Value></Tag>', '<ObjectSizeLessThan>5</ObjectSizeLessThan>'])
      for (const action of [abort, markers])
        refuses(() => read(`${head}<Filter>${what}</Filter>${action}`), 'InvalidRequest');
    refuses(() => read(`<ID>${'x'.repeat(256)}</ID><Status>Enabled</Status><Filter/>${days}`), 'InvalidArgument');
  });
});

test('AccessControlPolicy is read as written', () => {
  const grants = cannedGrants('public-read', '31000000');
  const xml = writeXml('AccessControlPolicy', {
    Owner: { ID: '31000000' },
    AccessControlList: grantsContent(grants),
  });
  assert.deepEqual(readAccessControlPolicy(xml), { ownerId: '31000000', grants });
  assert.ok(isPublicAcl(grants) && !isPublicAcl(cannedGrants('private', '1')));
  refuses(() => cannedGrants('publc', '1'), 'InvalidArgument');
  refuses(() => readAccessControlPolicy('<AccessControlPolicy/>'), 'MalformedACLError');
  refuses(() => readAccessControlPolicy(xml.replace('READ<', 'SEE<')), 'MalformedACLError');
  refuses(() => readAccessControlPolicy(xml.replace('AllUsers', 'Some')), 'InvalidArgument');
});
