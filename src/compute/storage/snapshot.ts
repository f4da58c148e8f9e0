// Snapshots: full copies of a volume, in its location. They outlive it, seed new ones and restore old ones.
import { resource, step } from '../../core/resource.ts';
import { decimal, flag, text } from '../../core/schema.ts';
import type { ComputeTools } from '../tools.ts';
import { allHotPlugs, applicationTypes, hotPlugFlags, licenceTypes } from './disk-properties.ts';

export const snapshot = resource<ComputeTools>({
  name: 'snapshot',
  plural: 'snapshots',
  verbs: ['list', 'get', 'replace', 'change', 'remove'],
  privilege: 'createSnapshot',
  paged: false,
  actions: 'vdc.snapshot',
  properties: {
    name: text({ max: 255, example: 'example' }),
    description: text({ max: 4096 }),
    location: text({ serverFilled: true }),
    size: decimal({ serverFilled: true, description: 'GB' }),
    ...hotPlugFlags(allHotPlugs),
    exposeSerial: flag({ default: false }),
    requireLegacyBios: flag({ default: true }),
    licenceType: text({ oneOf: licenceTypes, anyCase: true }),
    applicationType: text({ oneOf: applicationTypes }),
    secAuthProtection: flag({ default: false }),
  },
  create: [step('copy')],
  change: [step('reconfigure')],
  remove: [step('release')],
  meter: ({ size }) => ({ snapshotGb: Number(size) }),
});
