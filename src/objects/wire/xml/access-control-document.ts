// Reads AccessControlPolicy, and returns the grants of a canned ACL.
import { isUuid } from '../../../base/ids.ts';
import { s3Fault } from '../error.ts';
import { type Element, manyElements, parseXml } from './parser.ts';
import type { XmlContent } from './writer.ts';

export const permissions = ['FULL_CONTROL', 'READ', 'WRITE', 'READ_ACP', 'WRITE_ACP'] as const;
export type Permission = (typeof permissions)[number];

export type Grantee = { id: string } | { group: 'AllUsers' | 'AuthenticatedUsers' };

export interface Grant {
  grantee: Grantee;
  permission: Permission;
}

export interface AccessControlPolicy {
  ownerId: string | undefined;
  grants: Grant[];
}

const groupUri = 'http://acs.amazonaws.com/groups/global/';
const mostGrants = 100;

export function readAccessControlPolicy(body: string | Uint8Array): AccessControlPolicy {
  const root = parseXml(body, 'AccessControlPolicy', manyElements);
  const grants = root.optional('AccessControlList')?.all('Grant').map(readGrant);
  if (!grants || grants.length > mostGrants) throw s3Fault('MalformedACLError');
  return { ownerId: root.optional('Owner')?.string('ID'), grants };
}

function readGrant(grant: Element): Grant {
  const permission = permissions.find((each) => each === grant.string('Permission'));
  const grantee = grant.optional('Grantee');
  if (!permission || !grantee) throw s3Fault('MalformedACLError');
  return { grantee: readGrantee(grantee), permission };
}

function readGrantee(element: Element): Grantee {
  const type = element.attribute('type');
  if (type === 'AmazonCustomerByEmail') throw s3Fault('NotImplemented', 'Grantees must be named by ID or URI.');
  const uri = element.string('URI');
  if (uri !== undefined && (type === 'Group' || type === undefined)) return group(uri);
  const id = element.string('ID');
  if (!id) throw s3Fault('MalformedACLError');
  return { id: checkGranteeId(id) };
}

// A grantee is a contract or a user of one, named by id or by the canonical id of object storage.
export function checkGranteeId(id: string): string {
  if (/^\d{1,10}$|^[0-9a-f]{32}$/.test(id) || isUuid(id)) return id;
  throw s3Fault('InvalidArgument', 'Invalid id');
}

function group(uri: string): Grantee {
  if (uri === `${groupUri}AllUsers`) return { group: 'AllUsers' };
  if (uri === `${groupUri}AuthenticatedUsers`) return { group: 'AuthenticatedUsers' };
  throw s3Fault('InvalidArgument', 'Invalid group uri');
}

// Returns the grants of x-amz-acl, without those of the bucket's owner.
export function cannedGrants(acl: string, ownerId: string): Grant[] {
  const owner: Grant = { grantee: { id: ownerId }, permission: 'FULL_CONTROL' };
  const all = { group: 'AllUsers' } as const;
  if (['private', 'bucket-owner-full-control', 'bucket-owner-read'].includes(acl)) return [owner];
  if (acl === 'public-read') return [{ grantee: all, permission: 'READ' }, owner];
  if (acl === 'public-read-write') {
    return [{ grantee: all, permission: 'READ' }, { grantee: all, permission: 'WRITE' }, owner];
  }
  if (acl === 'authenticated-read') return [{ grantee: { group: 'AuthenticatedUsers' }, permission: 'READ' }, owner];
  throw s3Fault('InvalidArgument', 'The canned ACL is unknown.');
}

export const isPublicAcl = (grants: readonly Grant[]): boolean => grants.some(({ grantee }) => 'group' in grantee);

// Groups come first, as clients that compare lists expect.
export const grantsContent = (grants: readonly Grant[]): XmlContent => ({
  Grant: grants.toSorted((a, b) => Number('id' in a.grantee) - Number('id' in b.grantee)).map(grantContent),
});

function grantContent({ grantee, permission }: Grant) {
  const xsi = { '@_xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance' };
  const content =
    'id' in grantee
      ? { ...xsi, '@_xsi:type': 'CanonicalUser', ID: grantee.id, DisplayName: grantee.id }
      : { ...xsi, '@_xsi:type': 'Group', URI: `${groupUri}${grantee.group}` };
  return { Grantee: content, Permission: permission };
}
