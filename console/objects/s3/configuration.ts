// S3 calls for a bucket's settings except versioning and lifecycle: object lock, encryption, website, public access,
// policy, CORS, ownership and the access control list.
import { s3, s3Document, unless } from './s3.ts';
import { writeXml } from './xml.ts';

const put = async (bucket: string, name: string, body: string): Promise<void> => {
  await s3('PUT', { bucket }, { query: { [name]: '' }, body });
};
const remove = async (bucket: string, name: string): Promise<void> => {
  await s3('DELETE', { bucket }, { query: { [name]: '' } });
};

export interface DefaultRetention {
  mode: string;
  days: number | undefined;
  years: number | undefined;
}

// Undefined: the bucket has no object lock.
export async function readLock(
  bucket: string,
  signal?: AbortSignal,
): Promise<{ retention: DefaultRetention | undefined } | undefined> {
  const missing = 'ObjectLockConfigurationNotFoundError';
  const document = await unless(missing, s3Document({ bucket }, { 'object-lock': '' }, signal));
  if (!document) return undefined;
  const rule = document.child('Rule')?.child('DefaultRetention');
  return {
    retention: rule && { mode: rule.text('Mode') ?? '', days: rule.number('Days'), years: rule.number('Years') },
  };
}

export const setLock = (bucket: string, retention: DefaultRetention | undefined): Promise<void> =>
  put(
    bucket,
    'object-lock',
    writeXml('ObjectLockConfiguration', {
      ObjectLockEnabled: 'Enabled',
      Rule: retention && {
        DefaultRetention: { Mode: retention.mode, Days: retention.days, Years: retention.years },
      },
    }),
  );

export async function readEncryption(bucket: string, signal?: AbortSignal): Promise<boolean> {
  const missing = 'ServerSideEncryptionConfigurationNotFoundError';
  return (await unless(missing, s3Document({ bucket }, { encryption: '' }, signal))) !== undefined;
}

export const setEncryption = (bucket: string, isOn: boolean): Promise<void> => {
  const Rule = { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } };
  return isOn
    ? put(bucket, 'encryption', writeXml('ServerSideEncryptionConfiguration', { Rule }))
    : remove(bucket, 'encryption');
};

export interface Website {
  index: string;
  error: string;
  redirectHost: string; // redirects all requests; then there is no index
  rules: number; // number of routing rules, which the form can't show
}

export async function readWebsite(bucket: string, signal?: AbortSignal): Promise<Website | undefined> {
  const document = await unless('NoSuchWebsiteConfiguration', s3Document({ bucket }, { website: '' }, signal));
  return (
    document && {
      index: document.child('IndexDocument')?.text('Suffix') ?? '',
      error: document.child('ErrorDocument')?.text('Key') ?? '',
      redirectHost: document.child('RedirectAllRequestsTo')?.text('HostName') ?? '',
      rules: document.child('RoutingRules')?.all('RoutingRule').length ?? 0,
    }
  );
}

export function setWebsite(bucket: string, website: Website | undefined): Promise<void> {
  if (!website) return remove(bucket, 'website');
  const { index, error, redirectHost } = website;
  const content = redirectHost
    ? { RedirectAllRequestsTo: { HostName: redirectHost } }
    : { IndexDocument: { Suffix: index }, ErrorDocument: error ? { Key: error } : undefined };
  return put(bucket, 'website', writeXml('WebsiteConfiguration', content));
}

export const blocks = ['BlockPublicAcls', 'IgnorePublicAcls', 'BlockPublicPolicy', 'RestrictPublicBuckets'] as const;
export type PublicAccessBlock = Record<(typeof blocks)[number], boolean>;

export async function readPublicAccess(bucket: string, signal?: AbortSignal): Promise<PublicAccessBlock> {
  const missing = 'NoSuchPublicAccessBlockConfiguration';
  const document = await unless(missing, s3Document({ bucket }, { publicAccessBlock: '' }, signal));
  return Object.fromEntries(blocks.map((name) => [name, document?.is(name) ?? false])) as PublicAccessBlock;
}

export const setPublicAccess = (bucket: string, block: PublicAccessBlock): Promise<void> =>
  Object.values(block).some(Boolean)
    ? put(bucket, 'publicAccessBlock', writeXml('PublicAccessBlockConfiguration', block))
    : remove(bucket, 'publicAccessBlock');

export async function readPolicy(bucket: string, signal?: AbortSignal): Promise<string> {
  const response = await unless('NoSuchBucketPolicy', s3('GET', { bucket }, { query: { policy: '' }, signal }));
  return (await response?.text()) ?? '';
}

export const setPolicy = (bucket: string, policy: string): Promise<void> =>
  policy.trim() === '' ? remove(bucket, 'policy') : put(bucket, 'policy', policy);

export interface CorsRule {
  origins: string[];
  methods: string[];
  headers: string[];
  exposed: string[];
  maxAgeS: number | undefined;
}

export async function readCors(bucket: string, signal?: AbortSignal): Promise<CorsRule[]> {
  const document = await unless('NoSuchCORSConfiguration', s3Document({ bucket }, { cors: '' }, signal));
  return (document?.all('CORSRule') ?? []).map((rule) => {
    const texts = (name: string): string[] => rule.all(name).map(({ content }) => content);
    return {
      origins: texts('AllowedOrigin'),
      methods: texts('AllowedMethod'),
      headers: texts('AllowedHeader'),
      exposed: texts('ExposeHeader'),
      maxAgeS: rule.number('MaxAgeSeconds'),
    };
  });
}

export const setCors = (bucket: string, rules: readonly CorsRule[]): Promise<void> =>
  rules.length === 0
    ? remove(bucket, 'cors')
    : put(
        bucket,
        'cors',
        writeXml('CORSConfiguration', {
          CORSRule: rules.map(({ origins, methods, headers, exposed, maxAgeS }) => ({
            AllowedOrigin: origins,
            AllowedMethod: methods,
            AllowedHeader: headers,
            ExposeHeader: exposed,
            MaxAgeSeconds: maxAgeS,
          })),
        }),
      );

export async function readOwnership(bucket: string, signal?: AbortSignal): Promise<string> {
  const missing = 'OwnershipControlsNotFoundError';
  const document = await unless(missing, s3Document({ bucket }, { ownershipControls: '' }, signal));
  return document?.child('Rule')?.text('ObjectOwnership') ?? '';
}

export const setOwnership = (bucket: string, ownership: string): Promise<void> =>
  ownership === ''
    ? remove(bucket, 'ownershipControls')
    : put(bucket, 'ownershipControls', writeXml('OwnershipControls', { Rule: { ObjectOwnership: ownership } }));

export interface Grant {
  grantee: string;
  permission: string;
}

export async function readGrants(bucket: string, signal?: AbortSignal): Promise<Grant[]> {
  const document = await s3Document({ bucket }, { acl: '' }, signal);
  return (document.child('AccessControlList')?.all('Grant') ?? []).map((grant) => {
    const grantee = grant.child('Grantee');
    const group = grantee?.text('URI')?.split('/').at(-1);
    return { grantee: group ?? grantee?.text('ID') ?? '', permission: grant.text('Permission') ?? '' };
  });
}

export const setCannedAcl = async (bucket: string, name: string): Promise<void> => {
  await s3('PUT', { bucket }, { query: { acl: '' }, headers: { 'x-amz-acl': name } });
};
