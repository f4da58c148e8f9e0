// Names, labels and amounts of the API as people read them.
type Schema = { readonly [keyword: string]: unknown };

// `availabilityZone` as people read it: Availability zone.
const written: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'ACL AI API BIOS CA CD-ROM CDN CIDR CPU DBaaS DHCP DHCPv6 DNS ETag FQDN GB GPU HTTP HTTPS IAM ICMP ID IDs IP IPs ' +
    'IPv4 IPv6 JWT K8s KaaS LAN LANs MAC MB NAT NIC NICs PCI RAM S3 SSH SSL TCP TLS TTL UDP URI URL URLs URN UUID VirtIO VM ' +
    'VPN'
  )
    .split(' ')
    .map((word) => [word.toLowerCase().replace('-', ''), word]),
);
const longer: Readonly<Record<string, string>> = { email: 'e-mail', pcc: 'cross connect' };

export function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])(?!$)/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase()
    .split(' ')
    .map((word) => written[word] ?? longer[word] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// The label of a property: the title of its schema, or else its name in words.
export const labelOf = (name: string, schema: { readonly title?: unknown } | undefined): string =>
  typeof schema?.title === 'string' ? schema.title : wordsOf(name);

// The schema of a property, from that of the object that has it.
export const fieldIn = ({ properties }: Schema, name: string): Schema =>
  (properties as Readonly<Record<string, Schema>> | undefined)?.[name] ?? {};

export const labelIn = (schema: Schema, name: string): string => labelOf(name, fieldIn(schema, name));

// Whole gigabytes are told as such. What counts things is grouped, what is a number of something is not.
export function amountText(name: string, value: number, unit?: unknown): string {
  if (unit === 'MB' && value % 1024 === 0) return amountText(name, value / 1024, 'GB');
  const isLong = Number.isInteger(value) && value > 99_999 && !/number$/i.test(name);
  const digits = isLong ? value.toLocaleString('en') : String(value);
  return typeof unit === 'string' ? `${digits} ${unit}` : digits;
}

// Within a sentence: `Server` is not `LAN`.
export const lower = (title: string): string =>
  /^[A-Z]{2}|S3/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);

// Who chooses a `Resource ID` from a list of names chooses a resource.
export const nameOfThing = (label: string): string => label.replace(/ (?:ID|UUID)$/, '');

// `IPs` are more than one `IP`.
export const oneOf = (label: string): string => label.replace(/([^aeiou])ies$/, '$1y').replace(/([^s])s$/, '$1');

// What can't be read back need not be secret: the alias of an image is neither.
export const isSecretName = (name: string): boolean => /password|secret|authorization/i.test(name);
