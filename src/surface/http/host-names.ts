// Which host names are the platform's. The gateway serves these and refuses all others, so patterns match whole names
// only: `api.ionos.com.evil.example` must never match.
import { isIP, isIPv6 } from 'node:net';

// The domain that the clients have built in. The region's own --domain is another.
export const builtInDomain = 'ionos.com';

// Where clients read the platform's REST API pages. Names below and next to it are not the platform's.
export const restApiPagesHost = 'ionos-cloud.github.io';

// The domains that the region has certificates for, in addition to addresses. `others`: those of products.
export function certifiedDomains(others: readonly string[], domain: string, publicUrl: string | undefined): string[] {
  const publicHost = publicUrl === undefined ? [] : [new URL(publicUrl).hostname].filter((host) => !isAddress(host));
  return [...new Set(['localhost', builtInDomain, ...others, restApiPagesHost, domain, ...publicHost])];
}

const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

export interface CertificateHosts {
  suffix: string; // the name under which the one certificate for all of them is kept
  names: string[];
}

// The host names of a service, as patterns.
export interface ServiceHosts {
  hosts: readonly string[]; // in front of each of the platform's domains: `api`, `monitoring.<region>`
  wholeHosts?: readonly string[]; // whole names: `<labels>.s3.<storage-region>.<domain>`, in the region's own domain
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const placeholders: Readonly<Record<string, string>> = {
  '<region>': '[a-z]{2}-[a-z]{3}(?:-[0-9])?',
  '<storage-region>': '[a-z]{2}-[a-z]{3,12}-[0-9]',
  '<number>': label,
  '<account>': label,
  '<labels>.': `(?:${label}\\.)*`, // any number of them, also none
};

const expressionOf = (pattern: string): string =>
  pattern
    .split(/(<labels>\.|<[a-z-]+>)/)
    .map((part) => placeholders[part] ?? RegExp.escape(part))
    .join('');

// All names that the services of a region have.
export class HostNames {
  readonly #pattern: RegExp;
  readonly #shortHosts: readonly string[]; // of one label
  readonly #wholeHosts: ReadonlySet<string>;
  readonly #domains: ReadonlySet<string>;

  constructor(services: readonly ServiceHosts[], domains: readonly string[]) {
    this.#domains = new Set(domains.map(plain));
    const hosts = [...new Set(services.flatMap((service) => service.hosts))];
    const own = [...this.#domains].filter((domain) => domain !== builtInDomain);
    const whole = services
      .flatMap(({ wholeHosts = [] }) => wholeHosts)
      .flatMap((host) => (host.includes('<domain>') ? own.map((one) => host.replace('<domain>', one)) : [host]));
    const below = hosts.flatMap((host) => [...this.#domains].map((domain) => `${host}.${domain}`));
    this.#pattern = new RegExp(`^(?:${[...below, ...whole].map(expressionOf).join('|')})$`);
    this.#shortHosts = hosts.filter((host) => !host.includes('.'));
    this.#wholeHosts = new Set(whole);
  }

  has(host: string): boolean {
    const name = plain(host);
    return name.length <= 253 && this.#pattern.test(name);
  }

  // One certificate serves all siblings of a name. A wildcard stands for one label only, so the names below a
  // pipeline's account and below a bucket have a separate suffix.
  certificateFor(host: string): CertificateHosts | undefined {
    if (!this.has(host)) return undefined;
    const name = plain(host);
    if (this.#wholeHosts.has(name)) return { suffix: name, names: [name] };
    const suffix = name.slice(name.indexOf('.') + 1);
    // OpenSSL takes no wildcard right below a top level, such as *.localhost: those names are spelled out.
    const spelled = this.#domains.has(suffix) ? this.#shortHosts.map((short) => `${short}.${suffix}`) : [];
    return { suffix, names: [suffix, `*.${suffix}`, ...spelled] };
  }
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
