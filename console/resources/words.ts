// Turns names and values of the API into labels and texts.
type Schema = { readonly [keyword: string]: unknown };

// `availabilityZone` becomes `Availability zone`.
const written: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'ACL AI API BIOS CA CD-ROM CDN CIDR CPU DBaaS DHCP DHCPv6 DNS ETag FQDN GB GPU GPUs HTTP HTTPS IAM ICMP ID IDs IP IPs ' +
    'IPv4 IPv6 JWT K8s KaaS LAN LANs MAC MB NAT NIC NICs PCI RAM S3 SSH SSL TCP TLS TTL UDP URI URL URLs URN UUID VirtIO VM ' +
    'VPN'
  )
    .split(' ')
    .map((word) => [word.toLowerCase().replace('-', ''), word]),
);
const longer: Readonly<Record<string, string>> = { email: 'e-mail', pcc: 'cross connect' };

export function wordsOf(name: string): string {
  const words = name
    .replace('DataCenter', 'Datacenter') // in the names of privileges
    .replace(/([a-z0-9])([A-Z])(?!$)/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase()
    .split(' ')
    .map((word) => written[word] ?? longer[word] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// The API's states are in capitals: `IN_PROGRESS` becomes `In progress`. Other texts stay unchanged.
export const stateText = (state: string): string =>
  state === 'SHUTOFF' ? 'Off' : /^[A-Z]+(?:_[A-Z]+)*$/.test(state) ? wordsOf(state) : state;

// The label of a property: the title of its schema, or its name in words.
export const labelOf = (name: string, schema: { readonly title?: unknown } | undefined): string =>
  typeof schema?.title === 'string' ? schema.title : wordsOf(name);

// The schema of a property of an object schema.
export const fieldIn = ({ properties }: Schema, name: string): Schema =>
  (properties as Readonly<Record<string, Schema>> | undefined)?.[name] ?? {};

export const labelIn = (schema: Schema, name: string): string => labelOf(name, fieldIn(schema, name));

// Formats whole gigabytes as GB. Counts get thousands separators; identifiers such as port numbers do not.
export function amountText(name: string, value: number, unit?: unknown): string {
  if (unit === 'MB' && value % 1024 === 0) return amountText(name, value / 1024, 'GB');
  const isLong = Number.isInteger(value) && value > 99_999 && !/number$/i.test(name);
  const digits = isLong ? value.toLocaleString('en') : String(value);
  return typeof unit === 'string' ? `${digits} ${unit}` : digits;
}

// The title within a sentence: `Server` becomes `server`, `LAN` stays.
export const lower = (title: string): string =>
  /^[A-Z]{2}|S3/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);

// `Resource ID` becomes `Resource`, because the list of values shows names.
export const withoutIdSuffix = (label: string): string => label.replace(/ (?:ID|UUID)$/, '');

// The singular: `IPs` becomes `IP`.
export const oneOf = (label: string): string => label.replace(/([^aeiou])ies$/, '$1y').replace(/([^s])s$/, '$1');

// Not every write-only property is a secret: an image alias is not.
export const isSecretName = (name: string): boolean => /password|secret|authorization/i.test(name);
