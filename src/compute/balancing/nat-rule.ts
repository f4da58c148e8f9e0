// Rules of NAT gateways: which sources are translated, for which targets, and to which public address.
import { equalJson, isObject } from '../../base/json.ts';
import { type Draft, type Report, resource, step } from '../../core/resource.ts';
import { shape, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { refused } from '../lan/address-claims.ts';
import type { ComputeTools } from '../tools.ts';
import { ipv4, optional, port, subnet, textsOf, title } from './balancer-properties.ts';
import { holdParent } from './listener.ts';
import { natGateway } from './natgateway.ts';

export const natGatewayRule = resource<ComputeTools>({
  name: 'natgatewayrule',
  shown: {
    title: 'Rule',
    type: 'natgateway-rule',
    paged: false,
    columns: ['name', 'type', 'protocol', 'sourceSubnet', 'publicIp'],
  },
  plural: 'rules',
  parents: [natGateway],
  rights: { create: 'none' },
  actions: 'net.natgatewayrule',
  properties: {
    name: title(),
    type: text({ oneOf: ['SNAT'], anyCase: true, default: 'SNAT' }),
    protocol: text({ oneOf: ['TCP', 'UDP', 'ICMP', 'ALL'], anyCase: true, default: 'ALL', example: 'TCP' }),
    sourceSubnet: subnet({ required: true, example: '10.1.2.0/24' }),
    publicIp: ipv4({ required: true, example: '198.18.0.1', description: 'One of the addresses of the gateway' }),
    targetSubnet: optional(subnet({ description: 'Any address if absent' })),
    targetPortRange: shape(
      { start: port({ example: 1 }), end: port({ example: 65_535 }) },
      { description: 'Only for TCP and UDP; any port if absent' },
    ),
  },
  sample: {
    properties: (near) => ({ publicIp: textsOf(near('parent').properties.publicIps)[0] ?? '' }),
    change: { name: 'changed', sourceSubnet: '10.1.3.0/24' },
  },
  lifecycle: { create: [step('provision')], change: [step('reconfigure')], remove: [step('release')] },
  rules,
  decide(draft) {
    const { values, previous, way } = draft;
    if (way === 'remove' || values.publicIp === previous.publicIp) return;
    const gateway = draft.parents.at(-1) as Row;
    const { publicIps } = JSON.parse(gateway.body) as { publicIps: string[] };
    if (!publicIps.includes(String(values.publicIp)))
      throw refused(
        draft,
        'publicIp',
        `${values.publicIp} is not an address of the gateway. It has ${publicIps.join(', ')}`,
      );
    if (way !== 'create') holdParent(draft, gateway);
  },
});

function rules({ values, previous, way }: Draft, report: Report): void {
  if (values.targetSubnet === '') values.targetSubnet = null;
  const { protocol, targetPortRange: range } = values;
  if (!isObject(range)) return;
  const { start, end } = range;
  const hasPorts = protocol === 'TCP' || protocol === 'UDP';
  const isLeftOver = way !== 'create' && protocol !== previous.protocol && equalJson(range, previous.targetPortRange);
  if ((start === null && end === null) || (!hasPorts && isLeftOver)) values.targetPortRange = null;
  else if (!hasPorts) report('targetPortRange', `Protocol ${protocol} has no ports: only TCP and UDP have them`);
  else if (Number(start ?? end) > Number(end ?? start))
    report('targetPortRange', `The end of the range, ${end}, is below its start, ${start}`);
}
