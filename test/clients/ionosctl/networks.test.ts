// ionosctl, where it is installed, with networks: load balancers, gateways, firewalls and cross connects. Each command
// waits for its request. It does not support security groups.
import { test } from 'node:test';
import { provideBuckets } from '../../harness/objects.ts';
import { startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { nothingLeft } from '../left.ts';
import { wayTo, workFolder } from '../run.ts';
import { ctlOf } from './ionosctl.ts';
import { type Kept, type Row, runTable } from './table.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('ionosctl on networks', { skip: ionosctl.skip ?? false, concurrency: true }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const home = workFolder(t);
  await Promise.all(
    (['direct', 'proxy'] as const).map(async (name) => {
      const ctl = ctlOf(ionosctl.path as string, region, await wayTo(region, name, home));
      const kept: Kept = { tag: ctl.tag, password: 'APassword1' };
      await provideBuckets(region, `${ctl.tag}-logs`); // for flow logs
      await t.test(name, (inner) => runTable(inner, ctl, table, kept));
    }),
  );
  await nothingLeft(t, region);
});

const dc = '--datacenter-id {dc}';
const nic = `${dc} --server-id {server} --nic-id {nic}`;

const grounds: Row[] = [
  { run: 'datacenter create --name {tag}-dc --location de/txl', keep: 'dc' },
  { run: `lan create ${dc} --name outside --public`, keep: 'outside' },
  { run: `lan create ${dc} --name inside`, keep: 'inside', take: { range: 'properties.ipv4CidrBlock' } },
  { run: 'ipblock create --name {tag}-ips --location de/txl --size 4', keep: 'block', take: ipsOf(4) },
  { run: `server create ${dc} --name target --cores 1 --ram 1024`, keep: 'server' },
  {
    run: `nic create ${dc} --server-id {server} --name inside --lan-id {inside}`,
    keep: 'nic',
    take: { target: 'properties.ips.0' },
  },
];

function ipsOf(size: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: size }, (_, at) => [`ip${at}`, `properties.ips.${at}`]));
}

const rules: Row[] = [
  {
    run: `firewallrule create ${nic} --name http --protocol TCP --port-range-start 80 --port-range-end 90
      --direction INGRESS`,
    proves: 'CORE-19',
    keep: 'rule',
    shows: { name: 'http', protocol: 'TCP', portRangeStart: 80, portRangeEnd: 90, type: 'INGRESS', sourceIp: null },
  },
  {
    run: `firewallrule create ${nic} --name ping --protocol ICMP --icmp-type 8 --icmp-code 0 --direction EGRESS`,
    keep: 'ping',
    shows: { protocol: 'ICMP', icmpType: 8, icmpCode: 0, type: 'EGRESS', portRangeStart: null },
  },
  {
    run: `firewallrule update ${nic} --firewallrule-id {rule} --name https --port-range-end 443 --source-ip 10.1.2.3`,
    shows: { name: 'https', portRangeStart: 80, portRangeEnd: 443, sourceIp: '10.1.2.3' },
  },
  { run: `firewallrule list ${nic} -F protocol=icmp`, proves: 'CORE-06', finds: ['items[].id', ['{ping}']] },
  { run: `firewallrule get ${nic} --firewallrule-id {rule}`, shows: { name: 'https' } },
  { run: `firewallrule create ${nic} --protocol TCP --port-range-start 90 --port-range-end 80`, fails: /422/ },
  { run: `firewallrule delete ${nic} --firewallrule-id {rule}` },
  { run: `firewallrule get ${nic} --firewallrule-id {rule}`, fails: /404/ },
  { run: `firewallrule delete ${nic} --all` },
  { run: `firewallrule list ${nic}`, finds: ['items', []] },
  ...flowLogs('flowlog', nic, false),
];

// ionosctl can't rename those of a NIC.
function flowLogs(command: string, on: string, canChange: boolean): Row[] {
  const changed: Row[] = [{ run: `${command} update ${on} --flowlog-id {log} --name other`, shows: { name: 'other' } }];
  return [
    {
      run: `${command} create ${on} --name log --action REJECTED --direction INGRESS --s3bucket {tag}-logs`,
      keep: 'log',
      shows: { name: 'log', action: 'REJECTED', direction: 'INGRESS', bucket: '{tag}-logs' },
    },
    { run: `${command} list ${on}`, finds: ['items[].id', ['{log}']] },
    { run: `${command} get ${on} --flowlog-id {log}`, shows: { action: 'REJECTED' } },
    ...(canChange ? changed : []),
    { run: `${command} delete ${on} --flowlog-id {log}` },
    { run: `${command} list ${on}`, finds: ['items', []] },
  ];
}

const classic: Row[] = [
  { run: `loadbalancer create ${dc} --name classic --dhcp`, proves: 'CORE-20', keep: 'classic', shows: { dhcp: true } },
  { run: `loadbalancer update ${dc} --loadbalancer-id {classic} --name renamed`, shows: { name: 'renamed' } },
  { run: `loadbalancer list ${dc} -F name=RENAMED`, finds: ['items[].id', ['{classic}']] },
  { run: `loadbalancer nic attach ${dc} --loadbalancer-id {classic} --nic-id {nic}` },
  { run: `loadbalancer nic list ${dc} --loadbalancer-id {classic}`, finds: ['items[].id', ['{nic}']] },
  { run: `loadbalancer nic get ${dc} --loadbalancer-id {classic} --nic-id {nic}`, says: /{nic}/ },
  { run: `loadbalancer get ${dc} --loadbalancer-id {classic}`, finds: ['entities.balancednics.items[].id', ['{nic}']] },
  { run: `loadbalancer nic detach ${dc} --loadbalancer-id {classic} --nic-id {nic}` },
  { run: `loadbalancer nic list ${dc} --loadbalancer-id {classic}`, finds: ['items', []] },
  { run: `loadbalancer delete ${dc} --loadbalancer-id {classic}` },
  { run: `loadbalancer get ${dc} --loadbalancer-id {classic}`, fails: /404/ },
];

const nlb = `${dc} --networkloadbalancer-id {nlb}`;

const network: Row[] = [
  {
    run: `networkloadbalancer create ${dc} --name nlb --listener-lan {outside} --target-lan {inside} --ips {ip0}`,
    proves: 'CORE-20',
    keep: 'nlb',
    shows: { name: 'nlb', listenerLan: 1, targetLan: 2, ips: ['{ip0}'] },
  },
  { run: `networkloadbalancer update ${nlb} --name renamed`, shows: { name: 'renamed' } },
  { run: `networkloadbalancer list ${dc} -F name=renamed`, finds: ['items[].id', ['{nlb}']] },
  { run: `networkloadbalancer get ${nlb}`, finds: ['length(properties.lbPrivateIps)', 1] },
  {
    run: `networkloadbalancer rule create ${nlb} --name web --listener-ip {ip0} --listener-port 80`,
    proves: 'CORE-20',
    keep: 'rule',
    shows: { name: 'web', listenerIp: '{ip0}', listenerPort: 80, protocol: 'TCP', algorithm: 'ROUND_ROBIN' },
  },
  { run: `networkloadbalancer rule target add ${nlb} --rule-id {rule} --ip {target} --port 8080 --weight 5` },
  { run: `networkloadbalancer rule target list ${nlb} --rule-id {rule}`, says: /{target}\s+8080\s+5/ },
  {
    run: `networkloadbalancer rule update ${nlb} --rule-id {rule} --listener-port 81 --retries 5`,
    shows: { listenerPort: 81, name: 'web' },
  },
  {
    run: `networkloadbalancer rule get ${nlb} --rule-id {rule}`,
    finds: ['properties.[healthCheck.retries, length(targets)]', [5, 1]],
  },
  { run: `networkloadbalancer rule list ${nlb}`, finds: ['items[].id', ['{rule}']] },
  { run: `networkloadbalancer rule target remove ${nlb} --rule-id {rule} --all` },
  { run: `networkloadbalancer rule get ${nlb} --rule-id {rule}`, finds: ['properties.targets', []] },
  ...flowLogs('networkloadbalancer flowlog', nlb, true),
  { run: `networkloadbalancer rule delete ${nlb} --rule-id {rule}` },
  { run: `networkloadbalancer rule get ${nlb} --rule-id {rule}`, fails: /404/ },
  { run: `networkloadbalancer delete ${nlb}` },
  { run: `networkloadbalancer get ${nlb}`, fails: /404/ },
];

const group = '--targetgroup-id {group}';
const alb = `${dc} --applicationloadbalancer-id {alb}`;

const application: Row[] = [
  {
    run: 'targetgroup create --name {tag}-group --algorithm SOURCE_IP --retries 4 --path /health --response 204',
    proves: 'CORE-20',
    keep: 'group',
    shows: { name: '{tag}-group', algorithm: 'SOURCE_IP', protocol: 'HTTP' },
  },
  { run: `targetgroup target add ${group} --ip {target} --port 80 --weight 3` },
  { run: `targetgroup target list ${group}`, says: /{target}\s+80\s+3/ },
  { run: `targetgroup update ${group} --name {tag}-renamed --check-interval 4000`, shows: { name: '{tag}-renamed' } },
  { run: 'targetgroup list -F name={tag}', finds: ['items[].id', ['{group}']] },
  { run: `targetgroup get ${group}`, finds: ['properties.[healthCheck.checkInterval, length(targets)]', [4000, 1]] },
  {
    run: `applicationloadbalancer create ${dc} --name alb --listener-lan {outside} --target-lan {inside} --ips {ip1}`,
    proves: 'CORE-20',
    keep: 'alb',
    shows: { name: 'alb', listenerLan: 1, targetLan: 2, ips: ['{ip1}'] },
  },
  { run: `applicationloadbalancer update ${alb} --name renamed`, shows: { name: 'renamed', ips: ['{ip1}'] } },
  { run: `applicationloadbalancer list ${dc}`, finds: ['items[].id', ['{alb}']] },
  {
    run: `applicationloadbalancer rule create ${alb} --name site --listener-ip {ip1} --listener-port 80`,
    keep: 'rule',
    shows: { name: 'site', listenerPort: 80, protocol: 'HTTP' },
  },
  {
    run: `applicationloadbalancer rule httprule add ${alb} --rule-id {rule} --name to
      --type FORWARD ${group} --condition-type PATH --condition STARTS_WITH --condition-value /app`,
    says: /to/,
  },
  { run: `applicationloadbalancer rule httprule list ${alb} --rule-id {rule}`, says: /to\s+FORWARD\s+{group}/ },
  {
    run: `applicationloadbalancer rule update ${alb} --rule-id {rule} --listener-port 81`,
    shows: { listenerPort: 81 },
  },
  { run: `applicationloadbalancer rule get ${alb} --rule-id {rule}`, finds: ['length(properties.httpRules)', 1] },
  { run: `targetgroup delete ${group}`, fails: /422/ },
  { run: `applicationloadbalancer rule httprule remove ${alb} --rule-id {rule} --name to` },
  ...flowLogs('applicationloadbalancer flowlog', alb, true),
  { run: `applicationloadbalancer rule delete ${alb} --rule-id {rule}` },
  { run: `applicationloadbalancer delete ${alb}` },
  { run: `applicationloadbalancer get ${alb}`, fails: /404/ },
  { run: `targetgroup target remove ${group} --ip {target} --port 80` },
  { run: `targetgroup delete ${group}` },
  { run: `targetgroup get ${group}`, fails: /404/ },
];

const nat = `${dc} --natgateway-id {nat}`;

const gateway: Row[] = [
  {
    run: `natgateway create ${dc} --name nat --ips {ip2}`,
    proves: 'CORE-20',
    keep: 'nat',
    shows: { name: 'nat', publicIps: ['{ip2}'] },
  },
  { run: `natgateway lan add ${nat} --lan-id {inside}` },
  { run: `natgateway lan list ${nat}`, says: /^2\s+\S+/m },
  {
    run: `natgateway rule create ${nat} --name out --ip {ip2} --source-subnet {range} --protocol TCP
      --port-range-start 1 --port-range-end 90`,
    keep: 'rule',
    shows: {
      name: 'out',
      publicIp: '{ip2}',
      sourceSubnet: '{range}',
      protocol: 'TCP',
      targetPortRange: { start: 1, end: 90 },
    },
  },
  { run: `natgateway rule update ${nat} --rule-id {rule} --name away`, shows: { name: 'away', protocol: 'TCP' } },
  { run: `natgateway rule list ${nat}`, finds: ['items[].id', ['{rule}']] },
  { run: `natgateway rule get ${nat} --rule-id {rule}`, shows: { name: 'away' } },
  { run: `natgateway update ${nat} --name renamed`, shows: { name: 'renamed', publicIps: ['{ip2}'] } },
  { run: `natgateway list ${dc} -F name=renamed`, finds: ['items[].id', ['{nat}']] },
  ...flowLogs('natgateway flowlog', nat, true),
  { run: `natgateway rule delete ${nat} --rule-id {rule}` },
  { run: `natgateway lan remove ${nat} --lan-id {inside}` },
  { run: `natgateway delete ${nat}` },
  { run: `natgateway get ${nat}`, fails: /404/ },
];

const connected: Row[] = [
  {
    run: 'pcc create --name {tag}-pcc --description first',
    proves: 'CORE-20',
    keep: 'pcc',
    shows: { description: 'first' },
  },
  { run: 'pcc update --pcc-id {pcc} --description second', shows: { name: '{tag}-pcc', description: 'second' } },
  { run: 'pcc list -F name={tag}', finds: ['items[].id', ['{pcc}']] },
  { run: `lan create ${dc} --name connected --pcc-id {pcc}`, keep: 'lan', shows: { pcc: '{pcc}' } },
  { run: 'pcc peers list --pcc-id {pcc}', says: /connected/ },
  { run: 'pcc get --pcc-id {pcc}', finds: ['properties.peers[].datacenterId', ['{dc}']] },
  { run: 'pcc delete --pcc-id {pcc}', fails: /422/ },
  { run: `lan delete ${dc} --lan-id {lan}` },
  { run: 'pcc delete --pcc-id {pcc}' },
  { run: 'pcc get --pcc-id {pcc}', fails: /404/ },
];

const backup: Row[] = [
  // It says more than JSON, so the id is looked up.
  { run: 'backupunit create --name {tag}unit --email a@example.com --password {password}', says: /{tag}unit/ },
  { run: 'backupunit list -F name={tag}', take: { unit: 'items.0.id' } },
  { run: 'backupunit update --backupunit-id {unit} --email b@example.com', shows: { email: 'b@example.com' } },
  { run: 'backupunit get --backupunit-id {unit}', shows: { email: 'b@example.com', password: null } },
  { run: 'backupunit get-sso-url --backupunit-id {unit}', says: /https?:\/\// },
  { run: 'backupunit delete --backupunit-id {unit}' },
  { run: 'backupunit get --backupunit-id {unit}', fails: /404/ },
];

const ends: Row[] = [
  { run: `datacenter delete ${dc}`, proves: 'CORE-05' },
  { run: 'ipblock delete --ipblock-id {block}' },
];

const table = [
  ...grounds,
  ...rules,
  ...classic,
  ...network,
  ...application,
  ...gateway,
  ...connected,
  ...backup,
  ...ends,
];
