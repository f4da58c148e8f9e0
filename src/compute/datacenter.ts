// The virtual datacenter, which contains most other resources.
import { type Marked, revisionsIn } from '../core/operation/revisions.ts';
import { resource, step } from '../core/resource.ts';
import { flag, integer, list, shape, text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import { locationIds, offeredAt } from './catalogue/catalogue.ts';
import { demandUnusedId } from './copied-id.ts';
import { decideDefaultGroup, defaultGroupOf, defaultGroupRules } from './firewall/default-group.ts';
import type { ComputeTools } from './tools.ts';

export const datacenter = resource<ComputeTools>({
  name: 'datacenter',
  plural: 'datacenters',
  rights: { create: 'createDataCenter', shareable: true },
  actions: 'vdc.datacenter',
  usage: {
    countsInside: true,
    meter: () => ({ datacenter: 1 }), // costs nothing, but bills name it and its location
  },
  properties: {
    name: text({ required: true, min: 1, max: 255, example: 'example' }),
    description: text({ max: 4096 }),
    location: text({
      required: true,
      immutable: true,
      oneOf: locationIds,
      example: 'de/txl',
      description: 'Location of all its resources: `<country>/<site>`',
    }),
    version: integer({
      derived: true,
      description: 'Increases with each change of the datacenter or of a resource in it',
    }),
    features: list(text(), { derived: true }),
    secAuthProtection: flag({ title: '2FA protection', default: false }),
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
    ipv6CidrBlock: text({ serverFilled: true, description: 'A /56. LANs with IPv6 get a /64 of it' }),
    defaultSecurityGroupId: text({
      derived: true,
      settable: true,
      title: 'Default security group',
      inForms: 'change',
      max: 64,
      description: 'Security group of new servers. An empty text removes it. Not allowed on creation',
    }),
    createDefaultSecurityGroup: flag({
      derived: true,
      settable: true,
      inForms: 'create',
      description: 'Create a default security group with rules. Never returned',
    }),
  },
  shown: { columns: ['name', 'location', 'version'] },
  sample: { change: { name: 'changed', description: 'changed' } },
  lifecycle: { create: [step('provision')], change: [step('reconfigure')], remove: [step('release')] },
  rules: defaultGroupRules,
  async decide(draft, context) {
    if (draft.way === 'remove') return;
    if (draft.way === 'create') await demandUnusedId(draft, context);
    if (draft.before) draft.hidden.revision = (hiddenOf(draft.before).revision ?? 1) + 1;
    // Datacenters of earlier versions get their block at their next change.
    const { values, sealed, children } = draft;
    values.ipv6CidrBlock ??= await context.tools.prefixes.next();
    if (children.length > 0 || Object.keys(sealed).length > 0) await decideDefaultGroup(draft, context);
  },
  async derive(row, _values, { store }) {
    const { revision = 1, inside } = hiddenOf(row);
    const offered = offeredAt(locationOf(row));
    if (!inside) return { version: revision, ...offered, defaultSecurityGroupId: null };
    const [more, group] = await Promise.all([revisionsIn(store, row), defaultGroupOf(store, row)]);
    return { version: revision + more, ...offered, defaultSecurityGroupId: group };
  },
});

// Extracted without parsing, because every rendering needs it. A quote inside another value is escaped.
function locationOf({ body }: Row): string {
  const from = body.indexOf(mark) + mark.length;
  return body.slice(from, body.indexOf('"', from));
}

const mark = '"location":"';

// `revision`: the number of successful changes of the datacenter itself.
const hiddenOf = ({ hidden }: Row): Marked & { revision?: number } =>
  hidden ? (JSON.parse(hidden) as Marked & { revision?: number }) : {};
