// Identity as the platform sees it: users, groups, shares, keys and tokens, and who a caller is.

import type { Authenticator } from '../surface/http/authentication.ts';
import { authentication, contractLimits, contracts, ownNumbers, type Ports, port, signIn } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { listContracts } from './accounts.ts';
import { createAuthenticator, memberOf } from './authenticator.ts';
import { knownLimits } from './contract.ts';
import { contractNumbers } from './contract-numbers.ts';
import { identityResources, identityRoutes, keyResources } from './index.ts';
import { createSigner, newSigningKey } from './jwt.ts';
import { createLoginNotes } from './login-notes.ts';
import { Logins } from './logins.ts';
import { sessionCaller, sessionRoutes } from './session-routes.ts';
import { Sessions } from './sessions.ts';
import { lifetimes, mostTokens, type TokenTools, tokenService } from './token.ts';

// For the operator of the region, who works on any contract.
export const operatorTokens = port<TokenTools>('operator tokens');

export async function openIdentity(context: Context, ports: Ports): Promise<Product> {
  const { store, model, clock, log, secrets, regions } = context;
  const signer = createSigner(await secrets.kept('signing', newSigningKey));
  const logins = new Logins(store, clock, log);
  const tokens: TokenTools = { store, clock, signer, logins };
  const notes = createLoginNotes(store, clock.now, log);
  const authenticator = createAuthenticator({ ...tokens, ...notes });
  const sessions = new Sessions({ ...tokens, ...notes, credentials: authenticator.credentials });
  const limits = knownLimits(store);

  ports.fill(operatorTokens, tokens);
  ports.fill(authentication, {
    authenticate: authenticator.authenticate,
    session: (x) => sessionCaller(sessions, x),
  } satisfies Authenticator);
  ports.fill(contractLimits, limits);
  ports.fill(contracts, {
    numbers: async () => (await listContracts(store)).map(({ number }) => number),
    first: async () => (await listContracts(store)).toSorted((a, b) => a.row.time - b.row.time)[0]?.number ?? 0,
    asMember: (caller, contract) => memberOf(store, caller.user, contract),
  });
  ports.fill(signIn, { routes: sessionRoutes({ sessions, store, now: clock.now }), lifetimes, mostTokens });
  ports.add(ownNumbers, contractNumbers(store, limits.limits, regions.home));

  const resources = [
    ...model.add(identityResources, undefined),
    ...model.add(keyResources, { seal: secrets.seal }), //
  ];
  return {
    name: 'identity',
    resources,
    services: () => [tokenService(tokens)],
    routes: () => ({ cloudapi: [...routesOf(context, resources), ...identityRoutes(context)] }),
    reconcilers: [
      { name: 'login-flush', everyMs: 1000, everywhere: true, run: () => logins.flush() },
      { name: 'session-retention', everyMs: 3_600_000, run: () => sessions.prune() },
    ],
    close: () => logins.flush(),
  };
}
