// The identity product: accounts, users, groups, shares, keys, tokens and sessions, and authentication of callers.

import type { Authenticator } from '../surface/http/authentication.ts';
import { operatorAccounts } from '../surface/operator.ts';
import {
  authentication,
  consoleParts,
  contractLimits,
  contracts,
  metricSources,
  type Ports,
  signIn,
} from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { listContracts, userPlace } from './accounts/accounts.ts';
import { cachedLimits } from './accounts/contract.ts';
import { contractMetrics } from './accounts/contract-metrics.ts';
import { createAuthenticator, memberOf } from './authentication/authenticator.ts';
import { LastLogins } from './authentication/last-login.ts';
import { createLoginAudit } from './authentication/login-audit.ts';
import { ownParts } from './console-parts.ts';
import { identityResources, identityRoutes, keyResources } from './index.ts';
import { operatorAccountsOf } from './operator/accounts.ts';
import { resetRoutes } from './second-factor/reset-routes.ts';
import { SecondFactors } from './second-factor/second-factors.ts';
import { accountRoutes } from './sessions/account-routes.ts';
import { sessionCaller, sessionRoutes } from './sessions/routes.ts';
import { Sessions } from './sessions/sessions.ts';
import { createSigner, newSigningKey } from './tokens/jwt.ts';
import { lifetimes, mostTokens, type TokenTools, tokenService } from './tokens/token.ts';
import { claimOldKeys } from './users/unclaimed-keys.ts';

export async function openIdentity(context: Context, ports: Ports): Promise<Product> {
  ports.add(consoleParts, ownParts);
  const { store, model, clock, log, secrets, regions } = context;
  const signer = createSigner(await secrets.kept('signing', newSigningKey));
  const logins = new LastLogins(store, clock, log);
  const tokens: TokenTools = { store, clock, signer, logins };
  const notes = createLoginAudit(store, clock.now, log);
  const authenticator = createAuthenticator({ ...tokens, ...notes });
  const { credentials } = authenticator;
  const { seal } = secrets;
  const factors = new SecondFactors({ store, clock, seal, credentials, onWrongCode: notes.onWrongCode });
  const sessions = new Sessions({ ...tokens, ...notes, credentials, seal, factors });
  const consoleRoutes = [
    ...sessionRoutes({ sessions, store, now: clock.now }),
    ...accountRoutes({ store, clock, seal, credentials, sessions, factors }),
    ...resetRoutes({ store, clock }),
  ];
  const limits = cachedLimits(store);

  ports.fill(operatorAccounts, operatorAccountsOf({ store, clock, tokens, firstContract: context.firstContract }));
  ports.fill(authentication, {
    authenticate: authenticator.authenticate,
    session: (x, isUse) => sessionCaller(sessions, x, isUse),
  } satisfies Authenticator);
  ports.fill(contractLimits, limits);
  ports.fill(contracts, {
    numbers: async () => (await listContracts(store)).map(({ number }) => number),
    first: async () => (await listContracts(store)).toSorted((a, b) => a.row.time - b.row.time)[0]?.number ?? 0,
    asMember: (user, contract) => memberOf(store, user, contract),
    hasUser: async (user, contract) => (await store.get(contract, userPlace, user)) !== undefined,
    async canonicalUserId(user, contract) {
      const row = await store.get(contract, userPlace, user);
      return (JSON.parse(row?.body ?? '{}') as { s3CanonicalUserId?: string }).s3CanonicalUserId;
    },
  });
  ports.fill(signIn, { routes: consoleRoutes, lifetimes, mostTokens });
  ports.add(metricSources, contractMetrics(store, limits.limits, regions.home));

  const resources = [
    ...model.add(identityResources, undefined),
    ...model.add(keyResources, { seal }), //
  ];
  return {
    resources,
    services: () => [tokenService(tokens)],
    routes: () => ({ cloudapi: [...routesOf(context, resources), ...identityRoutes(context)] }),
    reconcilers: [
      { name: 'login-flush', everyMs: 1000, everywhere: true, run: () => logins.flush() },
      { name: 'session-retention', everyMs: 3_600_000, run: () => sessions.prune() },
    ],
    start: () => claimOldKeys(store),
    close: () => logins.flush(),
  };
}
