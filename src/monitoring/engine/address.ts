// How engines are named. Apart from open.ts, so that who only names one does not load it.
import type { HeadMessage } from './embedded/head/head.ts';

export type { HeadMessage };

const embedded = 'embedded:';

// Undefined: it runs elsewhere.
export const embeddedFolder = (address: string): string | undefined =>
  address.startsWith(embedded) ? address.slice(embedded.length) : undefined;
