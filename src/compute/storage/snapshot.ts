// Snapshots: full copies of a volume, in its location. They outlive the volume; volumes are created and restored from
// them.
import { resource, step } from '../../core/resource.ts';
import { decimal, flag, text } from '../../core/schema.ts';
import type { ComputeTools } from '../tools.ts';
import { allHotPlugs, applicationTypes, hotPlugFlags, licenceTypes } from './disk-properties.ts';
import { diskStep } from './disk-step.ts';

// Properties taken from the volume, unless another value is sent.
export const fromVolume = [...allHotPlugs, 'exposeSerial', 'requireLegacyBios', 'licenceType', 'applicationType'];

export const snapshot = resource<ComputeTools>({
  name: 'snapshot',
  plural: 'snapshots',
  verbs: ['list', 'get', 'replace', 'change', 'remove'],
  ownCreation: true,
  sourceValues: ['location', 'size'],
  rights: { create: 'createSnapshot', shareable: true },
  shown: { paged: false, columns: ['name', 'size', 'location'] },
  actions: 'vdc.snapshot',
  properties: {
    name: text({ max: 255, example: 'example' }),
    description: text({ max: 4096 }),
    location: text({ serverFilled: true }),
    size: decimal({ serverFilled: true, unit: 'GB' }),
    ...hotPlugFlags(allHotPlugs),
    exposeSerial: flag(),
    requireLegacyBios: flag(),
    licenceType: text({ oneOf: licenceTypes, anyCase: true }),
    applicationType: text({ oneOf: applicationTypes }),
    secAuthProtection: flag({ title: '2FA protection', default: false }),
  },
  sample: { change: { name: 'changed' } },
  lifecycle: { create: [diskStep('copy')], change: [step('reconfigure')], remove: [step('release')] },
  rules({ way, values, previous }) {
    if (way !== 'create') for (const name of fromVolume) values[name] ??= previous[name] ?? null;
  },
  usage: { meter: ({ size }) => ({ snapshotGb: Number(size) }) },
});
