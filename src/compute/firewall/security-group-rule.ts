// Rules of a security group: like those of a NIC, for all its members.
import { pathOf, resource, step } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { ComputeTools } from '../tools.ts';
import { firewallProperties, firewallRules } from './firewall-properties.ts';
import { claimSlots, ruleSlots } from './limit-slots.ts';
import { securityGroup } from './security-group.ts';

export const securityGroupRule = resource<ComputeTools>({
  name: 'securitygrouprule',
  shown: { title: 'Rule', type: 'firewall-rule', columns: ['name', 'protocol', 'portRangeStart', 'portRangeEnd'] },
  plural: 'rules',
  parents: [securityGroup],
  rights: { create: 'none' },
  actions: 'net.securitygrouprule',
  lifecycle: { replies: { create: 200 }, create: [step('apply')], change: [step('apply')], remove: [step('withdraw')] },
  properties: firewallProperties,
  sample: { change: { name: 'changed', portRangeEnd: 23 } },
  rules: firewallRules,
  decide(draft, context) {
    const isPlaced = draft.way !== 'create' || draft.reservations.claims.length > 0;
    return isPlaced ? undefined : claimSlots([draft], context, ruleSlots(pathOf(draft.parents.at(-1) as Row)));
  },
});
