// Load balancers, gateways, security groups and other networking resources, as SDKs see them.
import assert from 'node:assert/strict';
import type { ResourceBody } from '../../../harness/region.ts';
import { hasRequest, idsOf, isAccepted, part } from './claims.ts';
import type { Checks, Journey, Seen } from './flow.ts';
import { answerOf, lifeOf } from './life.ts';

const security: Checks = {
  securitygroup_life: lifeOf({
    type: 'security-group',
    title: '[CORE-20] a security group is created, changed, replaced and deleted',
    made: { name: 'web', description: 'first' },
    changed: { description: 'second' },
    replaced: { name: 'put', description: 'third' },
  }),
  securitygroup_rule_life: lifeOf({
    type: 'firewall-rule',
    title: '[CORE-20] so is a rule of it',
    made: { name: 'http', protocol: 'TCP', portRangeStart: 80, portRangeEnd: 80 },
    changed: { portRangeEnd: 90 },
    replaced: { name: 'ping', protocol: 'TCP', type: 'EGRESS', portRangeStart: 80 },
    status: 200,
  }),
  securitygroup_assign: {
    title: '[CORE-20] servers and NICs are put into security groups, and taken out',
    verify(seen, journey) {
      for (const name of ['server', 'nic']) isAssigned(answerOf(seen, name), [seen.id], journey);
      const { after } = seen;
      assert.deepEqual(idsOf(after.entities.securitygroups as ResourceBody), [seen.id]);
      for (const emptied of seen.emptied as Seen[]) isAssigned(emptied, [], journey);
    },
  },
};

function isAssigned(answer: Seen, ids: unknown[], journey: Journey): void {
  assert.equal(answer.status, 200);
  hasRequest(answer, journey);
  assert.deepEqual(idsOf(answer.body), ids);
}

const flowLog = (of: string) =>
  lifeOf({
    type: 'flow-log',
    title: `[CORE-20] a flow log of ${of} is created, renamed and deleted`,
    made: { name: 'log', action: 'ALL', direction: 'INGRESS', bucket: '{tag}-logs' },
    changed: { name: 'other' },
    replaced: { name: 'put', action: 'ALL' },
  });

const balancers: Checks = {
  loadbalancer_life: lifeOf({
    type: 'loadbalancer',
    title: '[CORE-20] a classic load balancer is created, renamed and deleted',
    made: { name: 'classic', dhcp: true },
    changed: { name: 'renamed' },
    replaced: { name: 'put', dhcp: true },
  }),
  loadbalancer_nics: {
    title: '[CORE-20] it balances NICs',
    verify(seen, journey) {
      isAccepted(answerOf(seen, 'attached'), 'nic', journey);
      assert.deepEqual(idsOf(part(seen, 'seen')), [seen.id]);
      hasRequest(answerOf(seen, 'ended'), journey);
      assert.deepEqual(part(seen, 'left').items, []);
    },
  },
  networkloadbalancer_life: lifeOf({
    type: 'networkloadbalancer',
    title: '[CORE-20] a network load balancer is created, renamed and deleted',
    made: { name: 'nlb', listenerLan: 1, targetLan: 2 },
    changed: { name: 'renamed' },
    replaced: { name: 'put', listenerLan: 1, targetLan: 2 },
  }),
  networkloadbalancer_rule_life: lifeOf({
    type: 'forwarding-rule',
    title: '[CORE-20] so is a rule of it',
    made: { name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'TCP', listenerPort: 80 },
    changed: { algorithm: 'RANDOM' },
    replaced: { name: 'web', algorithm: 'ROUND_ROBIN', listenerPort: 81 },
  }),
  networkloadbalancer_flowlog_life: flowLog('a network load balancer'),
  applicationloadbalancer_life: lifeOf({
    type: 'applicationloadbalancer',
    title: '[CORE-20] an application load balancer is created, renamed and deleted',
    made: { name: 'alb', listenerLan: 1, targetLan: 2 },
    changed: { name: 'renamed' },
    replaced: { name: 'put', listenerLan: 1, targetLan: 2 },
  }),
  applicationloadbalancer_rule_life: lifeOf({
    type: 'forwarding-rule',
    title: '[CORE-20] so is a rule of it',
    made: { name: 'site', protocol: 'HTTP', listenerPort: 80, clientTimeout: 50_000 },
    changed: { listenerPort: 81 },
    replaced: { name: 'site', listenerPort: 80, clientTimeout: 9000 },
  }),
  applicationloadbalancer_flowlog_life: flowLog('an application load balancer'),
  targetgroup_life: lifeOf({
    type: 'target-group',
    title: '[CORE-20] a target group is created, changed, replaced and deleted',
    made: { name: '{tag}-group', algorithm: 'ROUND_ROBIN', protocol: 'HTTP' },
    changed: { algorithm: 'RANDOM' },
    replaced: { name: '{tag}-group', algorithm: 'SOURCE_IP' },
  }),
};

const others: Checks = {
  natgateway_life: lifeOf({
    type: 'natgateway',
    title: '[CORE-20] a NAT gateway is created, renamed and deleted',
    made: { name: 'nat' },
    changed: { name: 'renamed' },
    replaced: { name: 'put' },
  }),
  natgateway_rule_life: lifeOf({
    type: 'natgateway-rule',
    title: '[CORE-20] so is a rule of it',
    made: { name: 'out', type: 'SNAT', protocol: 'TCP' },
    changed: { name: 'away' },
    replaced: { name: 'put', protocol: 'UDP' },
  }),
  natgateway_flowlog_life: flowLog('a NAT gateway'),
  pcc_life: lifeOf({
    type: 'pcc',
    title: '[CORE-20] a cross connect is created, changed and deleted',
    made: { name: '{tag}-pcc', description: 'first' },
    changed: { description: 'second' },
  }),
  pcc_peers: {
    title: '[CORE-20] LANs are connected by it',
    verify(seen) {
      const [peer] = seen.after.properties.peers as Record<string, unknown>[];
      assert.deepEqual([peer?.id, peer?.name, peer?.datacenterId], [seen.lan, 'connected', seen.dc]);
    },
  },
  backupunit_life: lifeOf({
    type: 'backupunit',
    title: 'a backup unit is created, changed and deleted; its password is never shown',
    made: { name: '{tag}unit', email: 'a@example.com', password: null },
    changed: { email: 'b@example.com' },
    replaced: { name: '{tag}unit', email: 'c@example.com', password: null },
  }),
  backupunit_sso: {
    title: 'and it has a single sign-on address',
    verify(seen) {
      assert.match(String(seen.body.ssoUrl), /^https?:\/\//);
    },
  },
};

export const networkChecks: Checks = { ...security, ...balancers, ...others };
