// Properties of a firewall rule, of a NIC or a security group. An unsent value reads as null, never as a default:
// Terraform recognizes its rules by comparing all sent values.
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
  ipVersion: text({ oneOf: ['IPv4', 'IPv6'], description: 'If absent: the version of the addresses, or else IPv4' }),
  sourceIp: text({ max: 60, description: 'An address or a range; any if absent' }),
  targetIp: text({ max: 60, description: 'An address or a range; any if absent' }),
  icmpCode: integer({ min: 0, max: 254, description: 'For ICMP and ICMPv6; any if absent' }),
  icmpType: integer({ min: 0, max: 254, description: 'For ICMP and ICMPv6; any if absent' }),
  portRangeStart: integer({ min: 1, max: 65_535, description: 'For TCP and UDP; any if absent', example: 22 }),
  portRangeEnd: integer({ min: 1, max: 65_535, description: 'For TCP and UDP; any if absent', example: 22 }),
  type: text({ oneOf: ['INGRESS', 'EGRESS'], description: 'INGRESS if absent' }),
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
    if (values[name] !== null)
      report(name, `Attribute is only allowed for ${those.join(' and ')}, but the protocol is ${protocol}`);
}

function portRules({ values }: Draft, report: Report): void {
  const { portRangeStart: start, portRangeEnd: end } = values;
  if (start === null && end !== null) report('portRangeStart', 'Attribute is required together with portRangeEnd');
  if (end === null && start !== null) report('portRangeEnd', 'Attribute is required together with portRangeStart');
  if (typeof start === 'number' && typeof end === 'number' && start > end)
    report('portRangeEnd', `The end of the range, ${end}, is below its start, ${start}`);
}

const versions: Record<string, number> = { IPv4: 4, IPv6: 6 };
const ofProtocol: Record<string, number> = { ICMP: 4, ICMPv6: 6 };

function addressRules({ values }: Draft, report: Report): void {
  const demanded = ofProtocol[String(values.protocol)];
  const named = versions[String(values.ipVersion)];
  let version = demanded ?? named;
  if (demanded !== undefined && named !== undefined && demanded !== named)
    report('ipVersion', `${values.protocol} requires IPv${demanded}`);
  const why = demanded ? `as in ${values.protocol}` : version === undefined ? 'as in sourceIp' : 'as in ipVersion';
  for (const name of ['sourceIp', 'targetIp']) {
    const value = values[name];
    if (typeof value !== 'string') continue;
    const range = rangeOf(value);
    if (!range) report(name, `'${value.slice(0, 60)}' is neither an IP address nor a range such as 10.0.0.0/24`);
    else if (version !== undefined && range.version !== version)
      report(name, `'${value}' is IPv${range.version}, but expected IPv${version}, ${why}`);
    version ??= range?.version;
  }
}
