// A reset keeps contracts, users, groups and their rights. Shares are removed with their resources.
import type { DataHooks } from '../surface/product-data.ts';

export const identityData: DataHooks = {
  reset: {
    keepsPath: (path) => path === 'logins' || (path.startsWith('um/') && !path.includes('/shares')),
    claims: ['email'],
  },
};
