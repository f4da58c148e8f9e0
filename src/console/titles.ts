// Names of resources as people write them, where their names in the API are put together from several words.
const titles: Readonly<Record<string, string | readonly [one: string, several: string]>> = {
  lan: 'LAN',
  nic: 'NIC',
  cdrom: 'CD-ROM',
  gpu: 'GPU',
  pcc: 'Cross connect',
  s3key: 'S3 key',
  ipblock: 'IP block',
  firewallrule: 'Firewall rule',
  flowlog: 'Flow log',
  securitygroup: 'Security group',
  securitygrouprule: 'Rule',
  loadbalancer: 'Load balancer',
  networkloadbalancer: 'Network load balancer',
  networkforwardingrule: 'Forwarding rule',
  applicationloadbalancer: 'Application load balancer',
  applicationforwardingrule: 'Forwarding rule',
  targetgroup: 'Target group',
  natgateway: 'NAT gateway',
  natgatewayrule: 'Rule',
  backupunit: 'Backup unit',
  autoscalinggroup: 'Auto scaling group',
  autoscalingaction: 'Action',
  autoscalingserver: 'Replica',
  metricpipeline: 'Metric pipeline',
  centralmonitoring: ['Central monitoring', 'Central monitoring'],
  logpipeline: 'Log pipeline',
  centrallogging: ['Central logging', 'Central logging'],
  alertrule: 'Alert rule',
  alertchannel: 'Notification channel',
  accesskey: 'Access key',
  storageregion: 'Storage region',
  secondaryzone: 'Secondary zone',
  reverserecord: 'Reverse record',
  certificateprovider: 'Certificate provider',
  autocertificate: 'Auto certificate',
  clusteruser: 'User',
  nativemodel: 'Model',
  owned: 'Resource',
};

// Other things that requests and the activity log name.
const others: Readonly<Record<string, string>> = {
  balancednic: 'Balanced NIC',
  dnsseckey: 'DNSSEC key',
  factor: 'Second factor',
  group: 'Group',
  objectlink: 'Object link',
  zonefile: 'Zone file',
};

// Of a kind of thing as requests and the activity log write it: `natgateway`, `flow-log`, `volumes`.
export function kindTitle(kind: string): string {
  const name = kind.toLowerCase().replaceAll('-', '');
  const one = [name, name.replace(/s$/, '')].find((word) => word in titles || word in others);
  const known = one === undefined ? undefined : (others[one] ?? titlesOf(one)[0]);
  const text = known ?? kind.replace(/([^s])s$/, '$1').replaceAll('-', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function titlesOf(name: string): [one: string, several: string] {
  const known = titles[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
  return typeof known === 'string' ? [known, severalOf(known)] : [known[0], known[1]];
}

const severalOf = (one: string): string => (/[^aeiou]y$/.test(one) ? `${one.slice(0, -1)}ies` : `${one}s`);

const tails: Readonly<Record<string, string>> = {
  axfr: 'Transfer',
  keys: 'DNSSEC keys',
  remoteconsole: 'Console address',
  s3ssourl: 'Sign-in address',
  ssourl: 'Sign-in address',
  zonefile: 'Zone file',
};

// The last part of the path of something that can be done with a thing.
export function tailTitle(tail: string): string {
  const spaced = tails[tail] ?? tail.replaceAll('-', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
