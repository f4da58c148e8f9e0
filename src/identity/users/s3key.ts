// S3 keys of a user. Verifying a signature needs the secret, so it is encrypted with the region's key, not hashed. It
// is shown to its owner and to administrators.

import { Fault } from '../../base/fault.ts';
import { randomText } from '../../base/ids.ts';
import type { Seal } from '../../base/seal.ts';
import { byUuid, resource } from '../../core/resource.ts';
import { flag, text } from '../../core/schema.ts';
import { rightsOf } from '../authentication/authenticator.ts';
import { user } from './users-and-groups.ts';

export interface KeyTools {
  seal: Seal;
}

// The object storage finds the key of a signature by this claim.
export const s3keyClaim = (id: string): string => `access-key ${id}`;

export const s3key = resource<KeyTools>({
  name: 's3key',
  plural: 's3keys',
  shown: { title: 'S3 key', type: 's3key', metadata: 'stateless', paged: false, inside: false, columns: ['active'] },
  parents: [user],
  rights: { create: 'none' },
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  lifecycle: { composite: false },
  actions: 'sec.s3key',
  ids: {
    ...byUuid,
    example: 'EAAAAAAAAAAAAAAAAAAA',
    parse: (id) => (/^[A-Z0-9]{20}$/.test(id) ? id : undefined),
    make: () =>
      `E${randomText(40)
        .replace(/[^a-zA-Z0-9]/g, '')
        .toUpperCase()
        .slice(0, 19)}`,
  },
  properties: {
    secretKey: text({ derived: true, secret: true }),
    active: flag({ default: true, example: true }),
  },
  async decide(draft, { store, tools }) {
    const [owner] = draft.parents;
    if (draft.way !== 'create' || !owner) return;
    // The user's own privilege counts, not that of the administrator who creates the key.
    if (!(await rightsOf(store, owner)).privileges.has('s3Privilege'))
      throw new Fault('refused', 'The user needs to be part of a group that has ACCESS_S3_OBJECT_STORAGE privilege');
    draft.hidden.secret = tools.seal.close(randomText(40));
    draft.reservations.claims.push(s3keyClaim(draft.id));
    draft.reservations.counts[`s3keys ${owner.id}`] = 1;
    draft.owner = owner.id;
  },
  derive(row, _values, { tools }) {
    const { secret } = JSON.parse(row.hidden || '{}') as { secret?: string };
    return { secretKey: secret ? tools.seal.open(secret) : null };
  },
});
