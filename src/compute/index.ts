// Core infrastructure: what stands under /cloudapi/v6.
import { besideRoutes } from '../surface/beside.ts';
import { json, type Route } from '../surface/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { always, textSchema } from '../surface/openapi.ts';
import { applicationForwardingRule } from './alb-rule.ts';
import { applicationLoadBalancer } from './applicationloadbalancer.ts';
import { backupUnit } from './backup-unit.ts';
import { backupUnitRoutes } from './backup-unit-routes.ts';
import { balancedNicRoutes } from './balanced-nics.ts';
import { cdrom } from './cdrom.ts';
import { datacenter } from './datacenter.ts';
import { firewallRule } from './firewall-rule.ts';
import { flowLog } from './flow-log.ts';
import { imageRoutes } from './image.ts';
import { ipblock } from './ipblock.ts';
import { label, labelRoutes } from './label.ts';
import { lan } from './lan.ts';
import { loadBalancer } from './loadbalancer.ts';
import { locationRoutes } from './location.ts';
import { natGatewayRule } from './nat-rule.ts';
import { natGateway } from './natgateway.ts';
import { networkLoadBalancer } from './networkloadbalancer.ts';
import { nic } from './nic.ts';
import { nicRoutes } from './nic-routes.ts';
import { networkForwardingRule } from './nlb-rule.ts';
import { pcc } from './pcc.ts';
import { type ConsoleTools, consoleRoutes } from './remote-console.ts';
import { type RequestTools, requestRoutes } from './request-routes.ts';
import { securityGroup } from './security-group.ts';
import { securityGroupRoutes } from './security-group-routes.ts';
import { securityGroupRule } from './security-group-rule.ts';
import { server } from './server.ts';
import { serverRoutes } from './server-routes.ts';
import { snapshot } from './snapshot.ts';
import { snapshotRoutes } from './snapshot-routes.ts';
import { targetGroup } from './targetgroup.ts';
import { templateRoutes } from './template.ts';
import type { ComputeTools } from './tools.ts';
import { volume } from './volume.ts';

export { computeTools } from './tools.ts';

export const computeResources = [
  datacenter,
  server,
  cdrom,
  nic,
  firewallRule,
  flowLog,
  volume,
  lan,
  securityGroup,
  securityGroupRule,
  loadBalancer,
  networkLoadBalancer,
  networkForwardingRule,
  applicationLoadBalancer,
  applicationForwardingRule,
  targetGroup,
  natGateway,
  natGatewayRule,
  pcc,
  ipblock,
  backupUnit,
  snapshot,
  label,
];

export function computeRoutes(
  machinery: Machinery,
  tools: Pick<ComputeTools, 'disks'> & { screens: ConsoleTools },
  requests: Omit<RequestTools, 'model'>,
): Route[] {
  const { store, model } = machinery;
  return [
    infoRoute,
    ...besideRoutes(machinery, model.all()),
    ...serverRoutes(machinery),
    ...consoleRoutes(store, tools.screens),
    ...nicRoutes(machinery),
    ...balancedNicRoutes(machinery),
    ...securityGroupRoutes(machinery),
    ...backupUnitRoutes(machinery),
    ...snapshotRoutes(machinery, tools.disks),
    ...locationRoutes(),
    ...imageRoutes(),
    ...templateRoutes(),
    ...labelRoutes(store),
    ...requestRoutes({ ...requests, model }),
  ];
}

// What clients ask for to try their credentials.
const infoRoute: Route = {
  method: 'GET',
  path: '/',
  operation: 'info_get',
  summary: 'What this API is',
  replySchema: always({ href: textSchema, name: textSchema, version: textSchema }),
  call: (x) => json(200, { href: `${x.base}/`, name: 'CLOUD API', version: '6.0' }),
};
