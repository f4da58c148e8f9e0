// The lifecycle rules of a bucket. The answer keeps the form in which the rules were sent; a rule without an id gets
// one.
import { uuid } from '../../../base/ids.ts';
import { iso, xmlReply } from '../../service/reply.ts';
import type { Expiration, LifecycleFilter, LifecycleRule } from '../../wire/xml/lifecycle-document.ts';
import type { XmlContent } from '../../wire/xml/writer.ts';
import { configuration } from './configuration.ts';

export const bucketLifecycle = configuration({
  name: 'BucketLifecycleConfiguration',
  query: 'lifecycle',
  property: 'lifecycle',
  actions: { get: 's3:GetLifecycleConfiguration', put: 's3:PutLifecycleConfiguration' },
  missing: 'NoSuchLifecycleConfiguration',
  async read(document, { tools, bucket }) {
    const rules = await tools.documents.read('lifecycle', document, bucket.contract);
    return rules.map((rule) => ({ ...rule, id: rule.id ?? uuid() }));
  },
  reply: (rules) => xmlReply('LifecycleConfiguration', { Rule: rules.map(ruleContent) }),
});

function ruleContent(rule: LifecycleRule): XmlContent {
  const { noncurrentVersionExpiration: noncurrent, abortIncompleteMultipartUpload: abort } = rule;
  return {
    ID: rule.id,
    ...(rule.hasFilterElement ? { Filter: filterContent(rule.filter) } : { Prefix: rule.filter.prefix }),
    Status: rule.isEnabled ? 'Enabled' : 'Disabled',
    Expiration: rule.expiration && expirationContent(rule.expiration),
    NoncurrentVersionExpiration: noncurrent && {
      NoncurrentDays: noncurrent.noncurrentDays,
      NewerNoncurrentVersions: noncurrent.newerNoncurrentVersions,
    },
    AbortIncompleteMultipartUpload: abort && { DaysAfterInitiation: abort.daysAfterInitiation },
  };
}

function filterContent({ prefix, tags, sizeGreaterThan, sizeLessThan, hasAnd }: LifecycleFilter): XmlContent {
  const content = {
    Prefix: prefix,
    Tag: tags.map(({ key, value }) => ({ Key: key, Value: value })),
    ObjectSizeGreaterThan: sizeGreaterThan,
    ObjectSizeLessThan: sizeLessThan,
  };
  return hasAnd ? { And: content } : content;
}

function expirationContent(expiration: Expiration): XmlContent {
  if ('days' in expiration) return { Days: expiration.days };
  if ('date' in expiration) return { Date: iso(expiration.date) };
  return { ExpiredObjectDeleteMarker: expiration.expiredObjectDeleteMarker };
}
