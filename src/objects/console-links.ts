// Presigned links for the console, signed with one of the user's own access keys, whose secrets the browser does not
// have. A link grants the rights that the key's user has when it is opened.
import { iso } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { isObject } from '../base/json.ts';
import { presign } from '../core/s3-signature/presign.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';
import type { AccessKeys } from './access/access-keys.ts';
import { checkBucketName } from './wire/http/bucket-name.ts';
import { checkObjectKey } from './wire/http/object-key.ts';

const longestS = 7 * 86_400;
const methods = ['GET', 'PUT'];

export interface LinkTools {
  keys: Pick<AccessKeys, 'find'>;
  endpoint(): string;
  region: string; // the region in the signature
  realNow(): number;
}

export const linkRoute = (tools: LinkTools): Route => ({
  method: 'POST',
  path: '/object-links',
  operation: 'objectlink_create',
  summary: 'Create a presigned link to an object with an access key of the user',
  takesBody: true,
  bodyLimit: 16 * 1024,
  notedAfter: true,
  call: (x) => makeLink(tools, x),
});

async function makeLink({ keys, endpoint, region, realNow }: LinkTools, x: Exchange): Promise<Reply> {
  const { method, bucket, key, versionId, accessKey, expiresS, fileName } = linkIn(x);
  const found = await keys.find(accessKey);
  const { user, contract } = x.who;
  if (!found || found.caller.user !== user || found.caller.contract !== contract)
    throw new Fault('refused', '[(root).accessKey] You have no active access key with this id. Choose another key.');
  const query = {
    ...(versionId !== undefined && { versionId }),
    ...(fileName !== undefined && {
      'response-content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`,
    }),
  };
  const now = realNow();
  const request = { method, endpoint: endpoint(), bucket, key, query, expiresS };
  const url = presign(request, { accessKey, secretKey: found.secret, region }, now);
  return json(200, { url, method, expiresDate: iso(now + expiresS * 1000) }, ['Cache-Control', 'no-store']);
}

function linkIn({ body }: Exchange) {
  const sent = isObject(body) ? body : {};
  const text = (name: string): string => {
    const value = sent[name];
    if (typeof value === 'string') return value;
    throw new Fault('refused', `[(root).${name}] Expected a string`);
  };
  const { expiresS } = sent;
  if (typeof expiresS !== 'number' || !Number.isInteger(expiresS) || expiresS < 1 || expiresS > longestS)
    throw new Fault('refused', `[(root).expiresS] Expected a whole number from 1 to ${longestS}`);
  const method = text('method');
  if (!methods.includes(method)) throw new Fault('refused', `[(root).method] Expected ${methods.join(' or ')}`);
  return {
    method,
    expiresS,
    bucket: checkBucketName(text('bucket')),
    key: checkObjectKey(text('key')),
    accessKey: text('accessKey'),
    versionId: sent.versionId === undefined ? undefined : text('versionId'),
    fileName: sent.fileName === undefined ? undefined : text('fileName'),
  };
}
