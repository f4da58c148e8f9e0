// A share lets the members of a group see a resource that somebody else created, and edit or share it further. It is
// kept below its group, with the id of the resource.
import { resource } from '../../core/resource.ts';
import { flag } from '../../core/schema.ts';
import { group } from './users-and-groups.ts';

export const share = resource({
  name: 'share',
  plural: 'shares',
  type: 'resource',
  parents: [group],
  privilege: 'none',
  inside: false,
  verbs: [],
  metadata: 'none',
  actions: 'sec.share',
  paged: false,
  properties: {
    editPrivilege: flag({ default: false, description: 'Members may change the resource', example: true }),
    sharePrivilege: flag({ default: false, description: 'Members may share the resource' }),
  },
  columns: ['editPrivilege', 'sharePrivilege'],
});
