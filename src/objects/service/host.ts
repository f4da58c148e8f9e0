// Reads the storage region and the bucket from the host name of a request.

export interface StorageHost {
  region: string | undefined; // the name in buckets; undefined: a host for all regions
  bucket: string | undefined; // virtual-host style
  isWebsite: boolean;
}

// User-owned buckets are in these regions; the first one has another name in hosts.
const userRegions = ['de', 'eu-central-2', 'eu-south-2'];
const byHost: Readonly<Record<string, string>> = { 'eu-central-1': 'de', 'de-central': 'de' };

// The platform's own domains.
export const platformDomains = ['ionoscloud.com', 'profitbricks.com'];

// All names of the object storage except `s3` itself, which is the management API.
export const hostPatterns = ['s3.', 's3-', 's3-website.', 's3-website-'].flatMap((front) => [
  `<labels>.${front}<storage-region>.ionoscloud.com`,
  `<labels>.${front}de-central.profitbricks.com`,
  `<labels>.${front}<storage-region>.<domain>`,
]);

export const platformHosts = (region: string): { s3: string; website: string } =>
  region === 'de'
    ? { s3: 's3.eu-central-1.ionoscloud.com', website: 's3-website.de-central.profitbricks.com' }
    : { s3: `s3.${region}.ionoscloud.com`, website: `s3-website.${region}.ionoscloud.com` };

export const storageRegions = ['eu-central-3', 'eu-central-4', 'us-central-1', ...userRegions] as const;
export const homeRegion = 'eu-central-3';

export const isUserRegion = (region: string): boolean => userRegions.includes(region);

// `s3.REGION.domain`, `s3-REGION.domain` and `s3.domain`, with an optional bucket in front; or a bucket before
// `localhost`, with or without `s3`.
const withRegion = /^(?:(?<bucket>.+)\.)?s3(?<website>-website)?[.-](?<region>[a-z]{2}-[a-z]+(?:-\d)?)\.(?<domain>.+)$/;
const withoutRegion = /^(?:(?<bucket>.+)\.)?s3(?<website>-website)?\.(?<domain>.+)$/;
const beforeLocalhost = /^(?:(?<bucket>.+?)\.)??(?:s3(?<website>-website)?\.)?localhost$/;

// Undefined: not a host of the object storage. On its own listener every host is one.
export function storageHost(host: string, domains: readonly string[]): StorageHost | undefined {
  const name = host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
  const found = withRegion.exec(name)?.groups ?? withoutRegion.exec(name)?.groups;
  if (!found || !domains.includes(found.domain ?? '')) return undefined;
  const { region, bucket, website } = found;
  // `s3.ionos.com` itself is the management API.
  if (region === undefined && bucket === undefined && !website) return undefined;
  return { region: region && (byHost[region] ?? region), bucket, isWebsite: website !== undefined };
}

export function ownListenerHost(host: string, domains: readonly string[]): StorageHost {
  const known = storageHost(host, domains);
  if (known) return known;
  const { bucket, website } = beforeLocalhost.exec(host.replace(/:\d+$/, '').toLowerCase())?.groups ?? {};
  return { region: undefined, bucket, isWebsite: website !== undefined };
}
