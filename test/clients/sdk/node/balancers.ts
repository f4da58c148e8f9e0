// Load balancers and NAT gateways, with their rules and flow logs.
import { client, read, tag } from './client.ts';
import { life } from './life.ts';
import { flowLogOf } from './servers.ts';

const { lans, network: nlbs, application: albs, targetGroups, gateways } = client;
const other = { name: 'other' } as never;

export async function network(datacenterId: string, ip: string, target: string): Promise<void> {
  const balancerOf = (name: string) => ({ properties: { name, listenerLan: 1, targetLan: 2, ips: [ip] } });
  await life('networkloadbalancer_life', {
    name: 'nlb',
    create: () => nlbs.datacentersNetworkloadbalancersPost({ datacenterId, networkLoadBalancer: balancerOf('nlb') }),
    list: (found) => nlbs.datacentersNetworkloadbalancersGet({ datacenterId, ...found }),
    change: (networkLoadBalancerId) => {
      const networkLoadBalancerProperties = { name: 'renamed' } as never;
      const change = { datacenterId, networkLoadBalancerId, networkLoadBalancerProperties };
      return nlbs.datacentersNetworkloadbalancersPatch(change);
    },
    put: (networkLoadBalancerId) => {
      const networkLoadBalancer = balancerOf('put');
      return nlbs.datacentersNetworkloadbalancersPut({ datacenterId, networkLoadBalancerId, networkLoadBalancer });
    },
    get: (networkLoadBalancerId) =>
      nlbs.datacentersNetworkloadbalancersFindByNetworkLoadBalancerId({ datacenterId, networkLoadBalancerId }),
    remove: (networkLoadBalancerId) =>
      nlbs.datacentersNetworkloadbalancersDelete({ datacenterId, networkLoadBalancerId }),
    inside: (networkLoadBalancerId) => {
      const at = { datacenterId, networkLoadBalancerId };
      return Promise.all([networkRules(at, ip, target), networkLogs(at)]);
    },
  });
}

interface AtNetwork {
  datacenterId: string;
  networkLoadBalancerId: string;
}

function networkRules(at: AtNetwork, listenerIp: string, target: string): Promise<void> {
  const ruleOf = (listenerPort: number) => {
    const targets = [{ ip: target, port: 80, weight: 1 }];
    const balancing = { algorithm: 'ROUND_ROBIN', protocol: 'TCP' };
    return { properties: { name: 'web', ...balancing, listenerIp, listenerPort, targets } } as never;
  };
  return life('networkloadbalancer_rule_life', {
    name: 'web',
    create: () =>
      nlbs.datacentersNetworkloadbalancersForwardingrulesPost({ ...at, networkLoadBalancerForwardingRule: ruleOf(80) }),
    list: (found) => nlbs.datacentersNetworkloadbalancersForwardingrulesGet({ ...at, ...found }),
    change: (forwardingRuleId) =>
      nlbs.datacentersNetworkloadbalancersForwardingrulesPatch({
        ...at,
        forwardingRuleId,
        networkLoadBalancerForwardingRuleProperties: { algorithm: 'RANDOM' } as never,
      }),
    put: (forwardingRuleId) =>
      nlbs.datacentersNetworkloadbalancersForwardingrulesPut({
        ...at,
        forwardingRuleId,
        networkLoadBalancerForwardingRule: ruleOf(81),
      }),
    get: (forwardingRuleId) =>
      nlbs.datacentersNetworkloadbalancersForwardingrulesFindByForwardingRuleId({ ...at, forwardingRuleId }),
    remove: (forwardingRuleId) =>
      nlbs.datacentersNetworkloadbalancersForwardingrulesDelete({ ...at, forwardingRuleId }),
  });
}

const networkLogs = (at: AtNetwork): Promise<void> =>
  life('networkloadbalancer_flowlog_life', {
    name: 'log',
    create: () =>
      nlbs.datacentersNetworkloadbalancersFlowlogsPost({ ...at, networkLoadBalancerFlowLog: flowLogOf('log') }),
    list: (found) => nlbs.datacentersNetworkloadbalancersFlowlogsGet({ ...at, ...found }),
    change: (flowLogId) =>
      nlbs.datacentersNetworkloadbalancersFlowlogsPatch({
        ...at,
        flowLogId,
        networkLoadBalancerFlowLogProperties: other,
      }),
    put: (flowLogId) =>
      nlbs.datacentersNetworkloadbalancersFlowlogsPut({
        ...at,
        flowLogId,
        networkLoadBalancerFlowLog: flowLogOf('put'),
      }),
    get: (flowLogId) => nlbs.datacentersNetworkloadbalancersFlowlogsFindByFlowLogId({ ...at, flowLogId }),
    remove: (flowLogId) => nlbs.datacentersNetworkloadbalancersFlowlogsDelete({ ...at, flowLogId }),
  });

export async function application(datacenterId: string, ip: string, target: string): Promise<void> {
  const groupOf = (algorithm: string) => {
    const targets = [{ ip: target, port: 80, weight: 1 }];
    return { properties: { name: `${tag}-group`, algorithm, protocol: 'HTTP', targets } } as never;
  };
  await life('targetgroup_life', {
    name: `${tag}-group`,
    create: () => targetGroups.targetgroupsPost({ targetGroup: groupOf('ROUND_ROBIN') }),
    list: (found) => targetGroups.targetgroupsGet(found),
    change: (targetGroupId) =>
      targetGroups.targetgroupsPatch({ targetGroupId, targetGroupProperties: { algorithm: 'RANDOM' } as never }),
    put: (targetGroupId) => targetGroups.targetgroupsPut({ targetGroupId, targetGroup: groupOf('SOURCE_IP') }),
    get: (targetGroupId) => targetGroups.targetgroupsFindByTargetGroupId({ targetGroupId }),
    remove: (targetGroupId) => targetGroups.targetGroupsDelete({ targetGroupId }),
    inside: (targetGroup) => applicationBalancer(datacenterId, ip, targetGroup),
  });
}

function applicationBalancer(datacenterId: string, ip: string, targetGroup: string): Promise<void> {
  const balancerOf = (name: string) => ({ properties: { name, listenerLan: 1, targetLan: 2, ips: [ip] } });
  return life('applicationloadbalancer_life', {
    name: 'alb',
    create: () =>
      albs.datacentersApplicationloadbalancersPost({ datacenterId, applicationLoadBalancer: balancerOf('alb') }),
    list: (found) => albs.datacentersApplicationloadbalancersGet({ datacenterId, ...found }),
    change: (applicationLoadBalancerId) =>
      albs.datacentersApplicationloadbalancersPatch({
        datacenterId,
        applicationLoadBalancerId,
        applicationLoadBalancerProperties: { name: 'renamed' } as never,
      }),
    put: (applicationLoadBalancerId) =>
      albs.datacentersApplicationloadbalancersPut({
        datacenterId,
        applicationLoadBalancerId,
        applicationLoadBalancer: balancerOf('put'),
      }),
    get: (applicationLoadBalancerId) =>
      albs.datacentersApplicationloadbalancersFindByApplicationLoadBalancerId({
        datacenterId,
        applicationLoadBalancerId,
      }),
    remove: (applicationLoadBalancerId) =>
      albs.datacentersApplicationloadbalancersDelete({ datacenterId, applicationLoadBalancerId }),
    inside: (applicationLoadBalancerId) => {
      const at = { datacenterId, applicationLoadBalancerId };
      return Promise.all([applicationRules(at, ip, targetGroup), applicationLogs(at)]);
    },
  });
}

interface AtApplication {
  datacenterId: string;
  applicationLoadBalancerId: string;
}

function applicationRules(at: AtApplication, listenerIp: string, targetGroup: string): Promise<void> {
  const rule = { name: 'site', protocol: 'HTTP', listenerIp, listenerPort: 80 };
  const httpRules = [{ name: 'to', type: 'FORWARD', targetGroup }];
  const ruleOf = (more: object) => ({ properties: { ...rule, httpRules, ...more } }) as never;
  return life('applicationloadbalancer_rule_life', {
    name: 'site',
    create: () =>
      albs.datacentersApplicationloadbalancersForwardingrulesPost({
        ...at,
        applicationLoadBalancerForwardingRule: ruleOf({}),
      }),
    list: (found) => albs.datacentersApplicationloadbalancersForwardingrulesGet({ ...at, ...found }),
    change: (forwardingRuleId) =>
      albs.datacentersApplicationloadbalancersForwardingrulesPatch({
        ...at,
        forwardingRuleId,
        applicationLoadBalancerForwardingRuleProperties: { listenerPort: 81 } as never,
      }),
    put: (forwardingRuleId) =>
      albs.datacentersApplicationloadbalancersForwardingrulesPut({
        ...at,
        forwardingRuleId,
        applicationLoadBalancerForwardingRule: ruleOf({ clientTimeout: 9000 }),
      }),
    get: (forwardingRuleId) =>
      albs.datacentersApplicationloadbalancersForwardingrulesFindByForwardingRuleId({ ...at, forwardingRuleId }),
    remove: (forwardingRuleId) =>
      albs.datacentersApplicationloadbalancersForwardingrulesDelete({ ...at, forwardingRuleId }),
  });
}

const applicationLogs = (at: AtApplication): Promise<void> =>
  life('applicationloadbalancer_flowlog_life', {
    name: 'log',
    create: () =>
      albs.datacentersApplicationloadbalancersFlowlogsPost({
        ...at,
        applicationLoadBalancerFlowLog: flowLogOf('log'),
      }),
    list: (found) => albs.datacentersApplicationloadbalancersFlowlogsGet({ ...at, ...found }),
    change: (flowLogId) =>
      albs.datacentersApplicationloadbalancersFlowlogsPatch({
        ...at,
        flowLogId,
        applicationLoadBalancerFlowLogProperties: other,
      }),
    put: (flowLogId) =>
      albs.datacentersApplicationloadbalancersFlowlogsPut({
        ...at,
        flowLogId,
        applicationLoadBalancerFlowLog: flowLogOf('put'),
      }),
    get: (flowLogId) => albs.datacentersApplicationloadbalancersFlowlogsFindByFlowLogId({ ...at, flowLogId }),
    remove: (flowLogId) => albs.datacentersApplicationloadbalancersFlowlogsDelete({ ...at, flowLogId }),
  });

export async function gateway(datacenterId: string, ip: string): Promise<void> {
  const lan = await read(lans.datacentersLansFindById({ datacenterId, lanId: '2' }));
  const { ipv4CidrBlock } = lan.properties as unknown as { ipv4CidrBlock: string };
  const gatewayOf = (name: string) => ({ properties: { name, publicIps: [ip], lans: [{ id: 2 }] } });
  await life('natgateway_life', {
    name: 'nat',
    create: () => gateways.datacentersNatgatewaysPost({ datacenterId, natGateway: gatewayOf('nat') }),
    list: (found) => gateways.datacentersNatgatewaysGet({ datacenterId, ...found }),
    change: (natGatewayId) =>
      gateways.datacentersNatgatewaysPatch({
        datacenterId,
        natGatewayId,
        natGatewayProperties: { name: 'renamed' } as never,
      }),
    put: (natGatewayId) =>
      gateways.datacentersNatgatewaysPut({ datacenterId, natGatewayId, natGateway: gatewayOf('put') }),
    get: (natGatewayId) => gateways.datacentersNatgatewaysFindByNatGatewayId({ datacenterId, natGatewayId }),
    remove: (natGatewayId) => gateways.datacentersNatgatewaysDelete({ datacenterId, natGatewayId }),
    inside: (natGatewayId) => {
      const at = { datacenterId, natGatewayId };
      return Promise.all([gatewayRules(at, ip, ipv4CidrBlock), gatewayLogs(at)]);
    },
  });
}

interface AtGateway {
  datacenterId: string;
  natGatewayId: string;
}

function gatewayRules(at: AtGateway, publicIp: string, sourceSubnet: string): Promise<void> {
  const ruleOf = (name: string, protocol: string) =>
    ({ properties: { name, protocol, sourceSubnet, publicIp } }) as never;
  return life('natgateway_rule_life', {
    name: 'out',
    create: () => gateways.datacentersNatgatewaysRulesPost({ ...at, natGatewayRule: ruleOf('out', 'TCP') }),
    list: (found) => gateways.datacentersNatgatewaysRulesGet({ ...at, ...found }),
    change: (natGatewayRuleId) =>
      gateways.datacentersNatgatewaysRulesPatch({
        ...at,
        natGatewayRuleId,
        natGatewayRuleProperties: { name: 'away' } as never,
      }),
    put: (natGatewayRuleId) =>
      gateways.datacentersNatgatewaysRulesPut({ ...at, natGatewayRuleId, natGatewayRule: ruleOf('put', 'UDP') }),
    get: (natGatewayRuleId) => gateways.datacentersNatgatewaysRulesFindByNatGatewayRuleId({ ...at, natGatewayRuleId }),
    remove: (natGatewayRuleId) => gateways.datacentersNatgatewaysRulesDelete({ ...at, natGatewayRuleId }),
  });
}

const gatewayLogs = (at: AtGateway): Promise<void> =>
  life('natgateway_flowlog_life', {
    name: 'log',
    create: () => gateways.datacentersNatgatewaysFlowlogsPost({ ...at, natGatewayFlowLog: flowLogOf('log') }),
    list: (found) => gateways.datacentersNatgatewaysFlowlogsGet({ ...at, ...found }),
    change: (flowLogId) =>
      gateways.datacentersNatgatewaysFlowlogsPatch({ ...at, flowLogId, natGatewayFlowLogProperties: other }),
    put: (flowLogId) =>
      gateways.datacentersNatgatewaysFlowlogsPut({ ...at, flowLogId, natGatewayFlowLog: flowLogOf('put') }),
    get: (flowLogId) => gateways.datacentersNatgatewaysFlowlogsFindByFlowLogId({ ...at, flowLogId }),
    remove: (flowLogId) => gateways.datacentersNatgatewaysFlowlogsDelete({ ...at, flowLogId }),
  });
