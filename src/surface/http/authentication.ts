// How a service authenticates its callers. The usual strategy takes the Authorization header, or the session of the
// console if the call comes from its own pages; a service with other credentials (a key, a signature) has its own
// strategy.
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
  // The user of the console's session, if a call without credentials comes from its pages. `isUse`: the call extends
  // the session.
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
