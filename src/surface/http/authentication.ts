// How a service finds out who calls. The usual strategy takes the Authorization header, or the session of the console
// where the call comes from its own pages; a service with other credentials (a key, a signature) brings its own.
import { Fault } from '../../base/fault.ts';
import type { Caller } from '../../core/access.ts';
import type { Exchange, FindCaller } from './exchange.ts';

export interface Authenticator {
  authenticate(
    authorization: string,
    contract: string | undefined,
    address: string,
    takesBasic: boolean,
  ): Caller | Promise<Caller>;
  // Who is signed in to the console, where a call without credentials comes from its own pages. `isUse`: it keeps the
  // session alive.
  session?(x: Exchange, isUse: boolean): Promise<Caller> | undefined;
}

export const byAuthorization =
  ({ authenticate, session }: Authenticator, isUse = true): FindCaller =>
  (x) => {
    const { authorization, 'x-contract-number': given } = x.req.headers;
    const contract = typeof given === 'string' ? given : undefined;
    const caller = authorization
      ? authenticate(authorization, contract, x.address, x.service?.takesBasic ?? false)
      : session?.(x, isUse);
    if (!caller) throw new Fault('unauthenticated', 'Unauthorized: the Authorization header is missing.');
    return caller;
  };
