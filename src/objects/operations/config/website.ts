// The website configuration of a bucket; operations/website serves it.
import { xmlReply } from '../../service/reply.ts';
import type { RoutingRule } from '../../wire/xml/website-document.ts';
import type { XmlContent } from '../../wire/xml/writer.ts';
import { configuration } from './configuration.ts';

export const bucketWebsite = configuration({
  name: 'BucketWebsite',
  query: 'website',
  property: 'website',
  actions: { get: 's3:GetBucketWebsite', put: 's3:PutBucketWebsite', delete: 's3:DeleteBucketWebsite' },
  missing: 'NoSuchWebsiteConfiguration',
  read: (document, { tools, bucket }) => tools.documents.read('website', document, bucket.contract),
  reply: ({ indexSuffix, errorKey, redirectAll, routingRules }) =>
    xmlReply('WebsiteConfiguration', {
      RedirectAllRequestsTo: redirectAll && { HostName: redirectAll.hostName, Protocol: redirectAll.protocol },
      IndexDocument: indexSuffix === undefined ? undefined : { Suffix: indexSuffix },
      ErrorDocument: errorKey === undefined ? undefined : { Key: errorKey },
      RoutingRules: routingRules.length === 0 ? undefined : { RoutingRule: routingRules.map(ruleContent) },
    }),
});

const ruleContent = ({ condition, redirect }: RoutingRule): XmlContent => ({
  Condition: condition && {
    HttpErrorCodeReturnedEquals: condition.httpErrorCodeEquals,
    KeyPrefixEquals: condition.keyPrefixEquals,
  },
  Redirect: {
    HostName: redirect.hostName,
    HttpRedirectCode: redirect.httpRedirectCode,
    Protocol: redirect.protocol,
    ReplaceKeyPrefixWith: redirect.replaceKeyPrefixWith,
    ReplaceKeyWith: redirect.replaceKeyWith,
  },
});
