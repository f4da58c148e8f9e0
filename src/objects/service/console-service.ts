// S3 for the pages of the console: the same operations with the same rights, called with the session of the signed-in
// user instead of a signature, at a path of the console's own origin. Anonymous callers and other origins are refused,
// whatever the rules of a bucket allow. Uploaded content must never run as a page of this origin, so answers are
// restricted by headers.
import { Fault } from '../../base/fault.ts';
import type { Caller } from '../../core/access.ts';
import type { Exchange, Reply, Route, Service } from '../../surface/http/exchange.ts';
import type { StorageCaller } from '../access/access-keys.ts';
import { codeOf, s3Fault } from '../wire/error.ts';

export const consoleS3Prefix = '/console/s3';

export interface ConsoleServiceTools {
  session(x: Exchange): Promise<Caller> | undefined; // undefined: the call is not the console's
  canonicalUserId(user: string, contract: number): Promise<string | undefined>;
}

export function consoleS3Service(s3: Service, { session, canonicalUserId }: ConsoleServiceTools): Service {
  return {
    ...s3,
    name: 'objects-console',
    title: 'Object storage for the console',
    prefixes: [consoleS3Prefix],
    claims: ({ req }) => req.url === consoleS3Prefix || req.url?.startsWith(`${consoleS3Prefix}/`) === true,
    claimsHost: () => false,
    findRoute(x) {
      // The page encodes the slash after the bucket, because browsers resolve the dots of a key such as `..`.
      x.path = x.path.replace(/%2F/i, '/');
      const route = s3.findRoute?.(x);
      if (!route || route.open) throw s3Fault('MethodNotAllowed'); // a preflight of another origin
      return sealedRoute(route);
    },
    authentication: {
      schemes: {},
      async findCaller(x): Promise<StorageCaller> {
        const caller = await session(x);
        if (!caller) throw new Fault('unauthenticated', 'Only signed-in pages of the console may call this.');
        return { ...caller, canonicalUserId: await canonicalUserId(caller.user, caller.contract) };
      },
    },
    renderFault(fault, x) {
      const reply = sealed(x, s3.renderFault(fault, x));
      if (x.method === 'GET' && isUnset.test(codeOf(fault)))
        return { ...reply, status: 200, headers: [...(reply.headers ?? []), unsetHeader, '1'] };
      return fault.kind === 'unauthenticated' ? { ...reply, status: 401 } : reply; // the page asks to sign in
    },
  };
}

// A missing setting of a bucket is not a failure for a page, which reads all settings: browsers would log each such
// answer as an error.
const isUnset = /^NoSuch\w*Configuration$|NotFoundError$|^NoSuch(?:BucketPolicy|TagSet)$/;
const unsetHeader = 'X-Console-Unset';

const sealedRoute = (route: Route): Route => ({ ...route, call: async (x) => sealed(x, await route.call(x)) });

const seal = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};
const sealOfContent = { ...seal, 'Content-Disposition': 'attachment', 'Cache-Control': 'no-store' };

// Stored headers that affect a browser are omitted, except in the answer to a HEAD, which has no content.
function sealed({ method }: Exchange, reply: Reply): Reply {
  const added = method === 'HEAD' ? seal : sealOfContent;
  const dropped = new Set(Object.keys(added).map((name) => name.toLowerCase()));
  if (method !== 'HEAD') for (const name of ['content-encoding', 'expires']) dropped.add(name);
  const given = reply.headers ?? [];
  const kept = given.filter((_, at) => !dropped.has((given[at - (at % 2)] as string).toLowerCase()));
  return { ...reply, headers: [...kept, ...Object.entries(added).flat()] };
}
