// Properties of a firewall rule, of a NIC or a security group. What was not sent reads as null, never as a default:
// Terraform recognizes its rules by comparing all that it sent.
import type { Draft, Report } from '../../core/resource.ts';
import { integer, type Properties, text } from '../../core/schema.ts';
import { rangeOf } from '../network/ip.ts';

const withPorts = ['TCP', 'UDP'];
const withTypes = ['ICMP', 'ICMPv6'];
const protocols = [...withPorts, ...withTypes, 'GRE', 'VRRP', 'ESP', 'AH', 'ANY'];

export const firewallProperties: Properties = {
  name: text({ max: 255, example: 'example' }),
  protocol: text({ required: true, immutable: true, oneOf: protocols, anyCase: true, example: 'TCP' }),
  sourceMac: text({
    pattern: /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i,
    says: 'Expected six bytes, such as 02:01:ab:cd:ef:01',
  }),
  ipVersion: text({ oneOf: ['IPv4', 'IPv6'], description: 'Where it is absent: that of the addresses, or else IPv4' }),
  sourceIp: text({ max: 60, description: 'An address or a range; where it is absent, any' }),
  targetIp: text({ max: 60, description: 'An address or a range; where it is absent, any' }),
  icmpCode: integer({ min: 0, max: 254, description: 'Of ICMP and ICMPv6; where it is absent, any' }),
  icmpType: integer({ min: 0, max: 254, description: 'Of ICMP and ICMPv6; where it is absent, any' }),
  portRangeStart: integer({ min: 1, max: 65_535, description: 'Of TCP and UDP; where it is absent, any', example: 22 }),
  portRangeEnd: integer({ min: 1, max: 65_535, description: 'Of TCP and UDP; where it is absent, any', example: 22 }),
  type: text({ oneOf: ['INGRESS', 'EGRESS'], description: 'Where it is absent: INGRESS' }),
};

export function firewallRules(draft: Draft, report: Report): void {
  const { protocol } = draft.values;
  if (typeof protocol === 'string' && protocols.includes(protocol)) {
    onlyWith(withPorts, ['portRangeStart', 'portRangeEnd'], draft, report);
    onlyWith(withTypes, ['icmpType', 'icmpCode'], draft, report);
  }
  portRules(draft, report);
  addressRules(draft, report);
}

function onlyWith(those: string[], names: string[], { values }: Draft, report: Report): void {
  const protocol = String(values.protocol);
  if (those.includes(protocol)) return;
  for (const name of names)
    if (values[name] !== null) report(name, `It is for ${those.join(' and ')}, and the protocol is ${protocol}`);
}

function portRules({ values }: Draft, report: Report): void {
  const { portRangeStart: start, portRangeEnd: end } = values;
  if (start === null && end !== null) report('portRangeStart', 'Attribute is required together with portRangeEnd');
  if (end === null && start !== null) report('portRangeEnd', 'Attribute is required together with portRangeStart');
  if (typeof start === 'number' && typeof end === 'number' && start > end)
    report('portRangeEnd', `The range ends at ${end}, before it starts at ${start}`);
}

const versions: Record<string, number> = { IPv4: 4, IPv6: 6 };
const ofProtocol: Record<string, number> = { ICMP: 4, ICMPv6: 6 };

function addressRules({ values }: Draft, report: Report): void {
  const demanded = ofProtocol[String(values.protocol)];
  const named = versions[String(values.ipVersion)];
  let version = demanded ?? named;
  if (demanded !== undefined && named !== undefined && demanded !== named)
    report('ipVersion', `${values.protocol} is of IPv${demanded}`);
  const why = demanded ? `as in ${values.protocol}` : version === undefined ? 'as in sourceIp' : 'as in ipVersion';
  for (const name of ['sourceIp', 'targetIp']) {
    const value = values[name];
    if (typeof value !== 'string') continue;
    const range = rangeOf(value);
    if (!range) report(name, `'${value.slice(0, 60)}' is neither an IP address nor a range such as 10.0.0.0/24`);
    else if (version !== undefined && range.version !== version)
      report(name, `'${value}' is IPv${range.version}; IPv${version} is expected, ${why}`);
    version ??= range?.version;
  }
}
