// The condition keys of a request, under the names of policies.

import type { Query } from '../../../core/s3-signature/percent-encoding.ts';
import type { Tag } from '../http/tags.ts';
import type { ConditionContext } from './pattern.ts';

export interface ContextFacts {
  now: number; // milliseconds
  sourceIp: string;
  isSecure: boolean;
  userId: string | undefined; // undefined: anonymous
  userName: string | undefined;
  isPresigned: boolean;
  header(name: string): string | undefined;
  query: Query;
  existingTags?: readonly Tag[]; // of the requested object
  requestTags?: readonly Tag[]; // that the request wants to set
  extra?: ReadonlyMap<string, string>; // lower case, such as s3:locationconstraint
}

const fromQuery: Record<string, string> = {
  prefix: 's3:prefix',
  delimiter: 's3:delimiter',
  'max-keys': 's3:max-keys',
  versionId: 's3:versionid',
};
const fromHeaders =
  'acl grant-full-control grant-read grant-write grant-read-acp grant-write-acp copy-source metadata-directive ' +
  'server-side-encryption server-side-encryption-customer-algorithm storage-class content-sha256 ' +
  'website-redirect-location';
const lockHeaders = ['mode', 'retain-until-date', 'legal-hold'];

export function requestContext(facts: ContextFacts): ConditionContext {
  const { now, header, userId } = facts;
  const context = new Map<string, string | readonly string[]>(facts.extra);
  const set = (key: string, value: string | undefined): void => {
    if (value !== undefined) context.set(key, value);
  };
  set('aws:currenttime', new Date(now).toISOString());
  set('aws:epochtime', String(Math.floor(now / 1000)));
  set('aws:sourceip', facts.sourceIp);
  set('aws:securetransport', String(facts.isSecure));
  set('aws:referer', header('referer'));
  set('aws:useragent', header('user-agent'));
  set('aws:userid', userId);
  set('aws:username', facts.userName);
  set('aws:principaltype', userId === undefined ? 'Anonymous' : 'User');
  if (userId !== undefined) set('s3:authtype', facts.isPresigned ? 'REST-QUERY-STRING' : 'REST-HEADER');
  for (const [name, value] of facts.query) if (Object.hasOwn(fromQuery, name)) set(fromQuery[name] as string, value);
  for (const name of fromHeaders.split(' ')) set(`s3:x-amz-${name}`, header(`x-amz-${name}`));
  for (const name of lockHeaders) set(`s3:object-lock-${name}`, header(`x-amz-object-lock-${name}`));
  for (const { key, value } of facts.existingTags ?? []) set(`s3:existingobjecttag/${key.toLowerCase()}`, value);
  for (const { key, value } of facts.requestTags ?? []) set(`s3:requestobjecttag/${key.toLowerCase()}`, value);
  if (facts.requestTags)
    context.set(
      's3:requestobjecttagkeys',
      facts.requestTags.map(({ key }) => key),
    );
  return context;
}
