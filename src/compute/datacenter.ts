// The virtual datacenter: everything else stands in one.
import { resource, step } from '../core/resource.ts';
import { flag, integer, list, shape, text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import { locationIds, offered } from './catalogue.ts';

export const datacenter = resource({
  name: 'datacenter',
  plural: 'datacenters',
  privilege: 'createDataCenter',
  actions: 'vdc.datacenter',
  properties: {
    name: text({ required: true, min: 1, max: 255, example: 'example' }),
    description: text({ max: 4096 }),
    location: text({
      required: true,
      immutable: true,
      oneOf: locationIds,
      example: 'de/txl',
      description: '<country>/<site>',
    }),
    version: integer({ derived: true, description: 'One more with each change' }),
    features: list(text(), { derived: true }),
    secAuthProtection: flag({ default: false }),
    cpuArchitecture: list(
      shape({
        cpuFamily: text(),
        maxCores: integer(),
        maxRam: integer(),
        vendor: text(),
        enabledFeatures: list(text()),
      }),
      { derived: true },
    ),
    gpuArchitecture: list(shape({ vendor: text(), model: text() }), { derived: true }),
    ipv6CidrBlock: text({ serverFilled: true }),
  },
  create: [step('provision')],
  change: [step('reconfigure')],
  remove: [step('release')],
  decide(draft) {
    if (draft.before && draft.way !== 'remove') draft.hidden.revision = revisionOf(draft.before) + 1;
  },
  derive: (row) => ({ version: revisionOf(row), ...offered }),
});

// How many times it was changed, and did not fail to be.
const revisionOf = (row: Row): number =>
  row.hidden ? ((JSON.parse(row.hidden) as { revision?: number }).revision ?? 1) : 1;
