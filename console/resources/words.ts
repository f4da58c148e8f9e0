// `availabilityZone` as people read it: Availability zone.
const kept = new Set(['ip', 'ips', 'id', 'ids', 'url', 'cpu', 'ram', 'dns', 'mac', 'lan', 'nic', 'tls', 'ttl', 'uuid']);
const short: Readonly<Record<string, string>> = { ips: 'IPs', ids: 'IDs', urls: 'URLs', ipv4: 'IPv4', ipv6: 'IPv6' };

export function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase()
    .split(' ')
    .map((word) => short[word] ?? (kept.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// What can't be read back need not be secret: the alias of an image is neither.
export const isSecretName = (name: string): boolean => /password|secret|authorization/i.test(name);
