// Core infrastructure: resources and routes under /cloudapi/v6.

import type { CallHome } from '../core/nodes/engine-home.ts';
import { entityRoutes } from '../surface/core-dialect/entity-routes.ts';
import { always, textSchema } from '../surface/docs/openapi.ts';
import { json, type Route } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { applicationForwardingRule } from './balancing/alb-rule.ts';
import { applicationLoadBalancer } from './balancing/applicationloadbalancer.ts';
import { balancedNicRoutes } from './balancing/balanced-nic-routes.ts';
import { loadBalancer } from './balancing/loadbalancer.ts';
import { natGatewayRule } from './balancing/nat-rule.ts';
import { natGateway } from './balancing/natgateway.ts';
import { networkLoadBalancer } from './balancing/networkloadbalancer.ts';
import { networkForwardingRule } from './balancing/nlb-rule.ts';
import { targetGroup } from './balancing/targetgroup.ts';
import { imageRoutes } from './catalogue/image.ts';
import { locationRoutes } from './catalogue/location.ts';
import { templateRoutes } from './catalogue/template.ts';
import { datacenter } from './datacenter.ts';
import { firewallRule } from './firewall/firewall-rule.ts';
import { securityGroup } from './firewall/security-group.ts';
import { securityGroupRoutes } from './firewall/security-group-routes.ts';
import { securityGroupRule } from './firewall/security-group-rule.ts';
import { flowLog } from './flow-log/flow-log.ts';
import { label, labelRoutes } from './label.ts';
import { ipblock } from './lan/ipblock.ts';
import { lan } from './lan/lan.ts';
import { nic } from './lan/nic.ts';
import { nicRoutes } from './lan/nic-routes.ts';
import { pcc } from './lan/pcc.ts';
import { type RequestTools, requestRoutes } from './request-routes.ts';
import { cdrom } from './server/cdrom.ts';
import { connectionRoutes } from './server/machine-connections.ts';
import { type ConsoleTools, consoleRoutes } from './server/remote-console.ts';
import { server } from './server/server.ts';
import { serverRoutes } from './server/server-routes.ts';
import { backupUnit } from './storage/backup-unit.ts';
import { backupUnitRoutes } from './storage/backup-unit-routes.ts';
import { snapshot } from './storage/snapshot.ts';
import { snapshotRoutes } from './storage/snapshot-routes.ts';
import { volume } from './storage/volume.ts';
import type { ComputeTools } from './tools.ts';

export { computeTools } from './tools.ts';

export const computeResources = [
  datacenter,
  lan, // before resources in LANs: parts of one body are decided in this order
  server,
  cdrom,
  nic,
  firewallRule,
  flowLog,
  volume,
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
  snapshot,
  ipblock,
  pcc,
  backupUnit,
  label,
];

// The order in documents and pages.
export const operationGroups = [
  ...['datacenter', 'server', 'cdrom', 'console', 'volume', 'snapshot', 'image', 'lan', 'nic', 'ipblock'],
  ...['firewallrule', 'securitygroup', 'securitygrouprule', 'loadbalancer', 'networkloadbalancer'],
  ...['networkforwardingrule', 'applicationloadbalancer', 'applicationforwardingrule', 'targetgroup'],
  ...['natgateway', 'natgatewayrule', 'pcc', 'backupunit', 'label', 'template', 'location', 'request', 'contract'],
  ...['user', 'group', 'share', 's3key', 'resource', 'info'],
];

export function computeRoutes(
  machinery: Machinery,
  tools: Pick<ComputeTools, 'disks'> & { screens: ConsoleTools; home: CallHome },
  requests: Omit<RequestTools, 'model'>,
): Route[] {
  const { store, model } = machinery;
  return [
    infoRoute,
    ...entityRoutes(machinery, model.all()),
    ...serverRoutes(machinery),
    ...consoleRoutes(store, tools.screens),
    ...connectionRoutes(store, tools.screens.machines, tools.home),
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

// Clients call it to check their credentials.
const infoRoute: Route = {
  method: 'GET',
  path: '/',
  operation: 'info_get',
  summary: 'Get the name and version of the API',
  replySchema: always({ href: textSchema, name: textSchema, version: textSchema }),
  call: (x) => json(200, { href: `${x.base}/`, name: 'CLOUD API', version: '6.0' }),
};
