// Websites: public pages at the website hosts of buckets. A page is an object that everyone may read; a path that ends
// in a slash means the index document below it. Signatures are ignored here, so a visitor is always anonymous.
import { Fault } from '../../../base/fault.ts';
import type { Reply } from '../../../surface/http/exchange.ts';
import { isAllowed } from '../../access/authorization.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { codeOf, s3Fault } from '../../wire/error.ts';
import { preflight } from '../../wire/http/cors.ts';
import { demandKeyOf } from '../../wire/http/encryption-headers.ts';
import { urlEncoded } from '../../wire/http/object-key.ts';
import { checkReadConditions } from '../../wire/http/preconditions.ts';
import type { WebsiteConfiguration } from '../../wire/xml/website-document.ts';
import { identifying, objectReply, withContent } from '../object/get-object.ts';
import { retryReplaced } from '../object/read-content.ts';
import { errorPage } from './error-page.ts';
import { type Redirect, redirectByRules, redirectOfAll, type Visit } from './redirects.ts';

const call = async (request: S3Request): Promise<Reply> => {
  try {
    return await retryReplaced(async () => withContent(request, await visit(request)));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return codeOf(error) === 'NotModified' ? emptyReply(304, request.faultHeaders) : errorPage(error);
  }
};

export const websiteOperations = [
  operation({ name: 'GetPage', method: 'GET', target: 'service', isOpen: true, isData: true, call }),
  operation({ name: 'HeadPage', method: 'HEAD', target: 'service', isOpen: true, isData: true, call }),
  operation({
    name: 'PreflightPage',
    method: 'OPTIONS',
    target: 'service',
    isOpen: true,
    async call({ tools, bucketName, header }) {
      const { cors } = await tools.buckets.demand(bucketName);
      return emptyReply(200, Object.entries(preflight(cors, header)).flat());
    },
  }),
];

async function visit(request: S3Request): Promise<Reply> {
  const { tools, bucketName, key, x } = request;
  request.bucket = await tools.buckets.demand(bucketName);
  const { website } = request.bucket;
  if (!website) throw s3Fault('NoSuchWebsiteConfiguration');
  const visited: Visit = { key, scheme: x.secure ? 'https' : 'http', host: x.host };
  const redirect = redirectOfAll(website, visited) ?? redirectByRules(website.routingRules, visited);
  if (redirect) return redirectReply(redirect);
  const page = await findPage(request, website);
  if ('location' in page) return redirectReply(page);
  if (!('fault' in page)) return pageReply(request, page);
  const status = page.fault.detail.code === 'NoSuchKey' ? 404 : 403;
  const otherwise = redirectByRules(website.routingRules, visited, status);
  if (otherwise) return redirectReply(otherwise);
  const custom = website.errorKey === undefined ? undefined : await readable(request, website.errorKey);
  return custom && !custom.keyProof ? { ...objectReply(request, custom, undefined), status } : errorPage(page.fault);
}

// Returns the object of a path, or the path with a slash if there is an index document below it.
async function findPage(
  request: S3Request,
  { indexSuffix = '' }: WebsiteConfiguration,
): Promise<ObjectVersion | Redirect | { fault: Fault }> {
  const { key, bucket } = request;
  const isFolder = key === '' || key.endsWith('/');
  const page = await readable(request, isFolder ? key + indexSuffix : key);
  if (page) return page;
  if (!isFolder && (await readable(request, `${key}/${indexSuffix}`)))
    return { status: 302, location: `/${urlEncoded(key)}/` };
  // Callers who may not list the bucket do not learn which keys exist.
  return { fault: s3Fault(isAllowed(request, { action: 's3:ListBucket', bucket }) ? 'NoSuchKey' : 'AccessDenied') };
}

// Undefined: the object does not exist or is not public.
async function readable(request: S3Request, key: string): Promise<ObjectVersion | undefined> {
  const { tools, bucket } = request;
  const version = await tools.objects.latest(bucket, key);
  if (!version || version.isMarker) return undefined;
  return isAllowed(request, { action: 's3:GetObject', bucket, key, version }) ? version : undefined;
}

function pageReply(request: S3Request, page: ObjectVersion): Reply {
  if (page.redirect !== undefined) return redirectReply({ status: 301, location: page.redirect });
  const key = demandKeyOf(page.keyProof, undefined); // a browser sends none
  request.faultHeaders = identifying(page, request.bucket); // a 304 identifies the object
  checkReadConditions(request.header, { etag: page.etag, lastModified: page.modified });
  return objectReply(request, page, key);
}

const redirectReply = ({ status, location }: Redirect): Reply => emptyReply(status, ['Location', location]);
