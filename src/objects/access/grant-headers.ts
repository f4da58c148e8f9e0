// Grants in headers: a canned ACL, or x-amz-grant-* with lists of grantees.
import type { StoredBucket } from '../metadata/bucket.ts';
import type { S3Request } from '../service/request.ts';
import { s3Fault } from '../wire/error.ts';
import {
  cannedGrants,
  checkGranteeId,
  type Grant,
  type Grantee,
  type Permission,
} from '../wire/xml/access-control-document.ts';

const byHeader: Readonly<Record<string, Permission>> = {
  'x-amz-grant-read': 'READ',
  'x-amz-grant-write': 'WRITE',
  'x-amz-grant-read-acp': 'READ_ACP',
  'x-amz-grant-write-acp': 'WRITE_ACP',
  'x-amz-grant-full-control': 'FULL_CONTROL',
};
const groups = 'http://acs.amazonaws.com/groups/global/';

export const ownerId = ({ contract }: Pick<StoredBucket, 'contract'>): string => String(contract);

// Undefined: the request has no grants.
export function grantsIn(
  { header }: Pick<S3Request, 'header'>,
  owner: Pick<StoredBucket, 'contract'>,
): Grant[] | undefined {
  const canned = header('x-amz-acl');
  const given = Object.entries(byHeader).flatMap(([name, permission]) => {
    const text = header(name);
    return text === undefined ? [] : granteesIn(text).map((grantee) => ({ grantee, permission }));
  });
  if (canned !== undefined && given.length > 0)
    throw s3Fault('InvalidRequest', 'Specifying both Canned ACLs and Header Grants is not allowed');
  if (canned !== undefined) return cannedGrants(canned, ownerId(owner));
  return given.length > 0 ? given : undefined;
}

// `id="31000001", uri="http://…/AllUsers"`
function granteesIn(text: string): Grantee[] {
  return text.split(',').map((part) => {
    const [, kind, value = ''] = /^\s*(id|uri|emailAddress)\s*=\s*"?([^"]*)"?\s*$/.exec(part) ?? [];
    if (kind === 'id') return { id: checkGranteeId(value) };
    if (kind === 'uri' && value === `${groups}AllUsers`) return { group: 'AllUsers' };
    if (kind === 'uri' && value === `${groups}AuthenticatedUsers`) return { group: 'AuthenticatedUsers' };
    if (kind === 'emailAddress') throw s3Fault('NotImplemented', 'Grantees must be named by id or uri.');
    throw s3Fault('InvalidArgument', 'Argument format not recognized');
  });
}
