// The user of a cluster. Its certificate authenticates it; the key is stored sealed, because the owner of the cluster
// may read it at any time.
import { regional } from '../../core/dialect.ts';
import { resource } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import type { StreamingTools } from '../tools.ts';
import { cluster, privilege } from './cluster.ts';
import { stateWords } from './state-words.ts';

export const user = resource<StreamingTools>({
  name: 'clusteruser',
  plural: 'users',
  shown: { title: 'User', stateWords, type: 'user', columns: ['name'] },
  parents: [cluster],
  root: 'streaming/',
  dialect: regional,
  verbs: ['list'], // users are created and deleted with their cluster; a separate route returns their access
  rights: { create: privilege },
  actions: 'streaming.user',
  lifecycle: { pace: 0 },
  properties: { name: text({ required: true, example: 'admin' }) },
});
