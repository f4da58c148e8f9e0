// A share lets the members of a group see a resource of another user, and edit or share it further. It is
// stored below its group, with the id of the resource.
import { resource } from '../../core/resource.ts';
import { flag } from '../../core/schema.ts';
import { group } from './users-and-groups.ts';

export const share = resource({
  name: 'share',
  plural: 'shares',
  shown: {
    type: 'resource',
    inside: false,
    metadata: 'none',
    paged: false,
    columns: ['editPrivilege', 'sharePrivilege'],
  },
  parents: [group],
  rights: { create: 'none' },
  verbs: [],
  actions: 'sec.share',
  properties: {
    editPrivilege: flag({ default: false, description: 'Members may change the resource', example: true }),
    sharePrivilege: flag({ default: false, description: 'Members may share the resource' }),
  },
});
