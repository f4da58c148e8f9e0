// Firewall rules of a NIC. They apply while its firewall is active.
import { resource, step } from '../../core/resource.ts';
import { nic } from '../lan/nic.ts';
import type { ComputeTools } from '../tools.ts';
import { firewallProperties, firewallRules } from './firewall-properties.ts';

export const firewallRule = resource<ComputeTools>({
  name: 'firewallrule',
  type: 'firewall-rule',
  plural: 'firewallrules',
  parents: [nic],
  actions: 'net.firewallrule',
  properties: firewallProperties,
  create: [step('apply')],
  change: [step('apply')],
  remove: [step('withdraw')],
  rules: firewallRules,
});
