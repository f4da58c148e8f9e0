// The cross-origin rules of a bucket, and the preflight that browsers send.
import type { Reply } from '../../../surface/http/exchange.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { preflight } from '../../wire/http/cors.ts';
import { configuration } from './configuration.ts';

export const bucketCors = configuration({
  name: 'BucketCors',
  query: 'cors',
  property: 'cors',
  actions: { get: 's3:GetBucketCORS', put: 's3:PutBucketCORS' },
  missing: 'NoSuchCORSConfiguration',
  read: (document, { tools, bucket }) => tools.documents.read('cors', document, bucket.contract),
  reply: (rules) =>
    xmlReply('CORSConfiguration', {
      CORSRule: rules.map((rule) => ({
        ID: rule.id,
        AllowedHeader: rule.allowedHeaders,
        AllowedMethod: rule.allowedMethods,
        AllowedOrigin: rule.allowedOrigins,
        ExposeHeader: rule.exposeHeaders,
        MaxAgeSeconds: rule.maxAgeSeconds,
      })),
    }),
});

const call = async ({ bucket, header }: S3Request): Promise<Reply> =>
  emptyReply(200, Object.entries(preflight(bucket.cors, header)).flat());

export const preflights = [
  operation({ name: 'PreflightBucket', method: 'OPTIONS', target: 'bucket', isOpen: true, call }),
  operation({ name: 'PreflightObject', method: 'OPTIONS', target: 'object', isOpen: true, call }),
];
