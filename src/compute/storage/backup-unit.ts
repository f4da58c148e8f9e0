// Backup units: a name and an e-mail address. Nothing is backed up here, so the password is checked and not stored.
// Clients poll the state instead of the request, so operations are instant.
import { resource, step } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import { refused } from '../lan/address-claims.ts';
import type { ComputeTools } from '../tools.ts';

export const backupUnit = resource<ComputeTools>({
  name: 'backupunit',
  plural: 'backupunits',
  rights: { create: 'createBackupUnit', shareable: true },
  actions: 'backup.backupunit',
  lifecycle: { pace: 0, create: [step('provision')], change: [step('reconfigure')], remove: [step('release')] },
  shown: { title: 'Backup unit', paged: false, columns: ['name', 'email'] },
  properties: {
    name: text({
      required: true,
      immutable: true,
      max: 255,
      pattern: /^[A-Za-z0-9]+$/,
      says: 'Expected letters and digits only',
      example: 'example',
    }),
    password: text({ required: true, writeOnly: true, min: 1, max: 255, example: 'Change-Me-1815' }),
    email: text({
      required: true,
      max: 255,
      pattern: /^[^@\s]+@[^@\s]+$/,
      says: 'Expected an e-mail address.',
      example: 'ada@example.com',
    }),
  },
  sample: { properties: (_, unique) => ({ name: unique }), change: { email: 'changed@example.com' } },
  async decide(draft, { store }) {
    if (draft.way !== 'create') return;
    const name = String(draft.values.name);
    const claim = `backupunit-${draft.contract} ${name.toLowerCase()}`;
    if (await store.claimed(claim)) throw refused(draft, 'name', `Backup unit ${name} already exists`);
    draft.reservations.claims.push(claim);
  },
});
