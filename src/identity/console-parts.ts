// The console pages of identity.
import type { ConsoleParts } from '../surface/console-parts.ts';

export const ownParts: ConsoleParts = {
  pages: [
    { title: 'Users', group: 'Access', icon: 'users', collection: ['cloudapi', '/um/users'] },
    { title: 'Groups', group: 'Access', collection: ['cloudapi', '/um/groups'], under: 'Users' },
    { title: 'Resources', group: 'Access', collection: ['cloudapi', '/um/resources'], under: 'Users' },
    { title: 'Contract', group: 'Access', collection: ['cloudapi', '/contracts'], under: 'Users' },
    {
      title: 'Account',
      group: 'Access',
      icon: 'account',
      address: '/console/account',
      words: 'password 2FA two-factor second factor authenticator',
    },
    { title: 'Tokens', group: 'Access', icon: 'token', address: '/console/tokens' },
  ],
  titles: { factor: 'Second factor', s3ssourl: 'Sign-in address', ssourl: 'Sign-in address' },
};
