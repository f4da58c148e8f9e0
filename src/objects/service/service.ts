// The S3 service: finds the operation, verifies the signature, checks the caller's rights, and renders faults as S3's
// XML. It is served on its own listener, on the storage hosts, and at the gateway for signed calls.
import type { Fault } from '../../base/fault.ts';
import type { EngineHome } from '../../core/nodes/engine-home.ts';
import { parseTarget } from '../../core/s3-signature/percent-encoding.ts';
import type { Exchange, Reply, Route, Service } from '../../surface/http/exchange.ts';
import { demandAllowed } from '../access/authorization.ts';
import { codeOf, renderError, renderRefusal, s3Fault } from '../wire/error.ts';
import type { S3Code } from '../wire/error-codes.ts';
import { checkBucketName } from '../wire/http/bucket-name.ts';
import { corsHeaders, corsRule } from '../wire/http/cors.ts';
import { parseCopySource, parseObjectPath } from '../wire/http/object-key.ts';
import { verifySignature } from '../wire/signature/verification.ts';
import type { XmlContent } from '../wire/xml/writer.ts';
import type { AccessLog } from './access-log.ts';
import { createDispatch } from './dispatch.ts';
import { hostPatterns, ownListenerHost, type StorageHost, storageHost } from './host.ts';
import type { Operation } from './operation.ts';
import { S3Request, type S3Tools } from './request.ts';

export interface S3ServiceOptions {
  tools: S3Tools;
  operations: readonly Operation[];
  websiteOperations: readonly Operation[]; // on website hosts, instead of the other operations
  domains: readonly string[]; // the parent domains of storage hosts
  accessLog: AccessLog;
  home: EngineHome; // the node with the bytes
}

export function s3Service(options: S3ServiceOptions): Service {
  const { tools, operations, websiteOperations, domains, accessLog, home } = options;
  const dispatch = createDispatch(operations);
  const dispatchWebsite = createDispatch(websiteOperations);
  const requests = new WeakMap<Exchange, S3Request>();
  const requestOf = (x: Exchange): S3Request => requests.get(x) as S3Request;
  const routes = new Map(
    [...operations, ...websiteOperations].map((one) => [one, routeOf(one, requestOf, accessLog, home)]),
  );

  const claimsHost = (host: string): boolean => storageHost(host, domains) !== undefined;

  const findRoute = (x: Exchange): Route => {
    const { path, query } = parseTarget(targetOf(x));
    const host = x.prefix === '' ? ownListenerHost(x.host, domains) : noHost;
    const { bucket, key } = parseObjectPath(path, host.bucket);
    const target = bucket === undefined ? 'service' : key === undefined ? 'bucket' : 'object';
    const isCopy = x.req.headers['x-amz-copy-source'] !== undefined;
    const operation = host.isWebsite
      ? dispatchWebsite({ method: x.method, target: 'service', query: [], isCopy: false })
      : dispatch({ method: x.method, target, query, isCopy });
    // A website ignores parameters, so a link to it cannot influence the answer.
    const parameters = host.isWebsite ? [] : query;
    requests.set(x, new S3Request(x, tools, { operation, host, query: parameters, bucket, key }));
    return routes.get(operation) as Route;
  };

  return {
    name: 'objects',
    title: 'Object storage',
    description: 'The S3 interface of the object storage.',
    prefixes: [],
    hosts: [],
    wholeHosts: hostPatterns,
    takesBasic: false,
    isHidden: true, // S3 is described by the operations of its clients, not by an OpenAPI document
    routes: [],
    claims: (x) => isSigned(x) || claimsHost(x.req.headers.host ?? ''),
    claimsHost,
    findRoute,
    authentication: {
      schemes: {},
      async findCaller(x) {
        const request = requestOf(x);
        const { keys } = tools;
        const hostBucket = request.host.bucket;
        const signed = { method: x.method, target: targetOf(x), rawHeaders: x.req.rawHeaders, hostBucket };
        const secretOf = async (id: string): Promise<string | undefined> => (await keys.find(id))?.secret;
        request.signer = await verifySignature(signed, { now: tools.realNow(), secretOf });
        return request.signer && (await keys.find(request.signer.accessKeyId))?.caller;
      },
    },
    renderFault(fault, x) {
      const request = requests.get(x);
      const reply = faultReply(fault, x, request);
      if (request) accessLog.note(request, reply.status);
      return request ? withCors(request, reply) : reply;
    },
    renderRefusal,
  };
}

// Below a prefix the path alone names the bucket.
const noHost: StorageHost = { region: undefined, bucket: undefined, isWebsite: false };

const targetOf = ({ path, query }: Exchange): string => (query === '' ? path : `${path}?${query}`);

function isSigned({ req }: Exchange): boolean {
  const { authorization = '' } = req.headers;
  if (authorization.startsWith('AWS4-HMAC-SHA256') || authorization.startsWith('AWS ')) return true;
  const url = req.url ?? '';
  return /[?&]X-Amz-(?:Signature|Algorithm)=/.test(url) || /[?&]AWSAccessKeyId=/.test(url);
}

function routeOf(
  operation: Operation,
  requestOf: (x: Exchange) => S3Request,
  accessLog: AccessLog,
  home: EngineHome,
): Route {
  const isRead = operation.method === 'GET' || operation.method === 'HEAD';
  return {
    method: operation.method,
    path: '/{rest*}',
    operation: `objects_${operation.name}`,
    summary: operation.name,
    takesStream: true,
    ...(operation.isData && { keptBy: home }),
    ...(operation.isOpen && { open: true }),
    ...(operation.isData ? { auditOnce: 'hour' as const } : !isRead && !operation.isOpen && { notedAfter: true }),
    resolve: (x) => authorize(requestOf(x)),
    async call(x) {
      const request = requestOf(x);
      const reply = await operation.call(request);
      accessLog.note(request, reply.status);
      return counted(request, withCors(request, identified(x, reply)));
    },
  };
}

async function authorize(request: S3Request): Promise<void> {
  const { operation, tools } = request;
  if (operation.target === 'service') return;
  if (operation.name === 'CreateBucket') return;
  request.bucket = await tools.buckets.demand(checkBucketName(request.bucketName));
  const { bucket } = request;
  const expectedOwner = request.header('x-amz-expected-bucket-owner');
  if (expectedOwner !== undefined && expectedOwner !== String(bucket.contract)) throw s3Fault('AccessDenied');
  if (operation.action === undefined || (operation.bodyDecides && bucket.policy !== undefined)) return;
  const key = operation.target === 'object' ? request.key : undefined;
  demandAllowed(request, { action: operation.action, bucket, ...(key !== undefined && { key }) });
}

// Counts requests and bytes for the bucket's owner; for a stream, the bytes that were really sent.
function counted(request: S3Request, reply: Reply): Reply {
  if (!request.hasBucket) return reply;
  const { bucket, tools } = request;
  tools.usage.count(bucket, 1, request.bytesIn, 0);
  const { stream } = reply;
  if (!stream) return reply;
  return { ...reply, stream: measuredStream(stream, (bytes) => tools.usage.count(bucket, 0, 0, bytes)) };
}

async function* measuredStream(stream: NonNullable<Reply['stream']>, sent: (bytes: number) => void) {
  for await (const piece of stream) {
    sent(piece.length);
    yield piece;
  }
}

const identified = (x: Exchange, reply: Reply): Reply => ({
  ...reply,
  headers: [...(reply.headers ?? []), 'x-amz-request-id', x.id],
});

function withCors(request: S3Request, reply: Reply): Reply {
  const origin = request.x.req.headers.origin;
  const isPreflight = request.operation.method === 'OPTIONS';
  if (origin === undefined || !request.hasBucket || !request.bucket.cors || isPreflight || request.x.prefix !== '')
    return reply;
  const method = request.header('access-control-request-method') ?? request.x.method;
  const corsRequest = { origin, method, headers: [] };
  const rule = corsRule(request.bucket.cors, corsRequest);
  if (!rule) return reply;
  return { ...reply, headers: [...(reply.headers ?? []), ...Object.entries(corsHeaders(rule, corsRequest)).flat()] };
}

// Names the missing resource. Once a copy has its bucket, the source is meant.
function missingDetails(code: S3Code, request: S3Request): XmlContent | undefined {
  if (!['NoSuchBucket', 'NoSuchKey', 'NoSuchVersion'].includes(code)) return undefined;
  const isSource = request.operation.isCopy && request.hasBucket;
  const source = isSource ? parseCopySource(request.header('x-amz-copy-source') ?? '') : undefined;
  const { bucket, key, versionId } = source ?? {
    bucket: request.bucketName,
    key: request.key,
    versionId: request.versionId,
  };
  if (code === 'NoSuchBucket') return { BucketName: bucket };
  return { Key: key, ...(code === 'NoSuchVersion' && { VersionId: versionId }) };
}

function faultReply(fault: Fault, x: Exchange, request: S3Request | undefined): Reply {
  const details = request && missingDetails(codeOf(fault), request);
  const more = request?.faultHeaders ?? [];
  const place = { method: x.method, resource: x.path, requestId: x.id, hostId: x.id, ...(details && { details }) };
  const { status, headers, body } = renderError(fault, place);
  const { 'content-type': type, ...others } = headers;
  return {
    status,
    body,
    ...(type !== undefined && { type }),
    headers: [...Object.entries(others).flat(), ...more, 'x-amz-request-id', x.id],
  };
}
