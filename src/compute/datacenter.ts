// The virtual datacenter: everything else stands in one.
import { after } from '../base/soon.ts';
import { resource, step } from '../core/resource.ts';
import { type Marked, revisionsIn } from '../core/revisions.ts';
import { flag, integer, list, shape, text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import { locationIds, offered } from './catalogue.ts';
import type { ComputeTools } from './tools.ts';

export const datacenter = resource<ComputeTools>({
  name: 'datacenter',
  plural: 'datacenters',
  privilege: 'createDataCenter',
  actions: 'vdc.datacenter',
  countsInside: true,
  properties: {
    name: text({ required: true, min: 1, max: 255, example: 'example' }),
    description: text({ max: 4096 }),
    location: text({
      required: true,
      immutable: true,
      oneOf: locationIds,
      example: 'de/txl',
      description: '`<country>/<site>`',
    }),
    version: integer({ derived: true, description: 'One more with each change of it, or of something in it' }),
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
    ipv6CidrBlock: text({ serverFilled: true, description: 'A /56; its LANs have a /64 of it, where they ask' }),
  },
  create: [step('provision')],
  change: [step('reconfigure')],
  remove: [step('release')],
  decide(draft, { tools }) {
    if (draft.way === 'remove') return;
    if (draft.before) draft.hidden.revision = (hiddenOf(draft.before).revision ?? 1) + 1;
    // Those of earlier versions of Cumulet have none until they are changed.
    if (draft.values.ipv6CidrBlock !== null) return;
    return after(tools.prefixes.next(), (block) => {
      draft.values.ipv6CidrBlock = block;
    });
  },
  derive(row, _values, { store }) {
    const { revision = 1, inside } = hiddenOf(row);
    if (!inside) return { version: revision, ...offered };
    return revisionsIn(store, row).then((more) => ({ version: revision + more, ...offered }));
  },
});

// `revision`: how many times it was changed itself, and did not fail to be.
const hiddenOf = ({ hidden }: Row): Marked & { revision?: number } =>
  hidden ? (JSON.parse(hidden) as Marked & { revision?: number }) : {};
