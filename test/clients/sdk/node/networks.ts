// Load balancers, gateways, security groups and other networking resources.

import { application, gateway, network } from './balancers.ts';
import { accepted, all, client, idOf, read, report, tag } from './client.ts';
import { createDatacenter } from './infrastructure.ts';
import { life } from './life.ts';
import { getServer } from './servers.ts';

const { servers, lans, blocks, nics, securityGroups, pccs, backupUnits, classic } = client;

export async function networks(): Promise<void> {
  const made = accepted(
    blocks.ipblocksPost({ ipblock: { properties: { name: `${tag}-networks`, location: 'de/txl', size: 3 } } }),
  );
  const units = backupUnit();
  const datacenterId = idOf(await createDatacenter(`${tag}-networks`));
  const target = { properties: { name: 'target', cores: 1, ram: 1024 } };
  const server = accepted(servers.datacentersServersPost({ datacenterId, server: target } as never));
  // Its models call it `_public`, and would send it so.
  for (const isPublic of [true, false])
    await accepted(lans.datacentersLansPost({ datacenterId, lan: { properties: { public: isPublic } } as never }));
  const serverId = idOf(await server);
  const nic = await accepted(
    nics.datacentersServersNicsPost({
      datacenterId,
      serverId,
      nic: { properties: { name: 'inside', lan: 2, dhcp: true } },
    }),
  );
  const [first, second, third] = (await made).body.properties.ips as [string, string, string];
  const [ip] = nic.body.properties.ips as unknown as [string];
  await Promise.all([
    units,
    groups(datacenterId, serverId, idOf(nic)),
    crossConnect(datacenterId),
    balanced(datacenterId, idOf(nic)),
    network(datacenterId, first, ip),
    application(datacenterId, second, ip),
    gateway(datacenterId, third),
  ]);
}

async function groups(datacenterId: string, serverId: string, nicId: string): Promise<void> {
  const groupOf = (name: string, description: string) => ({ properties: { name, description } });
  await life('securitygroup_life', {
    name: 'web',
    create: () =>
      securityGroups.datacentersSecuritygroupsPost({ datacenterId, securityGroup: groupOf('web', 'first') }),
    list: (found) => securityGroups.datacentersSecuritygroupsGet({ datacenterId, ...found }),
    change: (securityGroupId) => {
      const securityGroup = groupOf('web', 'second').properties;
      return securityGroups.datacentersSecuritygroupsPatch({ datacenterId, securityGroupId, securityGroup });
    },
    put: (securityGroupId) => {
      const securityGroup = groupOf('put', 'third');
      return securityGroups.datacentersSecuritygroupsPut({ datacenterId, securityGroupId, securityGroup });
    },
    get: (securityGroupId) => securityGroups.datacentersSecuritygroupsFindById({ datacenterId, securityGroupId }),
    remove: (securityGroupId) => securityGroups.datacentersSecuritygroupsDelete({ datacenterId, securityGroupId }),
    inside: async (securityGroupId) => {
      await groupRules({ datacenterId, securityGroupId });
      await assignments(datacenterId, serverId, nicId, securityGroupId);
    },
  });
}

function groupRules(at: { datacenterId: string; securityGroupId: string }): Promise<void> {
  const properties = { name: 'http', protocol: 'TCP', portRangeStart: 80, portRangeEnd: 80 };
  const whole = { properties: { name: 'ping', protocol: 'TCP', type: 'EGRESS' } };
  return life('securitygroup_rule_life', {
    name: 'http',
    create: () =>
      securityGroups.datacentersSecuritygroupsFirewallrulesPost({ ...at, firewallRule: { properties } as never }),
    list: (found) => securityGroups.datacentersSecuritygroupsRulesGet({ ...at, ...found }),
    change: (ruleId) =>
      securityGroups.datacentersSecuritygroupsRulesPatch({ ...at, ruleId, rule: { portRangeEnd: 90 } as never }),
    put: (ruleId) => securityGroups.datacentersSecuritygroupsRulesPut({ ...at, ruleId, rule: whole as never }),
    get: (ruleId) => securityGroups.datacentersSecuritygroupsRulesFindById({ ...at, ruleId }),
    remove: (ruleId) => securityGroups.datacentersSecuritygroupsFirewallrulesDelete({ ...at, ruleId }),
  });
}

async function assignments(datacenterId: string, serverId: string, nicId: string, id: string): Promise<void> {
  const at = { datacenterId, serverId };
  const toServer = (...ids: string[]) =>
    accepted(securityGroups.datacentersServersSecuritygroupsPut({ ...at, securitygroups: { ids } }));
  const toNic = (...ids: string[]) =>
    accepted(securityGroups.datacentersServersNicsSecuritygroupsPut({ ...at, nicId, securitygroups: { ids } }));
  const server = await toServer(id);
  const nic = await toNic(id);
  const after = await getServer(datacenterId, serverId, 3);
  report('securitygroup_assign', { id, server, nic, after, emptied: [await toServer(), await toNic()] });
}

async function crossConnect(datacenterId: string): Promise<void> {
  await life('pcc_life', {
    name: `${tag}-pcc`,
    create: () => pccs.pccsPost({ pcc: { properties: { name: `${tag}-pcc`, description: 'first' } } }),
    list: (found) => pccs.pccsGet(found),
    change: (pccId) => pccs.pccsPatch({ pccId, pcc: { description: 'second' } }),
    get: (pccId) => pccs.pccsFindById({ pccId }),
    remove: (pccId) => pccs.pccsDelete({ pccId }),
    inside: async (pccId) => {
      const lan = { properties: { name: 'connected', public: false, pcc: pccId } };
      const lanId = idOf(await accepted(lans.datacentersLansPost({ datacenterId, lan: lan as never })));
      const after = await read(pccs.pccsFindById({ pccId }));
      report('pcc_peers', { dc: datacenterId, lan: lanId, after });
      await accepted(lans.datacentersLansDelete({ datacenterId, lanId }));
    },
  });
}

async function backupUnit(): Promise<void> {
  const unitOf = (email: string) => ({ properties: { name: `${tag}unit`, email, password: 'APasswordOfTests1' } });
  await life('backupunit_life', {
    name: `${tag}unit`,
    create: () => backupUnits.backupunitsPost({ backupUnit: unitOf('a@example.com') }),
    list: (found) => backupUnits.backupunitsGet(found),
    change: (backupunitId) =>
      backupUnits.backupunitsPatch({ backupunitId, backupUnit: { email: 'b@example.com' } as never }),
    put: (backupunitId) => backupUnits.backupunitsPut({ backupunitId, backupUnit: unitOf('c@example.com') }),
    get: (backupunitId) => backupUnits.backupunitsFindById({ backupunitId }),
    remove: (backupunitId) => backupUnits.backupunitsDelete({ backupunitId }),
    inside: async (backupunitId) =>
      report('backupunit_sso', await all({ body: read(backupUnits.backupunitsSsourlGet({ backupunitId })) })),
  });
}

async function balanced(datacenterId: string, nicId: string): Promise<void> {
  const balancerOf = (name: string) => ({ properties: { name, dhcp: true } });
  await life('loadbalancer_life', {
    name: 'classic',
    create: () => classic.datacentersLoadbalancersPost({ datacenterId, loadbalancer: balancerOf('classic') }),
    list: (found) => classic.datacentersLoadbalancersGet({ datacenterId, ...found }),
    change: (loadbalancerId) =>
      classic.datacentersLoadbalancersPatch({ datacenterId, loadbalancerId, loadbalancer: { name: 'renamed' } }),
    put: (loadbalancerId) =>
      classic.datacentersLoadbalancersPut({ datacenterId, loadbalancerId, loadbalancer: balancerOf('put') }),
    get: (loadbalancerId) => classic.datacentersLoadbalancersFindById({ datacenterId, loadbalancerId }),
    remove: (loadbalancerId) => classic.datacentersLoadbalancersDelete({ datacenterId, loadbalancerId }),
    inside: async (loadbalancerId) => {
      const at = { datacenterId, loadbalancerId };
      const nic = { id: nicId } as never;
      const attached = await accepted(classic.datacentersLoadbalancersBalancednicsPost({ ...at, nic }));
      const seen = await read(classic.datacentersLoadbalancersBalancednicsGet({ ...at, depth: 1 }));
      const ended = await accepted(classic.datacentersLoadbalancersBalancednicsDelete({ ...at, nicId }));
      const left = await read(classic.datacentersLoadbalancersBalancednicsGet(at));
      report('loadbalancer_nics', { id: nicId, attached, seen, ended, left });
    },
  });
}
