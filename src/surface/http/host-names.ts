// Which host names are the platform's. The gateway serves these and refuses all others, so patterns match whole names
// only: `api.ionos.com.evil.example` must never match.
import { isIP, isIPv6 } from 'node:net';

// Hosts that the clients have built in. The caller adds the region's own --domain to the list it passes around.
export const builtInDomain = 'ionos.com';
const storageDomain = 'ionoscloud.com'; // of buckets

// The domains that the region has certificates for, besides addresses.
export function certifiedDomains(domain: string, publicUrl: string | undefined): string[] {
  const publicHost = publicUrl === undefined ? [] : [new URL(publicUrl).hostname].filter((host) => !isAddress(host));
  return [...new Set(['localhost', builtInDomain, storageDomain, domain, ...publicHost])];
}

const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

export interface CertificateHosts {
  suffix: string; // the name under which the one certificate for all of them is kept
  names: string[];
}

export function platformHost(host: string, domains: string[]): boolean {
  const name = plain(host);
  return name.length <= 253 && domains.some((domain) => patternOf(plain(domain)).test(name));
}

// One certificate serves all siblings of a name. A wildcard stands for one label only, so the names below a
// pipeline's account and below a bucket have a suffix of their own.
export function certificateHosts(domains: string[]): (host: string) => CertificateHosts | undefined {
  const tops = new Set(domains.map(plain));
  return (host) => {
    if (!platformHost(host, domains)) return undefined;
    const name = plain(host);
    const suffix = name.slice(name.indexOf('.') + 1);
    // OpenSSL takes no wildcard right below a top level, such as *.localhost: those names are spelled out.
    const spelled = tops.has(suffix) ? [`api.${suffix}`, `s3.${suffix}`] : [];
    return { suffix, names: [suffix, `*.${suffix}`, ...spelled] };
  };
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const location = '[a-z]{2}-[a-z]{3}(?:-[0-9])?';
const storageRegion = '[a-z]{2}-[a-z]{3,12}-[0-9]';
const products = 'monitoring|logging|kafka|dns|certificate-manager|(?:openai\\.)?inference';
// The account's own label comes second; the first begins with the pipeline's number.
const ingest = `${label}-metrics\\.${label}\\.monitoring|${label}-logs\\.${label}\\.logging`;

const patterns = new Map<string, RegExp>();

function patternOf(domain: string): RegExp {
  const known = patterns.get(domain);
  if (known) return known;
  const end = RegExp.escape(domain);
  const storageEnd = domain === builtInDomain ? RegExp.escape(storageDomain) : end;
  const pattern = new RegExp(
    `^(?:(?:api|s3|(?:${products}|${ingest})\\.${location})\\.${end}` +
      `|(?:${label}\\.)*s3(?:-website)?[.-]${storageRegion}\\.${storageEnd})$`,
  );
  patterns.set(domain, pattern);
  return pattern;
}

// Names compare without case, and one dot at the end only says that the name is complete. ASCII letters alone are
// folded: toLowerCase() would turn a Kelvin sign into our k.
export const plain = (name: string): string =>
  name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/\.$/, '');

// A name or an address, and perhaps a port. Answers repeat it in their links, so nothing else is accepted.
const host = /^(?:(?<name>[a-z0-9_~-]+(?:\.[a-z0-9_~-]+)*\.?)|\[(?<address>[0-9a-f:.]+)\])(?::(?<port>\d*))?$/i;

export function isHost(text: string): boolean {
  const { name, address = '', port = '' } = (text.length < 300 && host.exec(text)?.groups) || {};
  return (name !== undefined ? name.length < 256 : isIPv6(address)) && Number(port) < 65_536;
}
