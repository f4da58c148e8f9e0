// The user of a cluster. Its certificate is its proof of identity; the key is kept sealed, because the owner of the
// cluster may ask for it at any time.
import { regionalByState } from '../../core/dialect.ts';
import { resource } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import type { StreamingTools } from '../tools.ts';
import { cluster, privilege } from './cluster.ts';

export const user = resource<StreamingTools>({
  name: 'clusteruser',
  plural: 'users',
  type: 'user',
  parents: [cluster],
  root: 'streaming/',
  dialect: regionalByState,
  verbs: ['list'], // they come and go with their cluster; their access is a route of its own
  privilege,
  actions: 'streaming.user',
  pace: 0,
  properties: { name: text({ required: true, example: 'admin' }) },
  columns: ['name'],
});
