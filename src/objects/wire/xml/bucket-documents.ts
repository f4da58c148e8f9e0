// Reads the XML documents that configure a bucket: location, versioning, tags, encryption, public access, CORS.
import { s3Fault } from '../error.ts';
import { type CorsRule, checkCorsRules } from '../http/cors.ts';
import { checkTagSet, type Tag } from '../http/tags.ts';
import { type Element, malformed, manyElements, parseXml } from './parser.ts';

type Body = string | Uint8Array;

// Undefined if the body is empty or has no location.
export function readCreateBucketConfiguration(body: Body): { locationConstraint: string | undefined } {
  if (body.length === 0) return { locationConstraint: undefined };
  const name = 'CreateBucketConfiguration';
  const root = parseXml(body, [name, 'CreateBucketRequest']);
  const configuration = root.name === name ? root : root.optional(name); // Terraform wraps it for user-owned buckets
  return { locationConstraint: configuration?.string('LocationConstraint') || undefined };
}

export interface VersioningConfiguration {
  status: 'Enabled' | 'Suspended';
  mfaDelete?: 'Disabled'; // present: the client has sent it
}

export function readVersioningConfiguration(body: Body): VersioningConfiguration {
  const root = parseXml(body, 'VersioningConfiguration');
  const status = root.choice('Status', ['Enabled', 'Suspended']);
  const mfaDelete = root.choice('MfaDelete', ['Enabled', 'Disabled']);
  if (mfaDelete === 'Enabled') throw s3Fault('NotImplemented', 'MFA delete is not supported.');
  if (status) return { status, ...(mfaDelete && { mfaDelete }) };
  throw s3Fault('IllegalVersioningConfigurationException');
}

// Terraform's resource for user-owned buckets sends the tags without a TagSet element.
export function readTagging(body: Body, most: number): Tag[] {
  const root = parseXml(body, 'Tagging');
  const set = root.all('Tag').length > 0 ? root : root.required('TagSet');
  const tags = set.all('Tag').map((tag) => ({
    key: tag.raw('Key') ?? malformed('A Tag needs a Key.'),
    value: tag.raw('Value') ?? malformed('A Tag needs a Value.'),
  }));
  return checkTagSet(tags, most);
}

export interface EncryptionConfiguration {
  algorithm: 'AES256';
  bucketKeyEnabled: boolean | undefined;
}

export function readEncryptionConfiguration(body: Body): EncryptionConfiguration {
  const [rule, ...more] = parseXml(body, 'ServerSideEncryptionConfiguration').all('Rule');
  if (!rule || more.length > 0) return malformed('There must be exactly one Rule.');
  const algorithm = rule.required('ApplyServerSideEncryptionByDefault').string('SSEAlgorithm');
  if (algorithm === undefined) return malformed('SSEAlgorithm is missing.');
  if (algorithm !== 'AES256') throw s3Fault('InvalidArgument', 'The encryption method is not supported: use AES256.');
  return { algorithm, bucketKeyEnabled: rule.boolean('BucketKeyEnabled') };
}

const ownerships = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const;

export function readOwnershipControls(body: Body): string {
  const [rule, ...more] = parseXml(body, 'OwnershipControls').all('Rule');
  if (!rule || more.length > 0) return malformed('There must be exactly one Rule.');
  return rule.choice('ObjectOwnership', ownerships) ?? malformed('ObjectOwnership is missing.');
}

export function checkObjectOwnership(text: string): string {
  if (ownerships.some((one) => one === text)) return text;
  throw s3Fault('InvalidArgument', 'Invalid x-amz-object-ownership header');
}

export interface PublicAccessBlock {
  blockPublicAcls: boolean;
  ignorePublicAcls: boolean;
  blockPublicPolicy: boolean;
  restrictPublicBuckets: boolean;
}

export function readPublicAccessBlock(body: Body): PublicAccessBlock {
  const root = parseXml(body, 'PublicAccessBlockConfiguration');
  return {
    blockPublicAcls: root.boolean('BlockPublicAcls') ?? false,
    ignorePublicAcls: root.boolean('IgnorePublicAcls') ?? false,
    blockPublicPolicy: root.boolean('BlockPublicPolicy') ?? false,
    restrictPublicBuckets: root.boolean('RestrictPublicBuckets') ?? false,
  };
}

export function readCorsConfiguration(body: Body): CorsRule[] {
  return checkCorsRules(parseXml(body, 'CORSConfiguration', manyElements).all('CORSRule').map(readCorsRule));
}

function readCorsRule(rule: Element): CorsRule {
  const texts = (name: string): string[] => rule.all(name).map(({ text }) => text.trim());
  return {
    id: rule.string('ID'),
    allowedOrigins: texts('AllowedOrigin'),
    allowedMethods: texts('AllowedMethod'),
    allowedHeaders: texts('AllowedHeader'),
    exposeHeaders: texts('ExposeHeader'),
    maxAgeSeconds: rule.integer('MaxAgeSeconds', 0, 2 ** 31 - 1),
  };
}
