// `availabilityZone` as people read it: Availability zone.
const kept = new Set(
  (
    'acl api ca cidr cpu dhcp dns fqdn gb gpu http https iam id ip jwt lan mac mb nat nic pcc pci ram ssh ssl tcp tls ' +
    'ttl udp url urn uri uuid vm'
  ).split(' '),
);
const short: Readonly<Record<string, string>> = {
  cdrom: 'CD-ROM',
  dbaas: 'DBaaS',
  dhcpv6: 'DHCPv6',
  etag: 'ETag',
  ids: 'IDs',
  ips: 'IPs',
  ipv4: 'IPv4',
  ipv6: 'IPv6',
  k8s: 'K8s',
  lans: 'LANs',
  urls: 'URLs',
};

export function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])(?!$)/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase()
    .split(' ')
    .map((word) => short[word] ?? (kept.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// What can't be read back need not be secret: the alias of an image is neither.
export const isSecretName = (name: string): boolean => /password|secret|authorization/i.test(name);
