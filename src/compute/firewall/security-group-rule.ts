// Rules of a security group: as those of a NIC, for all its members.
import { pathOf, resource, step } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { ComputeTools } from '../tools.ts';
import { firewallProperties, firewallRules } from './firewall-properties.ts';
import { claimSlots, ruleSlots } from './limit-slots.ts';
import { securityGroup } from './security-group.ts';

export const securityGroupRule = resource<ComputeTools>({
  name: 'securitygrouprule',
  type: 'firewall-rule',
  plural: 'rules',
  parents: [securityGroup],
  privilege: 'none',
  actions: 'net.securitygrouprule',
  replies: { create: 200 },
  properties: firewallProperties,
  columns: ['name', 'protocol', 'portRangeStart', 'portRangeEnd'],
  sample: { change: { name: 'changed', portRangeEnd: 23 } },
  create: [step('apply')],
  change: [step('apply')],
  remove: [step('withdraw')],
  rules: firewallRules,
  decide(draft, context) {
    const isPlaced = draft.way !== 'create' || draft.reservations.claims.length > 0;
    return isPlaced ? undefined : claimSlots([draft], context, ruleSlots(pathOf(draft.parents.at(-1) as Row)));
  },
});
