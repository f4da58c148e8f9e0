// GPU cards of a server. No server has one, but clients list them.
import { resource } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import { datacenter } from '../datacenter.ts';

export const gpu = resource({
  name: 'gpu',
  plural: 'gpus',
  parents: [datacenter],
  privilege: 'none',
  verbs: [],
  inside: false,
  composite: false,
  properties: { name: text(), vendor: text(), model: text(), type: text() },
  columns: ['name', 'vendor', 'model'],
});
