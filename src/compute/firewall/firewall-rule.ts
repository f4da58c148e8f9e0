// Firewall rules of a NIC. They apply while its firewall is active.
import { resource, step } from '../../core/resource.ts';
import { nic } from '../lan/nic.ts';
import type { ComputeTools } from '../tools.ts';
import { firewallProperties, firewallRules } from './firewall-properties.ts';

export const firewallRule = resource<ComputeTools>({
  name: 'firewallrule',
  shown: {
    title: 'Firewall rule',
    type: 'firewall-rule',
    columns: ['name', 'protocol', 'portRangeStart', 'portRangeEnd'],
  },
  plural: 'firewallrules',
  parents: [nic],
  rights: { create: 'none' },
  actions: 'net.firewallrule',
  properties: firewallProperties,
  sample: { change: { name: 'changed', portRangeEnd: 23 } },
  lifecycle: { create: [step('apply')], change: [step('apply')], remove: [step('withdraw')] },
  rules: firewallRules,
});
