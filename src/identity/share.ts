// A share lets a group's members see a resource that somebody else made, and edit or share it further.
// It is kept below its group under the resource's id.
import { resource } from '../core/resource.ts';
import { flag } from '../core/schema.ts';
import { group } from './group.ts';

export const share = resource({
  name: 'share',
  plural: 'shares',
  type: 'resource',
  parents: [group],
  inside: false,
  verbs: [],
  metadata: 'none',
  actions: 'sec.share',
  paged: false,
  properties: {
    editPrivilege: flag({ default: false, description: 'Members may change the resource', example: true }),
    sharePrivilege: flag({ default: false, description: 'Members may share the resource' }),
  },
});
