// The declaration of users, groups and tokens.
import type { Declaration } from '../surface/product.ts';

export const identity: Declaration = {
  name: 'identity',
  labels: { auth: 'Tokens' },
  clientEndpoints: [{ name: 'auth', path: '/auth/v1', host: 'api' }],
  async resources() {
    const { identityResources, keyResources } = await import('./index.ts');
    return [...identityResources, ...keyResources];
  },
  data: { load: async () => (await import('./data.ts')).identityData },
  open: async (context, ports) => (await import('./product.ts')).openIdentity(context, ports),
};
